"""R4.04, R4.11: what refuses a tool call in a whole agent, and where the refusal is seen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from outlast import AgentLoop, open_plan
from outlast.agent.events import CallEnded, CallRefused, CallStarted, Notified
from outlast.config.settings import Hooks, Settings
from outlast.hooks.port import HookContext, HookResult
from outlast.model.changes import RefusalNoted
from outlast.models import Call
from outlast.testing import ScriptedModel, Turn
from tests.cli.processes import stdout_of

if TYPE_CHECKING:
    from pathlib import Path

    from outlast.agent.events import Event
    from outlast.context.plan_view import PlanView

DEPLOY = Call("deploy", {"where": "prod"})


def is_deploy(context: HookContext) -> bool:
    return (context.point, context.tool_name) == ("pre_tool_use", "deploy")


def denies(context: HookContext, _plan: PlanView | None) -> HookResult:
    return HookResult(should_continue=not is_deploy(context))


def explains(context: HookContext, _plan: PlanView | None) -> HookResult:
    return HookResult(not is_deploy(context), "Not on a <Friday>.\nTry on Monday.")


async def denies_later(context: HookContext, plan: PlanView | None) -> HookResult:
    await asyncio.sleep(0)
    return denies(context, plan)


def raises(context: HookContext, _plan: PlanView | None) -> HookResult | None:
    if is_deploy(context):
        raise ZeroDivisionError
    return None


async def raises_later(context: HookContext, plan: PlanView | None) -> HookResult | None:
    await asyncio.sleep(0)
    return raises(context, plan)


def babbles(context: HookContext, _plan: PlanView | None) -> Any:
    return "never" if is_deploy(context) else None


def run_agent(root: Path, **options: Any) -> tuple[list[str], list[Event]]:
    deployed: list[str] = []
    events: list[Event] = []

    def deploy(where: str) -> str:
        """Deploy it."""
        deployed.append(where)
        return "deployed"

    script = [Turn("refused", "I stop."), Turn("deployed", "Done."), Turn(calls=(DEPLOY,))]
    agent = AgentLoop(
        model=ScriptedModel(script),
        tools=[deploy],
        workdir=root,
        key="k",
        on_event=events.append,
        max_iterations=3,
        **options,
    )
    asyncio.run(agent.run("Deploy it"))
    return deployed, events


FAILED = "The hook {name} failed ({error}), so the call was refused; see the log for details"


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        (denies, "{name}"),
        (denies_later, "{name}"),
        (explains, "{name}: Not on a &lt;Friday&gt;. Try on Monday."),
        (raises, FAILED.replace("{error}", "ZeroDivisionError")),
        (raises_later, FAILED.replace("{error}", "ZeroDivisionError")),
        (babbles, FAILED.replace("{error}", "TypeError")),
    ],
)
def test_r4_04_a_call_that_a_hook_denies_is_not_run_and_the_refusal_is_seen_everywhere(
    tmp_path: Path, hook: Any, reason: str
) -> None:
    deployed, events = run_agent(tmp_path, hooks=[hook])
    assert deployed == []
    reason = reason.format(name=f"{__name__}:{hook.__qualname__}")
    [refused] = [event for event in events if isinstance(event, CallRefused)]
    assert (refused.call.name, refused.by, refused.reason) == ("deploy", "hook", reason)
    assert not any(isinstance(event, CallStarted | CallEnded) for event in events)
    with open_plan(tmp_path, "k", actor="human") as plan:
        changes = [change for commit in plan.history.commits(1_000) for change in commit.changes]
    [noted] = [change for change in changes if isinstance(change, RefusalNoted)]
    assert (noted.by, noted.note) == ("hook", reason)
    assert noted.what.startswith("deploy")
    assert f"(by a hook: {reason[:40]}" in stdout_of(tmp_path, "log")


@pytest.mark.parametrize("hook", [raises, raises_later, babbles])
def test_r4_04_model_and_person_are_told_that_a_hook_failed(hook: Any) -> None:
    model = ScriptedModel([Turn("so the call was refused", "I stop."), Turn(calls=(DEPLOY,))])
    events: list[Event] = []

    def deploy(where: str) -> str:
        """Deploy it."""
        return where

    agent = AgentLoop(
        model=model, tools=[deploy], hooks=[hook], on_event=events.append, max_iterations=2
    )
    assert asyncio.run(agent.run("Deploy it")).answer == "I stop."
    notices = [event.text for event in events if isinstance(event, Notified)]
    [notice] = [notice for notice in notices if "so the call was refused" in notice]
    assert hook.__qualname__ in notice


def test_r4_04_a_hook_of_the_settings_that_cannot_be_loaded_denies_calls(tmp_path: Path) -> None:
    settings = Settings(hooks=Hooks(python=("no.such.module:guard",)))
    deployed, events = run_agent(tmp_path, settings=settings)
    assert deployed == []
    [refused] = [event for event in events if isinstance(event, CallRefused)]
    assert refused.reason.startswith("The hook no.such.module:guard failed (ModuleNotFoundError)")
