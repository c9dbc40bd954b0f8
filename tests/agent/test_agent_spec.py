"""R0: what a run is made of is one value, which is validated where it is made."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, NewTask, create_plan, open_plan
from outlast.agents import AgentSpec, Orchestrate, PlanRef, Replan, ToolLoop
from outlast.errors import InvalidArgument
from outlast.settings import LoopSettings, OrchestratorSettings, Settings
from outlast.testing import ScriptedModel, Turn
from tests.making import make_plan

MODEL = ScriptedModel([Turn("", "Done.")])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AgentSpec(model=wrong(5)), "model: expected model, got int"),
        (lambda: AgentSpec(tools=wrong("bash")), "tools: expected list, got str"),
        (lambda: AgentSpec(hooks=wrong([3])), "hooks: expected hook, got int"),
        (lambda: AgentSpec(loop=wrong("replan")), "loop: expected loop, got str"),
        (lambda: AgentSpec(budget=wrong(3)), "budget: expected Budget, got int"),
        (lambda: AgentSpec(settings=wrong(None)), "settings: expected Settings, got NoneType"),
        (lambda: AgentSpec(language=wrong(None)), "language: expected str, got NoneType"),
        (lambda: AgentSpec(person=wrong(3)), "person: expected person, got int"),
        (lambda: AgentSpec(yes=wrong(1)), "yes: expected bool, got int"),
        (lambda: AgentSpec(actor=" "), "actor"),
        (lambda: PlanRef(wrong("k")), "plan: expected Plan, got str"),
        (lambda: PlanRef(layout=wrong("flat")), "layout"),
        (lambda: ToolLoop(max_iterations=0), "max_iterations"),
        (lambda: Replan(max_iterations=wrong("5")), "max_iterations"),
    ],
)
def test_r0_a_spec_is_validated_where_it_is_made(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        make()
    assert message in str(refused.value)


def wrong(value: Any) -> Any:
    """Return a value that does not fit its type."""
    return value


def test_r0_an_agent_is_made_from_a_spec_as_from_keywords() -> None:
    spec = AgentSpec(model=MODEL, plan=PlanRef(make_plan("One", goal="Paint it")), actor="ann")
    by_spec = asyncio.run(AgentLoop.from_spec(spec).run("Paint it"))
    plan = make_plan("One", goal="Paint it")
    by_keywords = asyncio.run(AgentLoop(model=MODEL, plan=plan, actor="ann").run("Paint it"))
    assert (by_spec.answer, by_spec.why) == (by_keywords.answer, by_keywords.why)
    assert by_spec.plan is not None
    assert by_spec.plan.last_run == plan.last_run


def test_r1_an_agent_is_found_by_the_name_in_a_spec(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Paint it", "k") as plan:
        plan.add_all([NewTask("touch", run="touch painted")])
        plan.acting_as("human").checks.approve()
    loop = Orchestrate(agent="shell", has_model=False, parallel=2)
    spec = AgentSpec(loop=loop, plan=PlanRef(workdir=tmp_path, key="k"), yes=True)
    result = asyncio.run(AgentLoop.from_spec(spec).run("Paint it"))
    assert (result.status, (tmp_path / "painted").exists()) == ("completed", True)
    with open_plan(tmp_path, "k") as plan:
        assert plan.last_run is not None
        assert (plan.last_run.agent, plan.last_run.parallel) == ("shell", 2)


def test_r4_12_a_loop_takes_what_the_settings_say() -> None:
    settings = Settings(
        loop=LoopSettings(max_iterations=7, policy="explicit"),
        orchestrator=OrchestratorSettings(parallel=3, sessions="shared"),
    )
    tool_loop = ToolLoop.from_settings(settings)
    assert (tool_loop.max_iterations, tool_loop.policy) == (7, "explicit")
    replan = Replan.from_settings(settings, review=True, in_chat=False)
    assert (replan.max_iterations, replan.review) == (7, True)
    orchestrate = Orchestrate.from_settings(settings, "codex", parallel=None, timeout=5.0)
    assert (orchestrate.parallel, orchestrate.share_session) == (3, True)
    assert (orchestrate.agent_name, orchestrate.timeout) == ("codex", 5.0)
