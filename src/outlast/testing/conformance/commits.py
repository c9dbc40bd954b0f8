"""Commits: all or none, numbered, with author, reason and time; made once under a key."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, get_args

from msgspec.structs import replace

from outlast.errors import InvalidArgument, InvalidStatus, TaskClaimed, TaskNotFound
from outlast.model import commands as c
from outlast.model.changes import Change, IdsSkipped, LoopRestored, PlanRestored, TaskRestored
from outlast.model.execute import Attempt, return_commit
from outlast.redact.text_fields import TEXT_BYTES
from outlast.store.port import Request, Store
from outlast.testing.conformance.all_commands import all_commands
from outlast.testing.conformance.base import (
    CREATE_PLAN,
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
    from outlast.model.state import PlanState

_REMEMBERED = 10_000
_ATTEMPT = "0#1"


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


def _expect_key_refused(store: Store, *commands: c.Command) -> None:
    refusal = expect_refusal(store, InvalidArgument, lambda: commit(store, *commands, key="k"))
    assert (refusal.text, refusal.details["key"]) == ("key_reused", "k")
