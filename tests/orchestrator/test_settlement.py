"""X3: the checks of a task settle an attempt that its agent does not remember."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast import NewTask, Plan, create_plan
from outlast.agent.events import Notified, Stopped
from outlast.agent.work import WorkOrder, WorkResult
from outlast.model.changes import AttemptEnded, ReportNoted
from outlast.model.commands import BeginAttempt, Skip, Start
from outlast.model.execute import return_commit
from outlast.model.model import Check
from tests.agent.runtime.poke_tool import ends
from tests.fake_model import FakeModel
from tests.orchestrator.fake_agents import FakeAgent, succeed
from tests.orchestrator.test_scheduler import orchestrated

BUILT = Check("file", "built.txt")


class Forgetful(FakeAgent):
    """An agent that remembers no order; it builds when it works."""

    def __init__(self, here: Path) -> None:
        super().__init__(self._build)
        self._here = here

    async def _build(self, order: WorkOrder) -> WorkResult:
        (self._here / "built.txt").write_text("again")
        return await succeed(order)


class Broken(Forgetful):
    """An agent that cannot be asked."""

    async def settle(self, order: str, session: str) -> WorkResult | None:
        raise OSError(order, session)


class Renamed(Forgetful):
    """Another agent than the one that worked."""

    name = "other"


@pytest.fixture
def plan(tmp_path: Path) -> Iterator[Plan]:
    with create_plan(tmp_path, "Ship it", "ship", actor="human") as plan:
        yield plan


def interrupt(plan: Plan, *checks: Check) -> None:
    """Let a run die while an agent works on a task with these checks."""
    plan.add_all([NewTask("build", checks=checks)])
    actor = f"{plan.core.actor}/1"
    core = plan.core.acting_as(actor)
    core.commit_with_checks((Start(actor, 1),), return_commit)
    core.commit((BeginAttempt(1, "delegate", "fake task-1"),), return_commit)


def resume(plan: Plan, agent: FakeAgent) -> Stopped:
    return orchestrated(plan, agent, FakeModel(), has_model=False)


def first_end(plan: Plan) -> tuple[str, str]:
    """Return how the attempt ended that was left open, and how that is known."""
    end = next(end for end in ends(plan) if end.id == "1#1")
    return end.outcome, end.settled_by


def test_x3_red_before_and_green_now_means_that_the_work_was_done(
    plan: Plan, tmp_path: Path
) -> None:
    interrupt(plan, BUILT)
    (tmp_path / "built.txt").write_text("built")
    agent = Forgetful(tmp_path)
    assert resume(plan, agent).why == "finished"
    assert agent.orders == []
    assert first_end(plan) == ("done", "check")
    assert "The run was killed before the agent reported." in str(plan.task(1).result)
    assert (tmp_path / "built.txt").read_text() == "built"


def test_r1_12_what_settles_an_attempt_is_in_one_commit_with_its_end(
    plan: Plan, tmp_path: Path
) -> None:
    """A crash between the two would leave a report of an attempt that is still open."""
    interrupt(plan, BUILT)
    (tmp_path / "built.txt").write_text("built")
    resume(plan, Forgetful(tmp_path))
    (commit,) = [
        commit
        for commit in plan.core.store.commits_since(0)
        if any(isinstance(change, ReportNoted) for change in commit.changes)
    ]
    assert [change.id for change in commit.changes if isinstance(change, AttemptEnded)] == ["1#1"]


def test_x3_red_now_means_that_the_work_was_not_done(plan: Plan, tmp_path: Path) -> None:
    interrupt(plan, BUILT)
    agent = Forgetful(tmp_path)
    assert resume(plan, agent).why == "finished"
    assert len(agent.orders) == 1
    assert first_end(plan) == ("lost", "check")


@pytest.mark.parametrize("kind", [Broken, Renamed])
def test_x3_red_checks_do_not_settle_the_work_of_an_agent_that_was_not_asked(
    kind: type[Forgetful], plan: Plan, tmp_path: Path
) -> None:
    interrupt(plan, BUILT)
    agent = kind(tmp_path)
    assert resume(plan, agent).why == "unsettled"
    assert agent.orders == []


@pytest.mark.parametrize("kind", [Broken, Renamed])
def test_x3_green_checks_settle_the_work_of_any_agent(
    kind: type[Forgetful], plan: Plan, tmp_path: Path
) -> None:
    interrupt(plan, BUILT)
    (tmp_path / "built.txt").write_text("built")
    agent = kind(tmp_path)
    assert resume(plan, agent).why == "finished"
    assert agent.orders == []


@pytest.mark.parametrize("checks", [(), (Check("person", "looks good"),), (BUILT,)])
def test_x3_checks_that_show_nothing_leave_it_to_a_person(
    checks: tuple[Check, ...], plan: Plan, tmp_path: Path
) -> None:
    (tmp_path / "built.txt").write_text("before the agent worked")
    interrupt(plan, *checks)
    agent = Forgetful(tmp_path)
    assert resume(plan, agent).why == "unsettled"
    assert agent.orders == []
    (question,) = plan.questions.open()
    assert question.kind == "settle"
    assert f"worked on task 1 {plan.task(1).name}. " in question.text


def test_f38_a_check_that_is_killed_does_not_show_that_the_work_was_not_done(
    plan: Plan, tmp_path: Path
) -> None:
    killed = Check("command", "test -e built.txt || kill -9 $$")
    interrupt(plan, killed)
    agent = Forgetful(tmp_path)
    assert resume(plan, agent).why == "unsettled"
    assert agent.orders == []
    (question,) = plan.questions.open()
    assert question.kind == "settle"


def test_x3_nobody_is_asked_about_a_task_that_has_ended(plan: Plan, tmp_path: Path) -> None:
    interrupt(plan, BUILT)
    plan.core.commit((Skip(1, "not wanted"),), return_commit)
    agent = Forgetful(tmp_path)
    assert resume(plan, agent).why == "finished"
    assert agent.orders == []


class Outliving(Forgetful):
    """An agent that goes on working when a run ends, such as one behind a mailbox."""

    outlives_run = True


def test_x3_people_are_told_that_an_order_of_before_is_waited_for(tmp_path: Path) -> None:
    told = {}
    for kind in (Outliving, Forgetful):
        with create_plan("memory:", "Ship it") as each:
            interrupt(each)
            events = list[object]()
            orchestrated(each, kind(tmp_path), FakeModel(), has_model=False, listener=events.append)
            told[kind] = [event.text for event in events if isinstance(event, Notified)]
    waited = "Waiting for the report about task 1, which was asked for before the interruption"
    assert waited in told[Outliving]
    assert waited not in told[Forgetful]
