"""Questions and answers: whoever is told something changes nothing meanwhile."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from outlast.domain import commands as c
from outlast.errors import InvalidStatus, TaskNotFound
from outlast.testing.conformance.making import (
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
    from collections.abc import Callable

    from outlast.domain.changes import Commit
    from outlast.domain.state import PlanState


class QuestionConformance(Conformance):
    """What may be done while a question is answered, and what may go wrong."""

    def test_x6_a_question_may_ask_again(self) -> None:
        store = self.begun(tasks=2)
        assert store.read(lambda _: store.read(lambda state: len(state.tasks))) == 2
        assert store.read(lambda _: (store.since(1)[0].revision, store.before(2).revision)) == (
            *(2, 1),
        )

    def test_x6_an_answer_may_ask_too(self) -> None:
        store = self.begun()

        def answer(state: PlanState, commit: Commit) -> tuple[int, int]:
            assert store.read(picture) == picture(state)
            return store.read(lambda again: len(again.tasks)), commit.revision

        assert store.commit((add(),), answer, author="ann", now=NOW) == (1, 2)

    def test_x6_a_question_changes_nothing(self) -> None:
        store = self.begun()
        refusal = refuses_untouched(
            store, InvalidStatus, lambda: store.read(lambda _: do(store, add()))
        )
        assert refusal.text == "commit_in_question"
        future = store.read(lambda _: send(store, add()))
        refuses_untouched(store, InvalidStatus, lambda: future.result(PATIENCE))
        assert do(store, add()).revision == 2

    def test_x6_an_answer_changes_nothing_more(self) -> None:
        store = self.begun()
        call = lambda: store.commit(  # noqa: E731 - one call, to be refused
            (add(),), lambda *_: do(store, add()), author="ann", now=NOW
        )
        assert refuses(InvalidStatus, call).text == "commit_in_question"
        assert store.read(lambda state: state.revision) == 2

    def test_x6_a_question_that_fails_is_its_own_affair(self) -> None:
        store = self.begun()
        for error in (ZeroDivisionError("x"), FileNotFoundError(2, "x"), KeyboardInterrupt()):
            _raises(error, partial(store.read, _failing(error)))
            assert do(store, add()).revision == store.read(lambda state: state.revision)

    def test_x1_an_answer_that_fails_leaves_its_commit(self) -> None:
        store = self.begun()
        refused = TaskNotFound("task_not_found", task_id=7)
        for error in (ZeroDivisionError("x"), FileNotFoundError(2, "x"), refused):
            revision = store.read(lambda state: state.revision)
            call = partial(store.commit, (add(),), _failing(error), author="ann", now=NOW)
            _raises(error, call)
            assert store.read(lambda state: state.revision) == revision + 1
        expected = store.read(picture)
        store = self.reopen(store)
        assert store.read(picture) == expected
        assert do(store, c.Complete(1, "ann")).revision == 5

    def test_x6_what_is_no_command_is_no_commit(self) -> None:
        store = self.begun()
        before = store.read(picture)
        wrong: Any = "nothing that a store knows"
        with suppress(Exception):  # any will do: it is a mistake of the caller
            do(store, wrong)
        assert store.read(picture) == before
        assert do(store, add()).revision == 2


def _failing(error: BaseException) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail


def _raises(expected: BaseException, call: Callable[[], object]) -> None:
    raised: BaseException | None = None
    try:
        call()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it has to be the same one
        raised = error
    assert raised is expected
