"""Keys: repeating a commit under its key has no effect, whatever happened in between."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from outlast.errors import InvalidArgument, InvalidStatus, TaskNotFound
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.store.port import Request
from outlast.testing.conformance.base import (
    LATER,
    NOW,
    TIMEOUT,
    Conformance,
    add_task,
    commit,
    encode_state,
    expect_error,
    expect_refusal,
    submit,
)

if TYPE_CHECKING:
    from outlast.model.commands import Command
    from outlast.model.execute import Attempt
    from outlast.model.state import PlanState
    from outlast.store.port import Store

_REMEMBERED = 10_000
_ATTEMPT = "0#1"


class KeyConformance(Conformance):
    """What a store answers to a key that was used before."""

    def test_x1_a_key_is_answered_as_it_was_then(self) -> None:
        store = self.make_plan(tasks=1)
        first = commit(store, c.Complete(1, "ann", "done"), key="k")
        commit(store, c.Reopen(1))
        commit(store, c.RemoveTask(1))
        for _ in range(2):
            before = store.read(encode_state)
            assert commit(store, c.Complete(1, "ann", "done"), key="k", now=LATER) == first
            assert store.read(encode_state) == before
            answer = store.commit(
                Request((c.Complete(1, "ann", "done"),), "bob", LATER, key="k"),
                lambda state, commit: (state.tasks[1].result, state.revision, commit.revision),
            )
            assert answer == ("done", 3, 3)
            store = self.reopen(store)

    def test_f20_a_composed_commit_is_made_of_what_is_accepted(self) -> None:
        store = self.make_plan(tasks=1)

        def compose(state: PlanState, attempt: Attempt) -> None:
            assert list(state.tasks) == [1]
            added = attempt((add_task("first"),))
            expect_error(TaskNotFound, lambda: attempt((add_task("second"), c.RemoveTask(99))))
            attempt((c.EditTask(2, name="other"),))
            expect_error(InvalidStatus, lambda: store.commit(request, return_commit))
            assert store.read(lambda now: now.tasks[2].name) == "other"
            assert len(added) == 1

        request = Request((), "ann", NOW, key="k", compose=compose)
        made = store.commit(request, return_commit)
        for _ in range(2):
            assert (made.revision, len(made.changes), made.key) == (3, 2, "k")
            assert store.read(lambda state: [task.name for task in state.tasks.values()]) == [
                "task 1",
                "other",
            ]
            before = store.read(encode_state)
            expect_error(InvalidArgument, partial(store.commit, request, return_commit))
            nothing = Request((), "ann", LATER, key="n", compose=lambda _state, _attempt: None)
            assert store.commit(nothing, return_commit).changes == ()
            assert store.commit(nothing, return_commit).changes == (), "no key is taken"
            assert store.read(encode_state) == before
            store = self.reopen(store)

    def test_x1_a_key_is_refused_for_other_commands(self) -> None:
        store = self.make_plan()
        commit(store, add_task(), key="k")
        for _ in range(2):
            _expect_key_refused(store, add_task("other"))
            _expect_key_refused(store, add_task(), add_task())
            _expect_key_refused(store, c.Pause())
            _expect_key_refused(store)
            store = self.reopen(store)

    def test_x1_the_id_of_a_new_plan_does_not_make_it_another_command(self) -> None:
        store = self.make_plan()
        first = commit(store, c.InitializePlan("plan_2", "Goal", (c.NewTask("a"),)), key="k")
        again = commit(store, c.InitializePlan("plan_3", "Goal", (c.NewTask("a"),)), key="k")
        assert again == first
        assert store.read(lambda state: state.revision) == 2

    def test_x1_a_key_is_remembered_where_nothing_had_to_change(self) -> None:
        store = self.make_plan()
        same = c.EditPlan(goal="Test things")
        first = commit(store, same, key="k", now=LATER)
        assert (first.changes, first.revision) == ((), 1)
        commit(store, c.EditPlan(goal="Changed since"))
        for _ in range(2):
            assert commit(store, same, key="k") == first
            assert store.read(lambda state: state.goal) == "Changed since"
            assert [entry.revision for entry in store.commits_since(0)] == [1, 2]
            store = self.reopen(store)

    def test_x1_a_refusal_leaves_its_key_free(self) -> None:
        store = self.make_plan()
        expect_error(InvalidStatus, lambda: commit(store, c.Resume(), key="k"))
        commit(store, c.Pause())
        assert commit(self.reopen(store), c.Resume(), key="k").revision == 3

    def test_x1_a_key_whose_answer_could_not_be_made_is_used_all_the_same(self) -> None:
        store = self.make_plan()
        try:
            store.commit(Request((add_task(),), "ann", NOW, key="k"), lambda *_: 1 // 0)
        except ZeroDivisionError:
            pass
        else:
            raise AssertionError
        assert commit(store, add_task(), key="k").revision == 2
        assert store.read(lambda state: state.revision) == 2

    def test_x1_one_key_submitted_many_times_is_one_commit(self) -> None:
        store = self.make_plan()
        futures = [submit(store, add_task(), key="k") for _ in range(20)]
        futures += [submit(store, add_task(), key=f"k{n}") for n in range(5)]
        answers = [future.result(TIMEOUT).revision for future in futures]
        assert answers == [2] * 20 + [3, 4, 5, 6, 7]
        assert len(store.commits_since(0)) == 7

    def test_x1_the_last_ten_thousand_keys_are_remembered(self) -> None:
        store = self.make_plan()
        first = commit(store, add_task(), key="first")
        last = [submit(store, key=f"{n}") for n in range(1, _REMEMBERED)][-1]
        assert last.result(TIMEOUT).key == f"{_REMEMBERED - 1}"
        assert commit(store, add_task(), key="first") == first
        store = self.reopen(store)
        assert commit(store, add_task(), key="first") == first
        commit(store, key=f"{_REMEMBERED}")
        store = self.reopen(store)
        assert commit(store, add_task(), key="first").revision == first.revision + 1
        assert commit(store, key="2").revision == first.revision

    def test_x1_the_key_of_an_attempt_is_remembered_while_it_is_open(self) -> None:
        store = self.make_plan()
        commit(store, c.BeginAttempt(None, "tool", "add"))
        made = commit(store, add_task(), key=_ATTEMPT)
        first = commit(store, add_task(), key="first")
        [submit(store, key=f"{n}") for n in range(_REMEMBERED)][-1].result(TIMEOUT)
        for _ in range(2):
            assert commit(store, add_task(), key=_ATTEMPT) == made
            store = self.reopen(store)
        assert store.read(lambda state: state.revision) == first.revision
        assert commit(store, add_task(), key="first").revision == first.revision + 1
        commit(store, c.EndAttempt(_ATTEMPT, "done"))
        commit(store, key="one more")
        assert commit(self.reopen(store), add_task(), key=_ATTEMPT).revision == first.revision + 3


def _expect_key_refused(store: Store, *commands: Command) -> None:
    refusal = expect_refusal(store, InvalidArgument, lambda: commit(store, *commands, key="k"))
    assert (refusal.text, refusal.details["key"]) == ("key_reused", "k")
