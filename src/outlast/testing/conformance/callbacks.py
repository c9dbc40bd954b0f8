"""Callbacks: a function that reads the plan, or answers a commit, must not change the plan."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from outlast.errors import InvalidStatus, TaskNotFound
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
