"""Keys: asking twice is harmless, whatever has happened in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain import commands as c
from outlast.errors import InvalidArgument, InvalidStatus
from outlast.testing.conformance.making import (
    LATER,
    NOW,
    PATIENCE,
    Conformance,
    add,
    do,
    picture,
    refuses,
    refuses_untouched,
    send,
)

if TYPE_CHECKING:
    from outlast.domain.commands import Command
    from outlast.ports.store import Store

_REMEMBERED = 10_000
_ATTEMPT = "0#1"


class KeyConformance(Conformance):
    """What a key that was used before is answered with."""

    def test_x1_a_key_is_answered_as_it_was_then(self) -> None:
        store = self.begun(tasks=1)
        first = do(store, c.Complete(1, "ann", "done"), key="k")
        do(store, c.Reopen(1))
        do(store, c.RemoveTask(1))
        for _ in range(2):
            before = store.read(picture)
            assert do(store, c.Complete(1, "ann", "done"), key="k", now=LATER) == first
            assert store.read(picture) == before
            answer = store.commit(
                (c.Complete(1, "ann", "done"),),
                lambda state, commit: (state.tasks[1].result, state.revision, commit.revision),
                author="bob",
                now=LATER,
                key="k",
            )
            assert answer == ("done", 3, 3)
            store = self.reopen(store)

    def test_x1_a_key_is_refused_for_other_commands(self) -> None:
        store = self.begun()
        do(store, add(), key="k")
        for _ in range(2):
            _refused(store, add("other"))
            _refused(store, add(), add())
            _refused(store, c.Pause())
            _refused(store)
            store = self.reopen(store)

    def test_x1_the_id_of_a_new_plan_does_not_make_it_another_command(self) -> None:
        store = self.begun()
        first = do(store, c.InitializePlan("plan_2", "Goal", (c.NewTask("a"),)), key="k")
        again = do(store, c.InitializePlan("plan_3", "Goal", (c.NewTask("a"),)), key="k")
        assert again == first
        assert store.read(lambda state: state.revision) == 2

    def test_x1_a_key_is_remembered_where_nothing_had_to_change(self) -> None:
        store = self.begun()
        same = c.EditPlan(goal="Test things")
        first = do(store, same, key="k", now=LATER)
        assert (first.changes, first.revision) == ((), 1)
        do(store, c.EditPlan(goal="Changed since"))
        for _ in range(2):
            assert do(store, same, key="k") == first
            assert store.read(lambda state: state.goal) == "Changed since"
            assert [commit.revision for commit in store.since(0)] == [1, 2]
            store = self.reopen(store)

    def test_x1_a_refusal_leaves_its_key_free(self) -> None:
        store = self.begun()
        refuses(InvalidStatus, lambda: do(store, c.Resume(), key="k"))
        do(store, c.Pause())
        assert do(self.reopen(store), c.Resume(), key="k").revision == 3

    def test_x1_a_key_whose_answer_could_not_be_made_is_used_all_the_same(self) -> None:
        store = self.begun()
        try:
            store.commit((add(),), lambda *_: 1 // 0, author="ann", now=NOW, key="k")
        except ZeroDivisionError:
            pass
        else:
            raise AssertionError
        assert do(store, add(), key="k").revision == 2
        assert store.read(lambda state: state.revision) == 2

    def test_x1_one_key_submitted_many_times_is_one_commit(self) -> None:
        store = self.begun()
        futures = [send(store, add(), key="k") for _ in range(20)]
        futures += [send(store, add(), key=f"k{n}") for n in range(5)]
        answers = [future.result(PATIENCE).revision for future in futures]
        assert answers == [2] * 20 + [3, 4, 5, 6, 7]
        assert len(store.since(0)) == 7

    def test_x1_the_last_ten_thousand_keys_are_remembered(self) -> None:
        store = self.begun()
        first = do(store, add(), key="first")
        last = [send(store, key=f"{n}") for n in range(1, _REMEMBERED)][-1]
        assert last.result(PATIENCE).key == f"{_REMEMBERED - 1}"
        assert do(store, add(), key="first") == first
        store = self.reopen(store)
        assert do(store, add(), key="first") == first
        do(store, key=f"{_REMEMBERED}")
        store = self.reopen(store)
        assert do(store, add(), key="first").revision == first.revision + 1
        assert do(store, key="2").revision == first.revision

    def test_x1_the_key_of_an_attempt_is_remembered_while_it_is_open(self) -> None:
        store = self.begun()
        do(store, c.BeginAttempt(None, "tool", "add"))
        made = do(store, add(), key=_ATTEMPT)
        first = do(store, add(), key="first")
        [send(store, key=f"{n}") for n in range(_REMEMBERED)][-1].result(PATIENCE)
        for _ in range(2):
            assert do(store, add(), key=_ATTEMPT) == made
            store = self.reopen(store)
        assert store.read(lambda state: state.revision) == first.revision
        assert do(store, add(), key="first").revision == first.revision + 1
        do(store, c.EndAttempt(_ATTEMPT, "done"))
        do(store, key="one more")
        assert do(self.reopen(store), add(), key=_ATTEMPT).revision == first.revision + 3


def _refused(store: Store, *commands: Command) -> None:
    refusal = refuses_untouched(store, InvalidArgument, lambda: do(store, *commands, key="k"))
    assert (refusal.text, refusal.details["key"]) == ("key_reused", "k")
