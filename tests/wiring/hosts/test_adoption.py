"""A plan that the user has accepted in plan mode becomes the durable plan of the session."""

from pathlib import Path

import pytest

from outlast.formats.hosts.events import Moment
from outlast.wiring.hosts.sessions import ACTORS
from tests.wiring.hosts.coding_agent import CodingAgent, files_below, make_plan

PLAN = """# Add OAuth

## Steps

1. Read the code
2. Write the callback
3. Write the tests

## Verification

- `pytest -q`
"""
OTHER = """# Add OAuth

## Steps

1. Write the callback
2. Ask for a review
"""


def names(agent: CodingAgent) -> dict[int, tuple[str, str]]:
    with agent.plan() as plan:
        return {task.id: (task.name, task.status) for task in plan.tasks()}


def test_r4_10_an_accepted_plan_becomes_the_plan_of_the_session(home: Path) -> None:
    agent = CodingAgent(home)
    said = agent.accepts(PLAN)
    assert said.model.startswith("The accepted plan is now the plan add-oauth of Outlast, 3 tasks.")
    assert said.user.startswith("Outlast keeps this plan: add-oauth, 3 tasks, in ")
    assert "check --approve --plan add-oauth" in said.user
    assert "pytest -q" in said.user
    assert "in .outlast/plans/add-oauth/task_plan.md\n" in said.user
    found = names(agent)
    assert [name for name, _ in found.values()] == [
        *("Read the code", "Write the callback", "Write the tests")
    ]
    assert found[1][1] == "in_progress"
    with agent.plan() as plan:
        assert set(plan.checks.unapproved()) == {3}
        assert {commit.author for commit in plan.core.store.history()} == {ACTORS["claude-code"]}


def test_r4_10_a_second_accepted_plan_changes_the_unfinished_one(home: Path) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    agent.types("/outlast done 1 read")
    agent.types("go on, please")
    before = names(agent)
    assert before[2] == ("Write the callback", "in_progress")
    agent.accepts(OTHER)
    found = names(agent)
    assert found[1] == ("Read the code", "completed")
    assert found[2] == ("Write the callback", "in_progress")
    assert "Ask for a review" in {name for name, _ in found.values()}
    assert "Write the tests" not in {name for name, status in found.values() if status == "pending"}
    record = agent.record
    assert record is not None
    assert record.key == "add-oauth"


def test_r4_10_after_the_end_of_a_plan_a_new_one_is_made(home: Path) -> None:
    make_plan(home, "one", key="old")
    agent = CodingAgent(home)
    agent.types("/outlast resume old")
    agent.types("/outlast done")
    agent.accepts(OTHER)
    record = agent.record
    assert record is not None
    assert record.key != "old"


def test_r4_10_a_plan_accepted_while_that_of_the_session_is_paused_goes_on(home: Path) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    with agent.plan() as plan:
        plan.pause()
    assert agent.accepts(OTHER).user.startswith("Outlast keeps this plan: add-oauth, ")
    assert "Ask for a review" in {name for name, _ in names(agent).values()}
    with agent.plan() as plan:
        assert plan.status == "running"


@pytest.mark.parametrize(
    ("moment", "fields"),
    [
        ("pre-tool", {}),
        ("tool-failure", {"error": "the user said no"}),
        ("post-tool", {"agent_id": "a1"}),
        ("post-tool", {"tool_response": {"plan": PLAN, "isAgent": True}}),
    ],
)
def test_a13_a_plan_that_the_user_has_not_accepted_is_not_adopted(
    home: Path, state: Path, moment: Moment, fields: dict[str, object]
) -> None:
    before = files_below(home, state)
    agent = CodingAgent(home)
    agent.send(moment, "plan", tool_name="ExitPlanMode", tool_input={"plan": PLAN}, **fields)
    assert (agent.record, files_below(home, state)) == (None, before)


@pytest.mark.parametrize("plan", ["", " \n"])
def test_r4_10_a_plan_without_steps_changes_nothing(home: Path, state: Path, plan: str) -> None:
    before = files_below(home, state)
    assert not CodingAgent(home).accepts(plan)
    assert files_below(home, state) == before


def test_x8_it_is_told_in_the_language_of_the_settings(home: Path) -> None:
    (home / "outlast.toml").write_text('language = "zh"\n')
    said = CodingAgent(home).accepts(PLAN)
    assert said.user.startswith("Outlast 已保存此计划：add-oauth，3 个任务")
    assert said.model.startswith("已接受的计划现为 Outlast 的计划 add-oauth")
