"""The conversation between loop and people: questions, answers, interjections, loop state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain import changes as c
from outlast.domain.changes import AttemptEnded
from outlast.domain.costs import scope_id
from outlast.domain.decide.attempts import worst_cost
from outlast.domain.limits import (
    LARGEST_ID,
    REF_CHARACTERS,
    check_choice,
    check_flag,
    check_length,
    check_name,
    check_number,
)
from outlast.domain.model import QUESTION_KINDS, REFUSERS, Interjection, Question
from outlast.errors import InvalidArgument, InvalidStatus

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.commands import (
        AnswerQuestion,
        AskQuestion,
        ClearStrikes,
        Interject,
        NoteLoop,
        NoteRefusal,
        Strike,
        TakeInterjections,
    )
    from outlast.domain.state import PlanState

QUESTION_CHARACTERS: Final = 2_000
MESSAGE_CHARACTERS: Final = 16_000
REFUSAL_CHARACTERS: Final = 500
MOST_OPEN: Final = 100  # open questions, or unread interjections


def ask(state: PlanState, command: AskQuestion, now: datetime) -> tuple[Change, ...]:
    """Ask a person under the next number; do nothing if the same question is open already."""
    text = check_message(command.text, QUESTION_CHARACTERS)
    check_choice(command.kind, "kind", QUESTION_KINDS)
    about = check_length(command.about, "about", REF_CHARACTERS)
    task = scope_id(state, command.task)
    if find_same_question(state, command) is not None:
        return ()
    if len(open_questions(state)) >= MOST_OPEN:
        raise InvalidStatus("too_many_questions", limit=MOST_OPEN)
    number = state.ledger.conversation.last_question + 1
    return (c.QuestionAsked(Question(number, text, now, command.kind, about, task)),)


def open_questions(state: PlanState) -> list[Question]:
    """Return the unanswered questions, oldest first."""
    questions = state.ledger.conversation.questions.values()
    return [question for question in questions if question.answer is None]


def find_same_question(state: PlanState, command: AskQuestion) -> Question | None:
    """Return an open question that is equal to this one."""
    wanted = (command.text, command.kind, command.about, scope_id(state, command.task))
    for question in open_questions(state):
        if (question.text, question.kind, question.about, question.task) == wanted:
            return question
    return None


def answer(state: PlanState, command: AnswerQuestion, now: datetime) -> tuple[Change, ...]:
    """Answer a question; an answer that settles an attempt also ends the attempt.

    A permission is given only where it was asked for; a no counts from anywhere, also afterwards.
    """
    text = check_message(command.text)
    actor = check_name(command.actor, "actor")
    question = find_question(state, command.question)
    if question.kind == "permit":
        _require_right_to_answer(question, text, by_asker=check_flag(command.by_asker, "by_asker"))
    elif question.answer is not None:
        raise InvalidStatus("question_answered", question=question.id)
    answered = c.QuestionAnswered(question.id, text, actor)
    if question.kind != "settle":
        return (answered,)
    return (answered, *_settle_attempt(state, question, text, now))


def interject(state: PlanState, command: Interject, now: datetime) -> tuple[Change, ...]:
    """Queue a message for the loop."""
    text = check_message(command.text)
    actor = check_name(command.actor, "actor")
    conversation = state.ledger.conversation
    if len(conversation.interjections) >= MOST_OPEN:
        raise InvalidStatus("too_many_messages", limit=MOST_OPEN)
    return (c.Interjected(Interjection(conversation.last_interjection + 1, text, actor, now)),)


def take_interjections(
    state: PlanState, command: TakeInterjections, _now: datetime
) -> tuple[Change, ...]:
    """Mark the interjections up to a number as read."""
    last = check_number(command.last, "last", 0, LARGEST_ID)
    conversation = state.ledger.conversation
    is_new = any(interjection.id <= last for interjection in conversation.interjections)
    return (c.InterjectionsTaken(last),) if is_new or last > conversation.last_interjection else ()


def check_message(value: object, limit: int = MESSAGE_CHARACTERS) -> str:
    """Accept a text that is neither blank nor too long."""
    text = check_length(value, "text", limit)
    if not text or text.isspace():
        raise InvalidArgument("name_blank", argument="text")
    return text


def find_question(state: PlanState, number: int | None) -> Question:
    """Return the question with a number, else the oldest open one."""
    questions = state.ledger.conversation.questions
    if number is None:
        open_ones = open_questions(state)
        if not open_ones:
            raise InvalidStatus("no_open_question")
        return open_ones[0]
    question = questions.get(check_number(number, "question", 1, LARGEST_ID))
    if question is None:
        raise InvalidArgument("question_not_found", argument="question", question=number)
    return question


def _require_right_to_answer(question: Question, text: str, *, by_asker: bool) -> None:
    """Refuse a yes from elsewhere, and any answer after the first that is not a no to a yes."""
    from outlast.domain.intents import parse_permission

    permits = bool(parse_permission(text))
    if question.answer is not None and (permits or not parse_permission(question.answer)):
        raise InvalidStatus("question_answered", question=question.id)
    if permits and not by_asker:
        raise InvalidStatus("permit_elsewhere", question=question.id)


def _settle_attempt(
    state: PlanState, question: Question, text: str, now: datetime
) -> tuple[Change, ...]:
    from outlast.domain.intents import DONE, NOT_DONE, parse_done_answer

    outcome = parse_done_answer(text)
    if outcome is None:
        raise InvalidArgument("not_a_settlement", argument="text", choices=[DONE, NOT_DONE])
    attempt = state.ledger.attempts.get(question.about)
    if attempt is None:
        return ()
    return (AttemptEnded(attempt.id, outcome, "person", "", worst_cost(attempt, now)),)


def note_loop(state: PlanState, command: NoteLoop, _now: datetime) -> tuple[Change, ...]:
    """Record the counters that have changed."""
    managed, stops, counters = command.managed, command.stops, state.ledger.counters
    if managed is not None:
        check_flag(managed, "managed")
    if stops is not None:
        check_number(stops, "stops", 0, LARGEST_ID)
    new = c.LoopNoted(
        None if managed == counters.managed else managed, None if stops == counters.stops else stops
    )
    return () if new == c.LoopNoted() else (new,)


def strike(state: PlanState, command: Strike, _now: datetime) -> tuple[Change, ...]:
    """Refuse a tool with these parameters from now on."""
    tool = check_name(command.tool, "tool")
    params = check_length(command.params, "params", REF_CHARACTERS)
    known = params in state.ledger.strikes.get(tool, ())
    return () if known else (c.StruckOut(tool, params),)


def clear_strikes(state: PlanState, command: ClearStrikes, _now: datetime) -> tuple[Change, ...]:
    """Allow a tool again, or all tools."""
    struck = state.ledger.strikes
    known = struck if command.tool is None else check_name(command.tool, "tool") in struck
    return (c.StrikesCleared(command.tool),) if known else ()


def note_refusal(state: PlanState, command: NoteRefusal, _now: datetime) -> tuple[Change, ...]:
    """Record that a call was refused."""
    what = check_length(command.what, "what", REFUSAL_CHARACTERS)
    check_choice(command.by, "by", REFUSERS)
    note = check_length(command.note, "note", REFUSAL_CHARACTERS)
    return (c.RefusalNoted(what, command.by, note, scope_id(state, command.task)),)
