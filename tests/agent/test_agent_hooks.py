"""R4.04 to R4.09 and R4.11: the hooks in a whole agent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from outlast import Plan, create_plan, open_plan
from outlast.config.settings import Hooks, Rules, Settings
from outlast.context.chat_model import Call
from outlast.errors import WriteFailed
from outlast.hooks.port import HookContext, HookResult
from outlast.model.commands import CreatePlan, NoteError
from outlast.model.execute import return_commit
from outlast.plan.core import PlanCore
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.testing import FixedClock
from tests.agent.hooked import MAKE, Played
from tests.making import make_plan

if TYPE_CHECKING:
    from pathlib import Path

    from outlast.context.plan_view import PlanView

STRICT = Settings(rules=Rules(strict=True, stop_limit=0))
LETTING_GO = Settings(rules=Rules(stop_limit=0))


def begun() -> Plan:
    plan = make_plan("write the cache", "test it", actor="agent", order="sequential")
    plan.start(1)
    return plan


def play(
    plan: Plan | None, *calls: Call, settings: Settings = LETTING_GO, **options: object
) -> Played:
    played = Played(plan, *calls, settings=settings, **options)
    asyncio.run(played.agent.run("do it"))
    return played


def test_r4_05_r4_11_what_is_injected_is_no_system_message_and_follows_the_result() -> None:
    played = play(begun(), Call("bash", {"command": "ls"}))
    shown = played.model.requests[1].messages
    (place,) = (n for n, one in enumerate(shown) if "<current-task>" in one.text)
    assert shown[place].role == "user"
    assert shown[place - 1].role == "tool"
    assert "Step: write the cache" in shown[place].text
    assert sum(one.role == "system" for one in shown) == 1


def test_r4_06_two_views_and_a_write_bring_their_reminders() -> None:
    plan = begun()
    played = play(plan, Call("read_file"), Call("read_file"), Call("write_file"))
    said = "\n".join(played.model.injected)
    assert said.count("You've performed 2 view operations.") == 1
    assert said.count("File operation completed.") == 1
    assert said.index("view operations") < said.index("File operation")


def test_r4_07_r4_09_failures_are_logged_once_each_and_warned_of() -> None:
    plan = begun()
    played = play(plan, MAKE, MAKE, MAKE)
    (logged,) = plan.notes.errors()
    assert (logged.tool, logged.count) == ("bash", 3)
    assert logged.params == '{"command":"make"}'
    said = "\n".join(played.model.injected)
    assert said.count("This error has occurred 3 times!") == 1
    assert "Previous failures with bash:\n- Failed: exit 1 (2 times)" in said


@pytest.mark.parametrize("planned", [True, False])
def test_r4_07_an_equal_call_that_fails_is_run_three_times_and_then_refused(
    *, planned: bool
) -> None:
    plan = begun() if planned else None
    same = Call("bash", {"command": "make", "cwd": "", "timeout": None})
    reads = [MAKE, Call("read_file"), same, Call("read_file", {"a": 1}), MAKE]
    played = play(plan, *reads, *[MAKE] * 5, enable_planning=planned)
    assert played.ran == [MAKE.params, same.params, MAKE.params]
    said = "\n".join(played.model.injected)
    assert said.count("times!" if planned else "This call of bash has failed 3 times.") == 1
    assert said.count("bash with these parameters has failed too often") == 5
    assert "send other arguments, use another tool" in said
    assert "<error-history>" not in played.model.injected[-1]
    assert "the user" not in said


def test_r4_07_the_tool_of_a_call_that_is_refused_again_and_again_is_withheld_once() -> None:
    played = play(begun(), *[MAKE] * 7)
    offered = ["bash" in [tool.name for tool in one.tools] for one in played.model.requests]
    assert offered == [True] * 5 + [False, True, False]


def test_r4_07_after_another_call_worked_or_the_user_spoke_it_may_be_tried_again() -> None:
    other = Call("bash", {"command": "ls"})
    played = play(begun(), MAKE, MAKE, MAKE, MAKE, other, MAKE, MAKE, MAKE, MAKE)
    assert played.ran == [*[MAKE.params] * 3, other.params, *[MAKE.params] * 3]
    again = Played(begun(), *[MAKE] * 6, settings=LETTING_GO, max_iterations=4)
    asyncio.run(again.agent.run("do it"))
    asyncio.run(again.agent.run("continue"))  # the first call gets its recorded result
    assert again.ran == [MAKE.params] * 4


def test_r4_07_a_plan_tool_is_not_refused_but_the_model_is_told() -> None:
    wrong = Call("complete_task", {"task": 9, "result": ""})
    played = play(begun(), *[wrong] * 4)
    said = "\n".join(played.model.injected)
    assert said.count("This call of complete_task has failed 3 times.") == 1
    assert said.count("This call of complete_task has failed 4 times.") == 1
    assert "not run again" not in said


def test_r4_07_strict_mode_holds_in_the_next_process_too(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Ship", "p", order="sequential") as made:
        made.add("one")
        made.acting_as("agent").start(1)
        first = play(made, MAKE, MAKE, MAKE, MAKE, settings=STRICT)
        assert len(first.ran) == 3
        failed = [one.text for one in first.model.last_messages if one.role == "tool"]
        assert "refused before it ran" in failed[-1]
        assert "bash with these parameters has failed too often" in first.model.injected[-1]
        assert made.notes.errors()[0].count == 3
    with open_plan(tmp_path, "p") as again:
        ls = Call("bash", {"command": "ls"})
        second = play(again, MAKE, ls, MAKE, settings=STRICT)
        assert [one["command"] for one in second.ran] == ["ls", "make"]


def test_r4_08_a_stop_is_held_up_at_most_as_often_as_is_set() -> None:
    played = play(begun(), settings=Settings(rules=Rules(stop_limit=2)))
    assert len(played.model.requests) == 3
    assert "\n".join(played.model.injected).count("The work is not finished") == 2
    held = "The agent wanted to stop and was told to go on: 0/2 steps done"
    assert played.told("hook").count(held) == 2
    last = played.model.injected[-1]
    assert "Go on with step 1. Write [Done]" in last
    assert "or call skip_task if it is not needed." in last
    assert "WARNING" not in last, "the document's words are for its own service"


def test_r4_11_with_planning_off_nothing_is_said_about_plans() -> None:
    played = play(None, MAKE, MAKE, MAKE, Call("write_file"), enable_planning=False)
    (note,) = played.model.injected
    assert "has failed 3 times" in note
    assert "plan" not in note
    assert len(played.model.requests) == 5


def test_r4_04_a_users_hook_is_asked_and_can_refuse() -> None:
    asked: list[str] = []

    def careful(context: HookContext, _plan: PlanView | None) -> HookResult | None:
        asked.append(context.point)
        if context.point == "pre_tool_use":
            return HookResult(should_continue=False, inject_context="not on a Friday")
        return None

    played = play(begun(), Call("bash", {"command": "ls"}), hooks=(careful,))
    assert played.ran == []
    assert "[tests.agent.test_agent_hooks:" in played.model.injected[-1]
    assert "not on a Friday" in played.model.injected[-1]
    assert asked[0] == "session_start"
    assert {"user_prompt", "pre_tool_use", "on_stop"} <= set(asked)
    assert "post_tool_use" not in asked


def test_r4_04_a_failed_call_comes_to_both_points_after_it() -> None:
    seen: list[tuple[str, bool, str]] = []

    def listens(context: HookContext, _plan: PlanView | None) -> None:
        if context.tool_result is not None:
            seen.append((context.point, context.tool_result.success, str(context.error)))

    play(begun(), MAKE, Call("bash", {"command": "ls"}), hooks=(listens,))
    assert seen == [
        ("post_tool_use", False, "Failed: exit 1"),
        ("on_error", False, "Failed: exit 1"),
        ("post_tool_use", True, "None"),
    ]


@pytest.mark.parametrize("name", ["no_such_module:hook", "outlast.errors:no_such", "no-such-name"])
def test_r4_04_a_hook_that_cannot_be_found_is_said_once_and_lets_no_call_pass(name: str) -> None:
    settings = Settings(hooks=Hooks(python=(name,)), rules=Rules(stop_limit=0))
    played = play(begun(), Call("bash", {"command": "ls"}), settings=settings)
    assert played.ran == [], "what guards fails closed"
    said = "\n".join(played.told("hook"))
    failures = [line for line in said.splitlines() if f"The hook {name} failed (" in line]
    assert ["and was skipped" in line for line in failures] == [True, False]
    assert "so the call was refused" in failures[1]


class Full(MemoryStore):
    """A store that takes everything but errors of tools."""

    def commit(self, request: Request, then: Any) -> Any:
        if any(isinstance(command, NoteError) for command in request.commands):
            raise WriteFailed("write_failed", where="here", problem="full")
        return super().commit(request, then)


def test_r4_04_a_rule_that_cannot_write_neither_breaks_the_agent_nor_repeats_the_call() -> None:
    clock = FixedClock()
    store = Full(clock())
    store.commit(Request((CreatePlan("plan_full", "Ship"),), "test", clock()), return_commit)
    played = play(Plan(PlanCore(store, clock, lambda: "plan_next", "agent")), MAKE, MAKE)
    assert len(played.ran) == 2
    said = "\n".join(played.told("hook"))
    assert said.count("The hook log_strike failed (WriteFailed)") == 1
    assert played.told("degraded") == []
