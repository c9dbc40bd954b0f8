"""X7: any commit that nothing builds on can be undone, any revision read and compared."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

import outlast
from outlast import Commit, NewTask, Plan
from outlast.errors import InvalidArgument, InvalidStatus
from outlast.model.commands import CountIteration, CreatePlan, Skip
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

    from outlast.model.commands import Command

NOT_REVISIONS: list[Any] = [0, -1, True, "5", 2.0, 99]


@pytest.fixture(params=["memory", "files"])
def plan(request: pytest.FixtureRequest, tmp_path: Path) -> Plan:
    where = "memory:" if request.param == "memory" else str(tmp_path)
    return outlast.create_plan(where, "Test things", "looking", actor="human")


def names(plan: Plan) -> list[str]:
    return [task.name for task in plan.tasks()]


def refusal(act: Callable[[], object]) -> InvalidStatus:
    with pytest.raises(InvalidStatus) as caught:
        act()
    return caught.value


def test_x7_a_commit_in_the_middle_is_undone_and_redone(plan: Plan) -> None:
    for name in "abc":
        plan.add(name)
    assert plan.undo(3).revision == 3
    assert names(plan) == ["a", "c"]
    assert plan.history.commits(1)[0].revision == 5
    assert plan.undo(5).revision == 5
    assert names(plan) == ["a", "b", "c"]
    assert plan.undo().revision == 4
    assert names(plan) == ["a", "b"]
    plan.core.read(assert_indexes)


def test_x7_a_refused_undo_names_what_changed_later_and_its_revision(plan: Plan) -> None:
    plan.add("a")
    plan.update(1, name="b")
    plan.update(1, name="c")
    error = refusal(lambda: plan.undo(3))
    assert error.text == "cannot_undo_since"
    assert error.details == {"revision": 3, "what": ["tasks[1].name"], "by": 4}
    assert str(error) == (
        "Revision 3 can no longer be undone: tasks[1].name changed later, last in revision 4; "
        "undo that first"
    )
    plan.undo(4)
    plan.undo(3)
    assert names(plan) == ["a"]


def test_x7_an_undone_commit_is_not_undone_again(plan: Plan) -> None:
    plan.add("a")
    plan.undo(2)
    error = refusal(lambda: plan.undo(2))
    assert (error.text, error.details) == ("already_undone", {"revision": 2, "by": 3})
    plan.undo(3)
    plan.undo(2)
    assert names(plan) == []


def test_x7_facts_alone_are_not_undone(plan: Plan) -> None:
    count_iteration(plan)
    error = refusal(lambda: plan.undo(2))
    assert (error.text, error.details) == ("only_facts", {"revision": 2})
    assert refusal(lambda: plan.undo(1)).text == "cannot_undo_creation"
    assert plan.history.undoable() == []


@pytest.mark.parametrize("revision", NOT_REVISIONS)
def test_x7_an_invalid_revision_is_refused_with_the_range(plan: Plan, revision: Any) -> None:
    plan.add("a")
    for argument, act in (
        ("revision", lambda: plan.undo(revision)),
        ("revision", lambda: plan.as_of(revision)),
        ("old", lambda: plan.history.diff(revision, 1)),
        ("new", lambda: plan.history.diff(1, revision)),
    ):
        with pytest.raises(InvalidArgument, match=f"^{argument}: expected"):
            act()
    with pytest.raises(InvalidArgument, match="revision: expected a whole number from 1 to 2"):
        plan.as_of(3)


def test_x7_a_plan_without_a_past_says_so() -> None:
    clock = FixedClock()
    store = MemoryStore(clock(), keep_history=False)
    twin = make_plan("a")
    command = CreatePlan("plan_test", "Goal")
    store.commit(Request((command,), "test", clock()), return_commit)
    plan = Plan(PlanCore(store, clock, lambda: "plan_next", "tester"))
    plan.add("a")
    for act in (plan.undo, lambda: plan.undo(2)):
        assert refusal(act).text == "nothing_to_undo"
    assert refusal(lambda: plan.as_of(1)).text == "no_past"
    assert plan.history.undoable() == []
    assert twin.history.undoable() != []


def test_x7_undoable_commits_are_listed_newest_first(plan: Plan) -> None:
    plan.add("a")
    plan.add("b", [1])
    plan.update(2, name="c")
    count_iteration(plan)
    plan.undo(4)
    assert [commit.revision for commit in plan.history.undoable()] == [6, 3]
    assert [commit.revision for commit in plan.history.undoable(1)] == [6]
    with pytest.raises(InvalidArgument, match="limit: expected"):
        plan.history.undoable(0)


def test_x7_the_plan_can_be_read_as_of_every_revision(plan: Plan) -> None:
    was = [plan.core.read(snapshot)]
    for act in (
        lambda: plan.add_all([NewTask("a"), NewTask("b", peers=(1,))]),
        plan.start,
        lambda: plan.complete(1, "fine"),
        lambda: plan.undo(4),
        lambda: plan.add_phase("Build"),
        lambda: plan.move(2, phase="build"),
    ):
        act()
        was.append(plan.core.read(snapshot))
    for revision, expected in enumerate(was, 1):
        past = plan.as_of(revision)
        assert past.revision == revision
        assert past.core.read(snapshot) == expected
        assert [commit.revision for commit in past.history.commits()] == [*range(revision, 0, -1)]


def test_x7_the_plan_as_it_was_cannot_be_changed(plan: Plan) -> None:
    plan.add("a")
    past = plan.as_of(2).acting_as("human")
    plan.complete(1)
    for act in (
        lambda: past.add("b"),
        lambda: past.complete(1),
        past.undo,
        lambda: past.undo(2),
        lambda: past.core.commit((Skip(1),), return_commit),
        lambda: state_store(past).submit(
            Request((Skip(1),), "ann", past.core.now()), return_commit
        ),
    ):
        error = refusal(act)
        assert (error.text, error.details) == ("plan_read_only", {"revision": 2})
    assert past.task(1).status == "pending"
    assert past.history.undoable() == past.history.commits(1)
    assert past.notices == []
    past.history.subscribe(lambda _: None)()
    with past:
        pass
    assert plan.add("still open").id == 2


def state_store(plan: Plan) -> Any:
    return plan.core.store


def test_x7_an_earlier_revision_has_its_own_history(plan: Plan) -> None:
    for name in "abc":
        plan.add(name)
    past = plan.as_of(3)
    assert names(past.as_of(2)) == ["a"]
    with pytest.raises(InvalidArgument, match="from 1 to 3"):
        past.as_of(4)
    assert [one.id for one in past.history.diff(2)] == [2]


def test_x7_two_revisions_are_compared(plan: Plan) -> None:
    plan.add("a")
    plan.update(1, name="b")
    plan.complete(1, "fine")
    found = [(one.kind, one.id, one.field, one.old, one.new) for one in plan.history.diff(2, 4)]
    assert found == [
        ("changed", 1, "name", "a", "b"),
        ("changed", 1, "status", "pending", "completed"),
        ("changed", 1, "result", None, "fine"),
        ("changed", 1, "how", "", "reported"),
        ("changed", 1, "actor", "", "human"),
    ]
    assert plan.history.diff(2) == plan.history.diff(2, 4)
    assert plan.history.diff(3, 3) == []
    back = [(one.field, one.old, one.new) for one in plan.history.diff(4, 3)]
    assert back[0] == ("status", "completed", "pending")


def test_x7_another_handle_reads_and_undoes_the_history_of_this_one(tmp_path: Path) -> None:
    with outlast.create_plan(str(tmp_path), "Test things", "looking", actor="human") as plan:
        plan.add("a")
        plan.add("b")
        with outlast.open_plan(str(tmp_path), "looking", actor="human") as other:
            other.undo(2)
            assert names(other.as_of(3)) == ["a", "b"]
        assert names(plan) == ["b"]
        assert refusal(lambda: plan.undo(2)).text == "already_undone"


class Restless(MemoryStore):
    """A store in which another process commits each time before an undo is committed."""

    def __init__(self, clock: FixedClock, meanwhile: list[Command]) -> None:
        super().__init__(clock())
        self.meanwhile = meanwhile

    def commit(self, request: Request, then: Any) -> Any:
        if type(request.commands[0]).__name__ == "Undo" and self.meanwhile:
            super().commit(replace(request, commands=(self.meanwhile.pop(0),)), return_commit)
        return super().commit(request, then)


def plan_with_concurrent_commits(*meanwhile: Command) -> Plan:
    clock = FixedClock()
    store = Restless(clock, [*meanwhile])
    command = CreatePlan("plan_test", "Goal")
    store.commit(Request((command,), "test", clock()), return_commit)
    plan = Plan(PlanCore(store, clock, lambda: "plan_next", "tester"))
    plan.add("a")
    plan.add("b")
    return plan


def test_x7_an_undo_is_computed_again_after_a_concurrent_commit() -> None:
    plan = plan_with_concurrent_commits(CountIteration(), Skip(2))
    plan.undo(2)
    assert names(plan) == ["b"]
    assert plan.task(2).status == "skipped"


def test_x7_an_undo_is_refused_when_a_concurrent_commit_builds_on_it() -> None:
    plan = plan_with_concurrent_commits(Skip(1))
    assert refusal(lambda: plan.undo(2)).details["by"] == 4
    assert names(plan) == ["a", "b"]


def test_x7_of_several_concurrent_undos_of_one_commit_one_succeeds() -> None:
    plan = make_plan(*"abcdefgh")
    done: list[Commit | str] = []

    def act() -> None:
        try:
            done.append(plan.undo(4))
        except InvalidStatus as error:
            done.append(error.text)

    threads = [Thread(target=act) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done.count("already_undone") == 7
    assert names(plan) == [*"abdefgh"]
    assert_indexes(state_of(plan))
