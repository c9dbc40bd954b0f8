"""X7: history and undo through the handle, in memory and in files."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

import outlast
from outlast import Check, NewTask, Plan
from outlast.errors import InvalidArgument, InvalidStatus
from outlast.model.commands import CountIteration, CreatePlan, Pause, Undo
from outlast.model.execute import return_commit
from outlast.plan.core import PlanCore
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.testing import FixedClock
from tests.making import count_iteration, make_plan, state_of
from tests.model.indexes import assert_indexes, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(params=["memory", "files"])
def plan(request: pytest.FixtureRequest, tmp_path: Path) -> Plan:
    where = "memory:" if request.param == "memory" else str(tmp_path)
    return outlast.create_plan(where, "Test things", "undo", actor="human")


def snapshot_of(plan: Plan) -> Any:
    return plan.core.read(lambda state: snapshot(state) | {"iteration_count": None})


def test_x7_repeated_undo_reverses_one_commit_after_the_other(plan: Plan) -> None:
    was = [snapshot_of(plan)]
    steps: list[Callable[[], object]] = [
        lambda: plan.add("a"),
        lambda: plan.add_all([NewTask("b"), NewTask("c", peers=(1,))]),
        lambda: plan.update(1, name="first"),
        lambda: plan.add_phase("Build"),
        lambda: plan.move(1, phase="build"),
        lambda: plan.start(2),
        lambda: plan.complete(2, "done"),
        lambda: plan.fail(3, "broke", retry=False),
        lambda: plan.reopen(3),
        lambda: plan.edit(goal="Other things"),
        plan.pause,
        plan.resume,
        plan.claim,
        plan.abort,
        plan.reset,
        lambda: plan.remove(3),
        lambda: plan.skip(1),
    ]
    for step in steps:
        step()
        was.append(snapshot_of(plan))
    made = plan.revision
    for number in range(len(steps), 0, -1):
        assert snapshot_of(plan) == was[number]
        assert plan.undo().revision == number + 1
        assert snapshot_of(plan) == was[number - 1]
        plan.core.read(assert_indexes)
    assert plan.revision == made + len(steps)
    with pytest.raises(InvalidStatus, match="There is nothing to undo") as caught:
        plan.undo()
    assert caught.value.text == "nothing_to_undo"


def test_x7_after_an_undo_new_commits_are_undone_first_and_then_older_ones(plan: Plan) -> None:
    for name in "abc":
        plan.add(name)
    assert [task.name for task in plan.tasks()] == ["a", "b", "c"]
    plan.undo()
    plan.undo()
    assert plan.add("d").id == 4
    plan.undo()
    assert [task.name for task in plan.tasks()] == ["a"]
    plan.undo()
    assert plan.tasks() == ()


def test_x7_an_agent_undoes_the_newest_commit_that_it_may_undo(plan: Plan) -> None:
    agent = plan.acting_as("agent")
    with pytest.raises(InvalidStatus) as caught:
        agent.undo()
    assert caught.value.text == "nothing_to_undo"
    plan.add("by a person")
    with pytest.raises(InvalidStatus, match=r"Revision 2 was made by human.* person can undo all"):
        agent.undo()
    agent.add("a")
    agent.add("b")
    agent.add("checked", checks=[Check("command", "true")])
    plan.add("by a person too")
    with pytest.raises(InvalidStatus) as caught:
        agent.undo(6)
    assert str(caught.value) == (
        "Revision 6 was made by human; an agent can undo only its own commits, such as revision 4"
    )
    assert caught.value.details == {"revision": 6, "author": "human", "instead": 4}
    assert agent.undo(4).revision == 4
    assert agent.undo().revision == 3
    names = [task.name for task in plan.tasks()]
    assert names == ["by a person", "checked", "by a person too"]


def test_x7_facts_are_skipped_and_kept(plan: Plan) -> None:
    plan.add("a")
    lease = plan.claim(1)
    plan.renew(lease, 90)
    count_iteration(plan)
    assert plan.undo().revision == 3
    assert plan.task(1).status == "pending"
    assert plan.iteration_count == 1
    assert plan.core.read(lambda state: (state.ledger.last_token, state.ledger.leases)) == (1, {})
    assert plan.claim(1).token == 2


def test_x7_the_bookkeeping_of_a_run_is_passed_over(plan: Plan) -> None:
    runner = plan.acting_as("runner")
    plan.add("a")
    plan.add("b")
    plan.pause("lunch")
    with runner.core.claim_plan() as heartbeat:
        run = runner.with_lease(heartbeat.lease)
        run.resume()
        run.complete(1, "done")
        count_iteration(run)
        run.core.commit((Pause("limit"),), return_commit)
    assert plan.undo().author == "runner"
    assert (plan.task(1).status, plan.status) == ("pending", "paused")
    assert plan.undo().revision == 3  # not the pause, which the run has ended
    assert [task.name for task in plan.tasks()] == ["a"]
    plan.resume()
    plan.undo()
    assert plan.status == "paused"  # a person's own pause or resumption is a change
    plan.undo(11)  # the undo of what the run had done
    assert (plan.task(1).status, plan.task(1).result) == ("completed", "done")


def test_x7_a_pause_without_a_run_is_a_change_whoever_makes_it(plan: Plan) -> None:
    agent = plan.acting_as("agent")
    plan.add("a")
    with agent.core.claim_plan():
        plan.pause()  # by a person, while the run is at work
    assert plan.undo().revision == 4
    assert plan.status == "idle"
    agent.pause()
    agent.resume()
    for status in ("paused", "idle"):
        agent.undo()
        assert plan.status == status
    with agent.core.claim_plan() as heartbeat:
        agent.with_lease(heartbeat.lease).pause()
    with pytest.raises(InvalidStatus) as caught:
        agent.undo()
    assert caught.value.details["revision"] == 2  # what is left is a person's


def test_x7_undo_stops_at_the_beginning_of_a_new_plan(plan: Plan) -> None:
    plan.add("a")
    plan.skip(1)
    plan.initialize("Next", [NewTask("b")])
    plan.start(1)
    plan.undo()
    with pytest.raises(InvalidStatus) as caught:
        plan.undo()
    assert caught.value.text == "cannot_undo_creation"
    assert str(caught.value) == "Revision 4 created the plan and cannot be undone"
    assert plan.goal == "Next"


def test_x7_history_is_listed_newest_first(plan: Plan) -> None:
    for name in "abc":
        plan.add(name)
    plan.skip(1, "no need")
    assert [commit.revision for commit in plan.history.commits()] == [5, 4, 3, 2, 1]
    newest = plan.history.commits(limit=2)
    assert [commit.revision for commit in newest] == [5, 4]
    assert (newest[0].author, newest[0].reason) == ("human", "no need")


@pytest.mark.parametrize("limit", [0, -1, True, "5", None])
def test_x7_a_limit_of_the_history_is_a_number(limit: Any) -> None:
    with pytest.raises(InvalidArgument, match="limit: expected"):
        make_plan("a").history.commits(limit)


def test_x7_another_handle_undoes_what_was_done_before_it_was_opened(tmp_path: Path) -> None:
    with outlast.create_plan(str(tmp_path), "Test things", "undo", actor="human") as plan:
        plan.add("a")
        plan.claim(1)
    with outlast.open_plan(str(tmp_path), "undo", actor="human") as again:
        again.undo()
        assert again.task(1).status == "pending"
        assert again.claim(1).token == 2


class Restless(MemoryStore):
    """A store in which another process commits first, so many times."""

    def __init__(self, clock: FixedClock, times: int) -> None:
        super().__init__(clock())
        self.times = times

    def commit(self, request: Request, then: Any) -> Any:
        if isinstance(request.commands[0], Undo) and self.times:
            self.times -= 1
            super().commit(replace(request, commands=(CountIteration(),)), return_commit)
        return super().commit(request, then)


def plan_with_concurrent_commits(times: int) -> Plan:
    clock = FixedClock()
    store = Restless(clock, times)
    command = CreatePlan("plan_test", "Goal")
    store.commit(Request((command,), "test", clock()), return_commit)
    plan = Plan(PlanCore(store, clock, lambda: "plan_next", "tester"))
    plan.add("a")
    return plan


def test_x7_undo_retries_after_a_concurrent_commit() -> None:
    plan = plan_with_concurrent_commits(19)
    assert plan.undo().revision == 2
    assert plan.tasks() == ()
    assert plan.iteration_count == 19


def test_x7_undo_gives_up_after_many_retries() -> None:
    plan = plan_with_concurrent_commits(20)
    with pytest.raises(InvalidStatus, match="The plan has changed since revision 21") as caught:
        plan.undo()
    assert caught.value.text == "plan_changed_since"
    assert len(plan.tasks()) == 1


def test_x7_concurrent_undos_each_undo_a_different_commit() -> None:
    plan = make_plan(*"abcdefgh")
    undone: list[int] = []
    threads = [Thread(target=lambda: undone.append(plan.undo().revision)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(undone) == list(range(2, 10))
    assert plan.tasks() == ()
    assert_indexes(state_of(plan))
