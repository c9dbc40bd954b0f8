"""History: the commits of a plan, and its state before each."""

from __future__ import annotations

import re

from msgspec.structs import replace

from outlast.model import commands as c
from outlast.model.changes import fold
from outlast.model.state import PlanState
from outlast.store.port import Request
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
    """What `commits_since`, `history` and `state_before` return."""

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

    def test_f23_a_long_history_is_read_in_either_direction_from_any_revision(self) -> None:
        store = self.make_plan(tasks=1)
        edits = [c.EditTask(1, description=f"{number}" * 60_000) for number in range(5)]
        made = []
        for text in ("x", "y"):
            made += [commit(store, *edits), commit(store, c.EditTask(1, description=""))]
            made += [commit(store, c.EditTask(1, name=f"{text} {n}")) for n in range(120)]
            commit(store, key=f"without a change after {text}")
        for _ in range(2):
            everything = store.commits_since(0)
            assert everything[2:] == made
            for since in (0, 1, 2, 3, 4, 123, 124, 125, 126, 127, 200, 245, 246, 999):
                history, expected = store.history(since), everything[since:]
                for _ in range(2):
                    assert [*history] == expected
                    assert [*reversed(history)] == expected[::-1]
                assert store.commits_since(since) == expected
            store = self.reopen(store)

    def test_f23_commits_made_meanwhile_do_not_join_a_history(self) -> None:
        store = self.make_plan(tasks=1)
        history = store.history()
        before = [*history]
        reading = iter(history)
        assert next(reading) == before[0]
        commit(store, add_task())
        assert [before[0], *reading] == [*history] == [*reversed(history)][::-1] == before
        assert len([*store.history()]) == len(before) + 1

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

    def test_f19_the_mark_of_a_revision_is_the_checksum_of_its_commit(self) -> None:
        store = self.make_plan(tasks=1)
        long = [commit(store, add_task("x" * 1000)) for _ in range(99)][-1]
        commit(store, key="without a change")
        marks = [store.mark_of(revision) for revision in range(1, long.revision + 1)]
        assert all(re.fullmatch("[0-9a-f]{8}", mark) for mark in marks)
        assert len(set(marks)) == len(marks)
        for _ in range(2):
            assert marks[-1] == store.mark_of(long.revision)
            assert marks == [store.mark_of(revision) for revision in range(1, long.revision + 1)]
            assert {store.mark_of(revision) for revision in (-1, 0, long.revision + 1)} == {""}
            store = self.reopen(store)

    def test_f19_the_mark_of_a_new_revision_is_ready_for_its_answer(self) -> None:
        store = self.make_plan(tasks=1)
        request = Request((add_task(),), "ann", NOW)
        mark = store.commit(request, lambda state, _: store.mark_of(state.revision))
        assert mark == store.mark_of(3) != ""

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
