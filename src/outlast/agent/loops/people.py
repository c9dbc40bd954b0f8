"""Questions to people that a loop records itself: ask, record the answer, read the choice in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from outlast.agent import effects as e
from outlast.agent.events import Asked
from outlast.agent.loops.endings import LoopEnd
from outlast.model.commands import Abort, AnswerQuestion, AskQuestion
from outlast.model.intents import classify_message
from outlast.model.model import PERSON

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.context.plan_view import PlanView
    from outlast.model.model import Question

T = TypeVar("T")
_PUNCTUATION: Final = ":,.!\uff1a\uff0c\u3002\uff01"
_LONGEST_WORD: Final = 20  # of a choice, with punctuation


def ask(asked: AskQuestion) -> e.Loop[str | None]:
    """Record a question, ask a person who is present, and record the answer.

    A question that is open already is asked again, not recorded twice. Raises `LoopEnd` if the plan
    refuses it: without a record, what led to it would be done again and again.
    """
    plan = (yield from e.record()).plan
    question = _find(plan, asked)
    if question is None:
        recorded = yield from e.record(asked)
        if recorded.outcome.error:
            raise LoopEnd("waiting", recorded.outcome.error)
        question = _find(recorded.plan, asked)
    return None if question is None else (yield from ask_again(question))


def ask_again(question: Question) -> e.Loop[str | None]:
    """Ask a person who is present a question that is recorded, and record the answer.

    Returns None if nobody answers now. A reply that is a command (M8) is no answer; `cancel` aborts
    the plan.
    """
    yield from e.Emit(Asked(question))
    answered = (yield from e.Ask(question)).outcome
    if answered.text is None or answered.is_recorded:
        return answered.text
    intent = classify_message(answered.text, paused=False, question=True)
    if "cancel" in (intent.kind, intent.command):
        yield from e.record(Abort(), author=PERSON)
    if intent.kind != "answer":
        return None
    command = AnswerQuestion(answered.text, PERSON, question.id)
    recorded = (yield from e.record(command, author=PERSON)).outcome
    return None if recorded.error else answered.text


def parse_first_word(answer: str, choices: Mapping[str, T]) -> tuple[T | None, str]:
    """Return the choice that the first word of an answer names, and the rest; else all of it."""
    said = answer.strip()
    for end in range(min(len(said), _LONGEST_WORD), 0, -1):  # Chinese has no spaces between words
        choice = choices.get(said[:end].strip(_PUNCTUATION).casefold())
        rest = said[end:]
        if choice is not None and not (said[end - 1].isascii() and rest[:1].isalnum()):
            return choice, rest.lstrip(_PUNCTUATION + " ").rstrip()
    return None, said


def _find(plan: PlanView, asked: AskQuestion) -> Question | None:
    """Return the open question about the same task or attempt."""
    same = (
        question
        for question in plan.questions
        if (question.kind, question.about) == (asked.kind, asked.about)
        and question.task == (asked.task or 0)
    )
    return next(same, None)
