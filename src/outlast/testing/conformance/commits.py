"""Commits: all or none, numbered, with author, reason and time."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, get_args

from msgspec.structs import replace

from outlast.errors import InvalidArgument, InvalidStatus, TaskClaimed, TaskNotFound
from outlast.model import commands as c
from outlast.model.changes import Change, IdsSkipped, LoopRestored, PlanRestored, TaskRestored
from outlast.model.execute import return_commit
from outlast.redact.fast import TEXT_BYTES
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
    expect_refusal,
)

if TYPE_CHECKING:
    from outlast.store.port import Store


class CommitConformance(Conformance):
    """What a commit keeps, and what it refuses."""

    def test_m1_a_new_store_has_the_plan_that_was_begun(self) -> None:
        store = self.make_plan()
        [created] = store.commits_since(0)
        assert (created.revision, created.author, created.at) == (1, "ann", NOW)
        assert store.read(lambda state: (state.goal, state.key, state.revision)) == (
            *("Test things", "some-key", 1),
        )
        assert store.notices == []

    def test_x1_every_kind_of_command_is_kept(self) -> None:
        store = self.make(replace(CREATE_PLAN, title="Title"), author="ann", now=NOW)
        seen: set[type] = {c.CreatePlan}
        for commands in all_commands():
            seen.update(map(type, commands))
            before = store.read(lambda state: state.revision)
            assert commit(store, *commands).revision == before + 1
            kept, past = store.read(encode_state), store.commits_since(0)
            store = self.reopen(store)
            assert store.read(encode_state) == kept
            assert store.commits_since(0) == past
        assert seen == set(get_args(c.Command))
        assert {type(change) for commit in past for change in commit.changes} >= _MADE_BY_COMMANDS

    def test_x1_commands_together_are_kept_all_or_none(self) -> None:
        store = self.make_plan(tasks=2)
        several = (add_task(), c.Start("ann", 1), c.Complete(1, "ann"), c.RemoveTask(99))
        expect_refusal(store, TaskNotFound, lambda: commit(store, *several))
        assert commit(store, *several[:3]).revision == 3
        assert store.read(lambda state: [*state.tasks]) == [1, 2, 3]

    def test_m9_a_refusal_changes_nothing_and_says_what_is_wrong(self) -> None:
        store = self.make_plan(tasks=1)
        refusal = expect_refusal(store, TaskNotFound, lambda: commit(store, c.Complete(7, "ann")))
        assert refusal.code == "TASK_NOT_FOUND"
        expect_refusal(store, InvalidStatus, lambda: commit(store, c.Resume()))
        assert self.reopen(store).read(lambda state: state.revision) == 2

    def test_x1_commands_are_decided_on_what_the_ones_before_left(self) -> None:
        store = self.make_plan(tasks=1)
        answer = store.commit(
            Request((add_task("second"), c.Complete(1, "ann", "done")), "ann", NOW),
            lambda state, commit: (state.tasks[1].result, [*state.tasks], commit.revision),
        )
        assert answer == ("done", [1, 2], 3)

    def test_x1_who_when_and_why_are_kept(self) -> None:
        store = self.make_plan()
        made = store.commit(
            Request((add_task(),), "human", LATER, reason="五\n", key="k", person="Ada Ä"),
            return_commit,
        )
        assert (made.author, made.at, made.reason, made.key) == ("human", LATER, "五\n", "k")
        assert made.person == "Ada Ä"
        assert store.read(lambda state: state.updated_at) == LATER
        assert store.commits_since(1) == [made]
        assert self.reopen(store).commits_since(1) == [made]

    def test_x1_what_changes_nothing_is_no_revision(self) -> None:
        store = self.make_plan(tasks=1)
        before = store.read(encode_state)
        for commands in ((), (c.AddTasks(()),), (c.EditPlan(goal="Test things"),)):
            assert commit(store, *commands, now=LATER).changes == ()
        assert store.read(encode_state) == before
        assert [entry.revision for entry in store.commits_since(0)] == [1, 2]
        assert commit(store, add_task()).revision == 3

    def test_m9_an_author_a_reason_a_key_and_a_name_are_looked_at_first(self) -> None:
        store = self.make_plan()
        for author in ("", "  ", "a\nb", "\ud800", "x" * 1001):
            _expect_argument_refused(self.make_plan(), author=author)
        for reason in ("\ud800", "x" * (TEXT_BYTES + 1)):
            _expect_argument_refused(store, reason=reason)
        for key in (" ", "a\nb", "\ud800", "x" * 1001):
            _expect_argument_refused(store, key=key)
            _expect_argument_refused(store, person=key)
        assert (
            store.commit(Request((add_task(),), "Ann Ä-1", NOW), return_commit).author == "Ann Ä-1"
        )

    def test_m9_a_text_that_cannot_be_written_is_refused_with_a_key_or_without(self) -> None:
        store = self.make_plan()
        expect_refusal(store, InvalidArgument, lambda: commit(store, add_task("\ud800")))
        expect_refusal(store, InvalidArgument, lambda: commit(store, add_task("\ud800"), key="k"))

    def test_f15_long_texts_and_many_tasks_are_kept(self) -> None:
        store = self.make_plan()
        long = c.NewTask("long", reasoning="ä" * (TEXT_BYTES // 2))
        chain = (c.NewTask(f"{n}", peers=(n,) if n else ()) for n in range(2000))
        commit(store, c.AddTasks((*chain, long)))
        expected = store.read(encode_state)
        store = self.reopen(store)
        assert store.read(encode_state) == expected
        assert store.read(lambda state: state.tasks[2001].reasoning) == long.reasoning

    def test_x6_claims_and_attempts_outlive_a_process(self) -> None:
        store = self.make_plan(tasks=2)
        commit(store, c.Claim("ann", 1, 60))
        commit(store, c.BeginAttempt(1, "command", "make", "digest", 1))
        store = self.reopen(store)
        ledger = store.read(lambda state: deepcopy(state.ledger))
        assert (ledger.leases[1].holder, ledger.leases[1].token) == ("ann", 1)
        assert ledger.attempts["1#1"].digest == "digest"
        expect_refusal(store, TaskClaimed, lambda: commit(store, c.Start("bob", 1)))
        commit(store, c.Claim("bob", 1, 60), now=LATER)
        assert store.read(lambda state: state.ledger.leases[1].token) == 2
        assert self.reopen(store).read(lambda state: state.ledger.last_token) == 2


_MADE_BY_COMMANDS = set(get_args(Change)) - {LoopRestored, IdsSkipped, PlanRestored, TaskRestored}


def _expect_argument_refused(
    store: Store, author: str = "ann", reason: str = "", key: str = "", person: str = ""
) -> None:
    refusal = expect_refusal(
        store,
        InvalidArgument,
        lambda: store.commit(
            Request((add_task(),), author, NOW, reason=reason, key=key, person=person),
            return_commit,
        ),
    )
    assert refusal.details["argument"] in ("author", "reason", "key", "person")
