"""Questions to people, their answers, and what they say of their own accord."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain import loop_changes as c
from outlast.domain.changes import AttemptEnded
from outlast.domain.costs import scope
from outlast.domain.decide.attempts import worst
from outlast.domain.limits import (
    LARGEST_ID,
    REF_CHARACTERS,
    check_choice,
    check_length,
    check_name,
    check_number,
)
from outlast.domain.model import QUESTION_KINDS, Interjection, Question
from outlast.errors import InvalidArgument, InvalidStatus

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.loop_commands import (
        AnswerQuestion,
        AskQuestion,
        Interject,
        TakeInterjections,
    )
    from outlast.domain.state import PlanState

QUESTION_CHARACTERS: Final = 2_000
SAID_CHARACTERS: Final = 16_000
MOST: Final = 100  # open questions, or things said that no loop has heard


def ask(state: PlanState, command: AskQuestion, now: datetime) -> tuple[Change, ...]:
    """Ask a person, under the next number; one that is open already is not asked again."""
    text = check_said(command.text, QUESTION_CHARACTERS)
    check_choice(command.kind, "kind", QUESTION_KINDS)
    about = check_length(command.about, "about", REF_CHARACTERS)
    task = scope(state, command.task)
    if same_question(state, command) is not None:
        return ()
    if len(open_questions(state)) >= MOST:
        raise InvalidStatus("too_many_questions", limit=MOST)
    number = state.ledger.talk.asked + 1
    return (c.QuestionAsked(Question(number, text, now, command.kind, about, task)),)


def open_questions(state: PlanState) -> list[Question]:
    """Return the questions that nobody has answered, the oldest first."""
    return [one for one in state.ledger.talk.questions.values() if one.answer is None]


def same_question(state: PlanState, command: AskQuestion) -> Question | None:
    """Return the question that is open already, if it is the same."""
    wanted = (command.text, command.kind, command.about, scope(state, command.task))
    for one in open_questions(state):
        if (one.text, one.kind, one.about, one.task) == wanted:
            return one
    return None


def answer(state: PlanState, command: AnswerQuestion, now: datetime) -> tuple[Change, ...]:
    """Answer a question; what settles an attempt ends it too."""
    text = check_said(command.text)
    actor = check_name(command.actor, "actor")
    if command.question is not None:
        check_number(command.question, "question", 1, LARGEST_ID)
    question = _meant(state, command.question)
    answered = c.QuestionAnswered(question.id, text, actor)
    if question.kind != "settle":
        return (answered,)
    return (answered, *_settled(state, question, text, now))


def interject(state: PlanState, command: Interject, now: datetime) -> tuple[Change, ...]:
    """Say something to the loop."""
    text = check_said(command.text)
    actor = check_name(command.actor, "actor")
    talk = state.ledger.talk
    if len(talk.said) >= MOST:
        raise InvalidStatus("too_many_said", limit=MOST)
    return (c.Interjected(Interjection(talk.spoken + 1, text, actor, now)),)


def take(state: PlanState, command: TakeInterjections, _now: datetime) -> tuple[Change, ...]:
    """Take what was said up to a number as heard."""
    last = check_number(command.last, "last", 0, LARGEST_ID)
    heard = any(one.id <= last for one in state.ledger.talk.said)
    return (c.InterjectionsTaken(last),) if heard else ()


def check_said(value: object, limit: int = SAID_CHARACTERS) -> str:
    """Accept what somebody says: some text, and not too much."""
    text = check_length(value, "text", limit)
    if not text or text.isspace():
        raise InvalidArgument("name_blank", argument="text")
    return text


def _meant(state: PlanState, number: int | None) -> Question:
    """Return the question that is answered: the one that is named, else the oldest."""
    questions = state.ledger.talk.questions
    if number is None:
        still = open_questions(state)
        if not still:
            raise InvalidStatus("no_open_question")
        return still[0]
    found = questions.get(number)
    if found is None:
        raise InvalidArgument("question_not_found", argument="question", question=number)
    if found.answer is not None:
        raise InvalidStatus("question_answered", question=number)
    return found


def _settled(state: PlanState, question: Question, text: str, now: datetime) -> tuple[Change, ...]:
    from outlast.domain.intents import DONE, NOT_DONE, settlement

    outcome = settlement(text)
    if outcome is None:
        raise InvalidArgument("not_a_settlement", argument="text", choices=[DONE, NOT_DONE])
    attempt = state.ledger.attempts.get(question.about)
    if attempt is None:
        return ()
    return (AttemptEnded(attempt.id, outcome, "person", "", worst(attempt, now)),)
