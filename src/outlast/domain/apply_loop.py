"""How what a loop counts, asks and is told alters the fold.

Talk, strikes and books, but for what was spent, are replaced and never altered: whoever holds the
old ones keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.domain import loop_changes as c
from outlast.domain.budget import NO_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.model import Question
    from outlast.domain.state import PlanState

_ANSWERED: Final = 5  # questions that are kept when they are answered
_STRUCK: Final = 100  # parameters that are kept of a tool


def count_in(state: PlanState, task: int) -> None:
    """Count an iteration for a task, if it is in progress."""
    found = state.tasks.get(task)
    if found is not None and found.status == "in_progress":
        books = state.ledger.books
        counts = {**books.iterations, task: books.iterations.get(task, 0) + 1}
        state.ledger.book(iterations=counts)


def _budget_set(state: PlanState, change: c.BudgetSet, _at: datetime) -> None:
    budgets = {**state.ledger.books.budgets, change.task: change.budget}
    if change.budget == NO_LIMIT:
        del budgets[change.task]
    state.ledger.book(budgets=budgets)


def _charged(state: PlanState, change: c.Charged, _at: datetime) -> None:
    state.ledger.charge(change.task, change.spend, change.planning)


def _question_asked(state: PlanState, change: c.QuestionAsked, _at: datetime) -> None:
    talk, question = state.ledger.talk, change.question
    questions = {**talk.questions, question.id: question}
    state.ledger.record_message(questions=questions, asked=max(talk.asked, question.id))


def _question_answered(state: PlanState, change: c.QuestionAnswered, _at: datetime) -> None:
    questions = state.ledger.talk.questions
    answered = replace(questions[change.id], answer=change.answer)
    state.ledger.record_message(questions=_recent({**questions, change.id: answered}))


def _recent(questions: dict[int, Question]) -> dict[int, Question]:
    """Return the open questions, and the last few answered ones."""
    answered = [one for one, question in questions.items() if question.answer is not None]
    old = set(answered[:-_ANSWERED])
    return {one: question for one, question in questions.items() if one not in old}


def _interjected(state: PlanState, change: c.Interjected, _at: datetime) -> None:
    talk, said = state.ledger.talk, change.said
    state.ledger.record_message(said=(*talk.said, said), spoken=max(talk.spoken, said.id))


def _interjections_taken(state: PlanState, change: c.InterjectionsTaken, _at: datetime) -> None:
    said = state.ledger.talk.said
    state.ledger.record_message(said=tuple(one for one in said if one.id > change.last))


def _loop_noted(state: PlanState, change: c.LoopNoted, _at: datetime) -> None:
    given = {"managed": change.managed, "stops": change.stops}
    state.ledger.book(**{name: value for name, value in given.items() if value is not None})


def _struck_out(state: PlanState, change: c.StruckOut, _at: datetime) -> None:
    struck = state.ledger.struck
    others = (one for one in struck.get(change.tool, ()) if one != change.params)
    state.ledger.struck = {**struck, change.tool: (*others, change.params)[-_STRUCK:]}


def _strikes_cleared(state: PlanState, change: c.StrikesCleared, _at: datetime) -> None:
    struck = state.ledger.struck
    kept = {} if change.tool is None else {one: struck[one] for one in struck if one != change.tool}
    state.ledger.struck = kept


def _loop_retold(state: PlanState, change: c.LoopRetold, _at: datetime) -> None:
    ledger, talk, before = state.ledger, change.talk, state.ledger.talk
    ledger.books, ledger.talk, ledger.struck = change.books, change.talk, change.struck
    ledger.part()
    busy, counts = {*state.in_progress()}, change.books.iterations
    ledger.book(iterations={task: counts[task] for task in counts if task in busy})
    ledger.record_message(
        asked=max(talk.asked, before.asked), spoken=max(talk.spoken, before.spoken)
    )


APPLY_LOOP: Final[dict[type[Change], Callable[[PlanState, Any, datetime], None]]] = {
    c.BudgetSet: _budget_set,
    c.Charged: _charged,
    c.QuestionAsked: _question_asked,
    c.QuestionAnswered: _question_answered,
    c.Interjected: _interjected,
    c.InterjectionsTaken: _interjections_taken,
    c.LoopNoted: _loop_noted,
    c.StruckOut: _struck_out,
    c.StrikesCleared: _strikes_cleared,
    c.LoopRetold: _loop_retold,
}
