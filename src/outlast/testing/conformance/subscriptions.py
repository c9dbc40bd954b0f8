"""Subscriptions: each commit is delivered once and in order; callbacks: what they may do."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from outlast.errors import InvalidStatus, PlanClosed, TaskNotFound
from outlast.model import commands as c
from outlast.store.port import Request
from outlast.testing.conformance.base import (
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
    from collections.abc import Callable

    from outlast.model.changes import Commit
    from outlast.model.state import PlanState

    Commits = SimpleQueue[Commit]
    Revisions = SimpleQueue[int]

_QUIET_SECONDS = 0.3  # long enough for a commit to arrive


class SubscriptionConformance(Conformance):
    """What a subscriber receives."""

    def test_x6_every_commit_is_delivered_once_and_in_order(self) -> None:
        store = self.make_plan(tasks=2)
        delivered: Commits = SimpleQueue()
        end = store.subscribe(delivered.put)
        made = [commit(store, add_task()) for _ in range(20)]
        commit(store)  # changes nothing
        assert [delivered.get(timeout=TIMEOUT) for _ in made] == made
        made = [commit(store, add_task(), add_task()), commit(store, add_task())]
        assert [delivered.get(timeout=TIMEOUT) for _ in made] == made
        end()
        end()
        commit(store, add_task())
        assert _is_quiet(delivered)

    def test_x6_a_subscriber_that_fails_receives_the_next_commit(self) -> None:
        store = self.make_plan()
        delivered: Revisions = SimpleQueue()

        def fail(commit: Commit) -> None:
            delivered.put(commit.revision)
            raise ZeroDivisionError

        end = store.subscribe(fail)
        commit(store, add_task())
        commit(store, add_task())
        assert [delivered.get(timeout=TIMEOUT) for _ in range(2)] == [2, 3]
        end()

    def test_x6_a_subscriber_that_leaves_during_delivery_receives_no_more(self) -> None:
        store = self.make_plan()
        delivered: Revisions = SimpleQueue()

        def leave(commit: Commit) -> None:
            end()
            delivered.put(commit.revision)

        end = store.subscribe(leave)
        for _ in range(5):
            commit(store, add_task())
        assert delivered.get(timeout=TIMEOUT) == 2
        assert _is_quiet(delivered)

    def test_x6_ending_delivers_what_was_committed_before(self) -> None:
        store = self.make_plan()
        delivered: list[Commit] = []
        end = store.subscribe(delivered.append)
        made = [commit(store, add_task()) for _ in range(5)]
        end()
        assert delivered == made
        commit(store, add_task())
        end()
        assert delivered == made

    def test_x6_closing_delivers_what_was_committed_before(self) -> None:
        store = self.make_plan()
        first: list[Commit] = []
        second: list[Commit] = []
        store.subscribe(first.append)
        made = [commit(store, add_task())]
        store.subscribe(second.append)
        made += [submit(store, add_task()).result(TIMEOUT) for _ in range(5)]
        store.close()
        assert (first, second) == (made, made[1:])

    def test_x6_a_subscriber_may_close_the_store(self) -> None:
        store = self.make_plan()
        delivered: Revisions = SimpleQueue()

        def close(commit: Commit) -> None:
            delivered.put(commit.revision)
            store.close()

        store.subscribe(close)
        commit(store, add_task())
        with suppress(PlanClosed):
            commit(store, add_task())
        assert delivered.get(timeout=TIMEOUT) == 2

    def test_x6_a_closed_store_delivers_nothing(self) -> None:
        store = self.make_plan()
        delivered: Revisions = SimpleQueue()
        store.subscribe(lambda commit: delivered.put(commit.revision))
        store.close()
        with suppress(PlanClosed):  # a plan in memory is gone
            commit(self.reopen(store), add_task())
        assert _is_quiet(delivered)


def _is_quiet(delivered: Commits | Revisions) -> bool:
    try:
        delivered.get(timeout=_QUIET_SECONDS)
    except Empty:
        return True
    return False


class CallbackConformance(Conformance):
    """What a callback may do, and what happens when it fails."""

    def test_x6_a_read_may_read_again(self) -> None:
        store = self.make_plan(tasks=2)
        assert store.read(lambda _: store.read(lambda state: len(state.tasks))) == 2
        assert store.read(
            lambda _: (store.commits_since(1)[0].revision, store.state_before(2).revision)
        ) == (*(2, 1),)

    def test_x6_an_answer_may_read(self) -> None:
        store = self.make_plan()

        def answer(state: PlanState, commit: Commit) -> tuple[int, int]:
            assert store.read(encode_state) == encode_state(state)
            return store.read(lambda again: len(again.tasks)), commit.revision

        assert store.commit(Request((add_task(),), "ann", NOW), answer) == (1, 2)

    def test_x6_a_read_cannot_commit(self) -> None:
        store = self.make_plan()
        refusal = expect_refusal(
            store, InvalidStatus, lambda: store.read(lambda _: commit(store, add_task()))
        )
        assert refusal.text == "commit_in_question"
        future = store.read(lambda _: submit(store, add_task()))
        expect_refusal(store, InvalidStatus, lambda: future.result(TIMEOUT))
        assert commit(store, add_task()).revision == 2

    def test_x6_an_answer_cannot_commit(self) -> None:
        store = self.make_plan()
        request = Request((add_task(),), "ann", NOW)
        refusal = expect_error(
            InvalidStatus, lambda: store.commit(request, lambda *_: commit(store, add_task()))
        )
        assert refusal.text == "commit_in_question"
        assert store.read(lambda state: state.revision) == 2

    def test_x6_a_failing_read_does_not_harm_the_store(self) -> None:
        store = self.make_plan()
        for error in (ZeroDivisionError("x"), FileNotFoundError(2, "x"), KeyboardInterrupt()):
            _expect_same_error(error, partial(store.read, _make_failing(error)))
            assert commit(store, add_task()).revision == store.read(lambda state: state.revision)

    def test_x1_an_answer_that_fails_leaves_its_commit(self) -> None:
        store = self.make_plan()
        refused = TaskNotFound("task_not_found", task_id=7)
        for error in (ZeroDivisionError("x"), FileNotFoundError(2, "x"), refused):
            revision = store.read(lambda state: state.revision)
            request = Request((add_task(),), "ann", NOW)
            call = partial(store.commit, request, _make_failing(error))
            _expect_same_error(error, call)
            assert store.read(lambda state: state.revision) == revision + 1
        expected = store.read(encode_state)
        store = self.reopen(store)
        assert store.read(encode_state) == expected
        assert commit(store, c.Complete(1, "ann")).revision == 5

    def test_x6_what_is_no_command_is_no_commit(self) -> None:
        store = self.make_plan()
        before = store.read(encode_state)
        wrong: Any = "nothing that a store knows"
        with suppress(Exception):  # any will do: it is a mistake of the caller
            commit(store, wrong)
        assert store.read(encode_state) == before
        assert commit(store, add_task()).revision == 2


def _make_failing(error: BaseException) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail


def _expect_same_error(expected: BaseException, call: Callable[[], object]) -> None:
    raised: BaseException | None = None
    try:
        call()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it has to be the same one
        raised = error
    assert raised is expected
