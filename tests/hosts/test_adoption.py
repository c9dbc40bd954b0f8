"""A plan that the user has accepted in plan mode becomes the durable plan of the session."""

import os
from pathlib import Path

import pytest

from outlast import NewTask, open_plan
from outlast.hosts.plan_mode.approved_plan import MOST_TASKS
from outlast.hosts.sessions import ACTORS
from outlast.hosts.wire.events import Moment
from tests.hosts.coding_agent import CodingAgent, files_below, make_plan
from tests.open_files import open_files

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


ANOTHER = """# Migrate the database

## Steps

1. Write the migration
2. Write the tests
3. Run it
"""


def names(agent: CodingAgent) -> dict[int, tuple[str, str]]:
    with agent.plan() as plan:
        return {task.id: (task.name, task.status) for task in plan.tasks()}


def test_r4_10_an_accepted_plan_becomes_the_plan_of_the_session(home: Path) -> None:
    agent = CodingAgent(home)
    said = agent.accepts(PLAN)
    assert said.model.startswith("The accepted plan is now Outlast's plan add-oauth, 3 tasks.")
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
    assert [name for name, _ in found.values()] == [
        *("Read the code", "Write the callback", "Ask for a review")
    ]
    record = agent.record
    assert record is not None
    assert record.key == "add-oauth"


def test_u1_an_accepted_plan_with_another_goal_is_a_new_plan(home: Path) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    agent.types("/outlast guard")
    before = names(agent)
    assert before[1] == ("Read the code", "in_progress")
    said = agent.accepts(ANOTHER)
    assert said.user.startswith("Outlast keeps this plan: migrate-the-database, 3 tasks")
    assert said.user.endswith(
        "The plan add-oauth stays unfinished; to go on with it later, type: "
        "/outlast resume add-oauth"
    )
    assert "Migrate the database" in said.model
    with agent.plan() as plan:
        assert plan.title == "Migrate the database"
        assert plan.goal.startswith("Migrate the database")
        assert len(plan.tasks()) == 3
    with open_plan(home, "add-oauth") as old:
        left = {task.id: (task.name, task.status) for task in old.tasks()}
        assert left == before | {1: ("Read the code", "pending")}, "nobody works on it now"
    record = agent.record
    assert record is not None
    assert not record.guard
    assert "\nGuard is off: the agent may stop with open tasks." in said.user
    assert "Guard is off" not in agent.accepts(PLAN).user


def test_u1_a_task_of_the_plan_before_that_was_worked_on_stays_in_progress(home: Path) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    with agent.plan("claude-code") as plan:
        plan.set_progress(1, 1, 2)
    agent.accepts(ANOTHER)
    with open_plan(home, "add-oauth") as old:
        assert old.task(1).status == "in_progress"


@pytest.mark.parametrize(
    "revision",
    [
        OTHER,
        OTHER.replace("Add OAuth", "**Add oauth**"),
        OTHER.replace("Add OAuth", "Plan: Add OAuth (revised)"),
        OTHER.replace("Add OAuth", "Revised plan – Add OAuth, v2"),
        OTHER.replace("Add OAuth", "计划：Add OAuth（修订版）"),
        PLAN.replace("Add OAuth", "Sign in with OAuth").replace("3. Write", "3. Run"),
    ],
)
def test_r4_10_what_has_the_title_or_half_of_the_tasks_is_a_revision(
    home: Path, revision: str
) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    assert "stays unfinished" not in agent.accepts(revision).user
    record = agent.record
    assert record is not None
    assert record.key == "add-oauth"


@pytest.mark.parametrize(
    ("plan", "other"),
    [
        (PLAN, "# Migrate DB\n\n1. Write the migration\n2. Write the tests\n"),
        ("# Add OAuth\n\n1. Write the tests\n", ANOTHER),
        (PLAN.replace("OAuth", "API v1"), OTHER.replace("OAuth", "API v2")),
    ],
)
def test_u1_a_step_that_many_plans_have_makes_no_revision(
    home: Path, plan: str, other: str
) -> None:
    agent = CodingAgent(home)
    agent.accepts(plan)
    record, before = agent.record, names(agent)
    assert record is not None
    assert "stays unfinished" in agent.accepts(other).user
    with open_plan(home, record.key) as old:
        assert [task.name for task in old.tasks()] == [name for name, _ in before.values()]


def test_r4_10_the_first_accepted_plan_is_that_of_the_typed_goal(home: Path) -> None:
    agent = CodingAgent(home)
    agent.types("/outlast Add sign-in to the app")
    todos = [{"content": "Explore the code", "status": "in_progress"}]
    agent.lists("TodoWrite", todos=todos)
    before = agent.record
    assert before is not None
    agent.accepts(PLAN)
    assert agent.record is not None
    assert agent.record.key == before.key
    assert [name for name, _ in names(agent).values()] == [
        *("Read the code", "Write the callback", "Write the tests")
    ]
    assert "stays unfinished" in agent.accepts(ANOTHER).user, "it was only the first one"


def test_u1_a_typed_goal_on_which_work_was_done_keeps_its_plan(home: Path) -> None:
    agent = CodingAgent(home)
    agent.types("/outlast Add sign-in to the app")
    todos = [{"content": "Explore the code", "status": "completed"}]
    agent.lists("TodoWrite", todos=[*todos, {"content": "Write it", "status": "pending"}])
    assert "stays unfinished" in agent.accepts(PLAN).user


def test_u1_a_typed_goal_that_is_worked_on_keeps_its_plan(home: Path) -> None:
    agent = CodingAgent(home)
    agent.types("/outlast Fix the billing bugs")
    with agent.plan("claude-code") as plan:
        plan.add_all([NewTask("Round the totals"), NewTask("Add the tax")])
        plan.start(1)
        plan.set_progress(1, 1, 2)
    assert "stays unfinished" in agent.accepts(PLAN).user


def test_r4_10_a_revision_keeps_the_tasks_that_others_have_added(home: Path) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    with agent.plan() as plan:
        plan.add("Tell the customers")
        plan.add("Ask for a review")
    agent.accepts(OTHER)
    assert [name for name, _ in names(agent).values()] == [
        *("Write the callback", "Ask for a review", "Tell the customers")
    ]


def test_r4_10_finished_tasks_that_are_accepted_again_are_to_be_done(home: Path) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    with agent.plan() as plan:
        plan.complete(1)
        plan.complete(2)
    agent.accepts("# Add OAuth\n\n1. Read the code\n2. Write the callback\n")
    assert list(names(agent).values()) == [
        ("Read the code", "completed"),
        ("Write the callback", "completed"),
        ("Read the code", "in_progress"),
        ("Write the callback", "pending"),
    ]


def test_r4_10_a_plan_that_was_only_begun_takes_the_accepted_one(home: Path) -> None:
    agent = CodingAgent(home)
    agent.types("/outlast make people sign in with OAuth")
    before = agent.record
    assert before is not None
    agent.accepts(PLAN)
    assert agent.record is not None
    assert agent.record.key == before.key
    assert len(names(agent)) == 3


def test_r4_10_a_revision_that_drops_the_started_task_returns_it(home: Path) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    assert names(agent)[1] == ("Read the code", "in_progress")
    said = agent.accepts(OTHER)
    assert names(agent) == {
        2: ("Write the callback", "in_progress"),
        4: ("Ask for a review", "pending"),
    }
    assert "2 tasks" in said.user


def test_r4_10_a_revision_keeps_a_task_that_was_worked_on(home: Path) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    with agent.plan("claude-code") as plan:
        plan.set_progress(1, 1, 2)
    agent.accepts(OTHER)
    assert names(agent)[1] == ("Read the code", "in_progress")
    agent.accepts(PLAN)
    assert [name for name, _ in names(agent).values()].count("Read the code") == 1


def test_r4_10_a_skipped_task_that_is_accepted_again_is_to_be_done(home: Path) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    with agent.plan() as plan:
        plan.complete(1)
        plan.skip(2)
    agent.accepts(PLAN)
    assert list(names(agent).values()) == [
        ("Read the code", "completed"),
        ("Write the callback", "skipped"),
        ("Write the callback", "in_progress"),
        ("Write the tests", "pending"),
    ]


def test_x7_tasks_that_are_left_out_of_a_long_plan_are_told(home: Path) -> None:
    steps = "\n".join(f"{number}. Step {number}" for number in range(1, MOST_TASKS + 6))
    said = CodingAgent(home).accepts(f"# Long\n\n## Steps\n\n{steps}\n")
    assert "has 5 more tasks than Outlast takes" in said.model
    assert "5 tasks of it left out: a plan is adopted with at most 200 tasks" in said.user


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
    assert said.model.startswith("已接受的计划现为 Outlast 计划 add-oauth")


def test_u1_a_plan_that_has_ended_is_closed_before_the_next_one_is_adopted(home: Path) -> None:
    agent = CodingAgent(home)
    agent.accepts(PLAN)
    with agent.plan() as plan:
        plan.abort()
    before = open_files(os.getpid())
    said = agent.accepts(ANOTHER)
    assert "Migrate the database" in said.model
    left = {path for path in open_files(os.getpid()) - before if "add-oauth" in path}
    assert left == set()
