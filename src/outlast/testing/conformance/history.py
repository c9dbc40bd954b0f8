"""History: the commits of a plan, and its state before each."""

from __future__ import annotations

from msgspec.structs import replace

from outlast.domain import commands as c
from outlast.domain.changes import fold
from outlast.domain.state import PlanState
from outlast.testing.conformance.all_commands import all_commands
from outlast.testing.conformance.base import (
    CREATE_PLAN,
    LATER,
    NOW,
    Conformance,
    add_task,
    commit,
    encode_state,
)


class HistoryConformance(Conformance):
    """What `commits_since` and `state_before` return."""

    def test_x7_commits_are_numbered_from_one_without_gaps(self) -> None:
        store = self.make_plan(tasks=1)
        made = [commit(store, add_task()) for _ in range(5)]
        for _ in range(2):
            assert [entry.revision for entry in store.commits_since(0)] == [1, 2, 3, 4, 5, 6, 7]
            assert store.commits_since(2) == made
            assert store.commits_since(6) == made[-1:]
            assert store.commits_since(7) == store.commits_since(99) == []
            assert store.commits_since(-3) == store.commits_since(0)
            store = self.reopen(store)

    def test_x7_the_plan_before_every_commit_is_what_it_was(self) -> None:
        store = self.make(replace(CREATE_PLAN, title="Title"), author="ann", now=NOW)
        were = []
        for commands in all_commands():
            were.append(store.read(encode_state))
            commit(store, *commands, now=NOW)
        were.append(store.read(encode_state))
        for _ in range(2):
            for revision, expected in enumerate(were, 2):
                assert encode_state(store.state_before(revision)) == expected
            store = self.reopen(store)
        assert store.state_before(1).revision == store.state_before(0).revision == 0
        assert encode_state(store.state_before(999)) == were[-1]

    def test_x1_the_commits_alone_make_the_plan_again(self) -> None:
        store = self.make(replace(CREATE_PLAN, title="Title"), author="ann", now=NOW)
        for commands in all_commands():
            commit(store, *commands)
        again = PlanState(LATER)
        for made in store.commits_since(0):
            fold(again, made.changes, made.revision, made.at)
        assert encode_state(again) == store.read(encode_state)

    def test_x7_the_plan_of_then_belongs_to_the_asker(self) -> None:
        store = self.make_plan(tasks=3)
        expected = store.read(encode_state)
        old = store.state_before(99)
        made = commit(store, c.Complete(1, "ann"))
        commit(store, c.Reopen(1))
        now = store.read(encode_state)
        fold(old, made.changes, made.revision, made.at)
        assert store.read(encode_state) == now
        assert encode_state(store.state_before(3)) == expected

    def test_f11_order_comes_from_revisions_not_from_clocks(self) -> None:
        store = self.make_plan(tasks=1)
        late = commit(store, add_task(), now=LATER)
        early = commit(store, add_task(), now=NOW)
        store = self.reopen(store)
        assert store.commits_since(2) == [late, early]
        assert store.state_before(early.revision).updated_at == LATER
        assert store.read(lambda state: state.updated_at) == NOW
