"""The past: which commits there were, and what the plan was like before each."""

from __future__ import annotations

from msgspec.structs import replace

from outlast.domain import commands as c
from outlast.domain.apply import fold
from outlast.domain.state import PlanState
from outlast.testing.conformance.everything import everything
from outlast.testing.conformance.making import BEGINNING, LATER, NOW, Conformance, add, do, picture


class HistoryConformance(Conformance):
    """What `since` and `before` answer."""

    def test_x7_commits_are_numbered_from_one_without_gaps(self) -> None:
        store = self.begun(tasks=1)
        made = [do(store, add()) for _ in range(5)]
        for _ in range(2):
            assert [commit.revision for commit in store.since(0)] == [1, 2, 3, 4, 5, 6, 7]
            assert store.since(2) == made
            assert store.since(6) == made[-1:]
            assert store.since(7) == store.since(99) == []
            assert store.since(-3) == store.since(0)
            store = self.reopen(store)

    def test_x7_the_plan_before_every_commit_is_what_it_was(self) -> None:
        store = self.make(replace(BEGINNING, title="Title"), author="ann", now=NOW)
        were = []
        for commands in everything():
            were.append(store.read(picture))
            do(store, *commands, now=NOW)
        were.append(store.read(picture))
        for _ in range(2):
            for revision, expected in enumerate(were, 2):
                assert picture(store.before(revision)) == expected
            store = self.reopen(store)
        assert store.before(1).revision == store.before(0).revision == 0
        assert picture(store.before(999)) == were[-1]

    def test_x1_the_commits_alone_make_the_plan_again(self) -> None:
        store = self.make(replace(BEGINNING, title="Title"), author="ann", now=NOW)
        for commands in everything():
            do(store, *commands)
        again = PlanState(LATER)
        for commit in store.since(0):
            fold(again, commit.changes, commit.revision, commit.at)
        assert picture(again) == store.read(picture)

    def test_x7_the_plan_of_then_belongs_to_the_asker(self) -> None:
        store = self.begun(tasks=3)
        expected = store.read(picture)
        old = store.before(99)
        commit = do(store, c.Complete(1, "ann"))
        do(store, c.Reopen(1))
        now = store.read(picture)
        fold(old, commit.changes, commit.revision, commit.at)
        assert store.read(picture) == now
        assert picture(store.before(3)) == expected

    def test_f11_order_comes_from_revisions_not_from_clocks(self) -> None:
        store = self.begun(tasks=1)
        late = do(store, add(), now=LATER)
        early = do(store, add(), now=NOW)
        store = self.reopen(store)
        assert store.since(2) == [late, early]
        assert store.before(early.revision).updated_at == LATER
        assert store.read(lambda state: state.updated_at) == NOW
