"""Whether an agent may stop (R4.08): advisory, unless a check is red or the plan is on guard."""

from pathlib import Path

import pytest

from outlast import create_plan
from outlast.hosts.wire.events import HOST_NAMES, HostName
from tests.hosts.coding_agent import CodingAgent, checked, make_plan

CLAIM = "I have implemented the login, the task is done."


def attached(home: Path, host: HostName = "claude-code", command: str = "") -> CodingAgent:
    agent = CodingAgent(home, host)
    agent.types(f"{'$' if host == 'codex' else '/'}outlast resume")
    if command:
        agent.types(f"{'$' if host == 'codex' else '/'}outlast {command}")
    return agent


@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_08_a_stop_is_advisory(home: Path, host: HostName) -> None:
    make_plan(home, "one", "two")
    agent = attached(home, host)
    for message in ("I have looked at it.", CLAIM, "All tasks are done.", ""):
        said = agent.stops(message)
        assert not said.reason
        assert not said.model
    assert not agent.send("stop")


@pytest.mark.parametrize("host", HOST_NAMES)
def test_r4_08_a_false_claim_is_held_once_and_let_go_when_green(home: Path, host: HostName) -> None:
    make_plan(home, checked("one", "echo CANARY''-7; test -e done"), "two")
    agent = attached(home, host)
    agent.edits()
    said = agent.stops(CLAIM)
    assert "Task 1 is not done" in said.reason
    assert "exited with code 1" in said.reason
    assert "outlast check 1" in said.reason
    assert "\n> CANARY-7" in said.reason
    assert not agent.stops(CLAIM, blocked=True)  # it insists
    agent.edits("edited again")
    assert agent.stops(CLAIM, blocked=True).reason
    (home / "done").touch()
    assert not agent.stops(CLAIM, blocked=True)
    with agent.plan() as plan:
        assert plan.task(1).status == "completed"
        assert plan.task(1).how == "proved"


def test_a10_whose_checks_wait_for_a_person_is_told_to_that_person(home: Path) -> None:
    with create_plan(str(home), "Add OAuth", "add-oauth", actor="claude-code") as plan:
        plan.add_all([checked("one")])
    make_plan(home, "another", key="newer")  # now the current plan
    agent = CodingAgent(home)
    agent.types("/outlast resume add-oauth")
    agent.edits()
    said = agent.stops(CLAIM)
    assert not said.reason
    assert said.user.startswith("Task 1 stays open until you approve its checks; type")
    assert said.user.endswith("outlast check 1 --approve --plan add-oauth")
    assert not agent.stops(CLAIM), "once is enough"


def test_r4_08_a_listed_completion_counts_as_a_claim(home: Path) -> None:
    make_plan(home, checked("one"))
    agent = attached(home)
    todos = [{"content": "one", "status": "completed"}]
    assert agent.lists("TodoWrite", todos=todos).model
    assert agent.stops("I will be off then.").reason
    agent.types("fine, leave it")
    assert not agent.stops("I will be off then.")


@pytest.mark.parametrize(
    "message", [f"{CLAIM} Shall I go on with the next one?", "完成了。要继续吗？"]
)
def test_r4_08_a_question_is_never_held(home: Path, message: str) -> None:
    make_plan(home, checked("one"))
    agent = attached(home, command="guard")
    agent.edits()
    assert not agent.stops(message)
    with agent.plan() as plan:
        assert plan.task(1).status == "in_progress"


def test_r4_08_a_marker_completes_a_task_without_checks(home: Path) -> None:
    make_plan(home, "one", "two")
    agent = attached(home)
    agent.stops("[Done] one\n\nIt works.")
    with agent.plan() as plan:
        assert plan.task(1).status == "completed"
        assert plan.task(1).how != "proved"


def test_r4_08_the_end_of_a_plan_is_told_to_the_user(home: Path) -> None:
    make_plan(home, checked("one", "true"))
    agent = attached(home)
    agent.edits()
    said = agent.stops(CLAIM)
    assert said.user == "Plan completed: 1/1 steps"
    assert not said.reason


def test_r4_08_a_guard_holds_three_times_without_progress(home: Path) -> None:
    make_plan(home, "one", "two", "three")
    agent = attached(home, command="guard")
    for blocked in (False, True, True):
        said = agent.stops("I stop here.", blocked=blocked)
        assert said.reason.startswith("The plan add-oauth has 3 open tasks: 1 one, 2 two, 3 three.")
        assert "outlast skip N" in said.reason
    said = agent.stops("I stop here.", blocked=True)
    assert not said.reason
    assert said.user == "The agent stopped with open tasks: add-oauth 0/3"


def test_r4_08_progress_renews_the_guard(home: Path) -> None:
    make_plan(home, "one", "two", "three")
    agent = attached(home, command="guard")
    for _ in range(2):
        assert agent.stops("I stop here.").reason
    with agent.plan() as plan:
        plan.complete(1)
    for _ in range(3):
        assert agent.stops("I stop here.").reason
    assert not agent.stops("I stop here.").reason
    agent.types("go on, please")
    assert agent.stops("I stop here.").reason


@pytest.mark.parametrize("ended", ["paused", "completed", "failed", "empty"])
def test_r4_08_a_plan_that_needs_no_work_holds_nothing(home: Path, ended: str) -> None:
    make_plan(home, *(() if ended == "empty" else ("one",)))
    agent = attached(home, command="guard")
    if ended != "empty":
        with agent.plan() as plan:
            match ended:
                case "paused":
                    plan.pause()
                case "completed":
                    plan.complete(1)
                case _:
                    plan.abort("no use")
    assert not agent.stops("I stop here.").reason


def test_r4_12_a_stop_is_not_held_where_that_is_switched_off(home: Path) -> None:
    make_plan(home, checked("one"))
    (home / "outlast.toml").write_text("[hooks]\non_stop = false\n")
    agent = attached(home, command="guard")
    agent.edits()
    said = agent.stops(CLAIM)
    assert not said.reason


def test_r4_08_a_stopping_subagent_and_a_summary_are_let_go(home: Path) -> None:
    make_plan(home, checked("one"))
    agent = attached(home, command="guard")
    fields = {"last_assistant_message": CLAIM, "agent_id": "a1", "agent_type": ""}
    assert not agent.send("subagent-stop", **fields)
    assert not agent.send("stop", **fields)
