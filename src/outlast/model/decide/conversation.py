"""The conversation between loop and people: questions, answers, interjections, loop state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import InvalidArgument, InvalidStatus
from outlast.model import changes as c
from outlast.model.changes import AttemptEnded, Change
from outlast.model.decide.attempts import worst_cost
from outlast.model.decide.plan import goal_changes
from outlast.model.decide.proof import require_person
from outlast.model.decide.reports import time_since_start
from outlast.model.intents import parse_done_answer, parse_permission, parse_yes_or_no
from outlast.model.ledger import DELEGATE
from outlast.model.limits import (
    LARGEST_ID,
    REF_CHARACTERS,
    check_choice,
    check_flag,
    check_length,
    check_name,
    check_number,
    check_text,
    check_tuple,
    default_title,
)
from outlast.model.model import (
    PERSON,
    QUESTION_KINDS,
    REFUSERS,
    Interjection,
    Question,
    QuestionKind,
    TaskReport,
)
from outlast.model.plan_costs import scope_id

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.commands import (
        AnswerQuestion,
        AskQuestion,
        ClearStrikes,
        Interject,
        NoteLoop,
        NoteRefusal,
        Strike,
        TakeInterjections,
    )
    from outlast.model.state import PlanState

QUESTION_CHARACTERS: Final = 2_000
MESSAGE_CHARACTERS: Final = 16_000
REFUSAL_CHARACTERS: Final = 500
MOST_OPEN: Final = 100  # open questions, or unread interjections
_WITH_DETAILS: Final = ("goal", "edit", "replan", "checks")  # kinds about more than a reference
_FREE: Final = ("ask", "replan", "confirm")  # kinds that take any words
_PERSONAL: Final = ("goal", "edit", "replan")  # kinds of questions that only a person may answer
_UNCLEAR: Final[dict[QuestionKind, tuple[str, tuple[str, ...]]]] = {  # and what would be clear
    "settle": ("unclear_settle", ("done", "not done")),
    "permit": ("unclear_permit", ("yes", "no", "always")),
    "goal": ("unclear_yes_or_no", ("yes", "no")),
    "edit": ("unclear_yes_or_no", ("yes", "no")),
    "checks": ("unclear_yes_or_no", ("yes", "no")),
}


def ask(state: PlanState, command: AskQuestion, now: datetime) -> tuple[Change, ...]:
    """Ask a person under the next number; do nothing if the same question is open already.

    A replan that is due waits for the answer (R3.14).
    """
    text = check_message(command.text, QUESTION_CHARACTERS)
    check_choice(command.kind, "kind", QUESTION_KINDS)
    about = _check_about(command)
    task = scope_id(state, command.task)
    if find_same_question(state, command) is not None:
        return ()
    if len(state.open_questions()) >= MOST_OPEN:
        raise InvalidStatus("too_many_questions", limit=MOST_OPEN)
    number = state.ledger.conversation.last_question + 1
    at = time_since_start(state.tasks[task], now) if task else now
    asked = c.QuestionAsked(Question(number, text, at, command.kind, about, task))
    position = state.ledger.replan
    if command.kind == "ask" and position.needs_replan:
        return (asked, c.ReplanMoved(position.clear_replan()))
    return (asked,)


def _check_about(command: AskQuestion) -> str:
    """Accept a reference, a proposed goal, or details as JSON."""
    if command.kind not in _WITH_DETAILS:
        return check_length(command.about, "about", REF_CHARACTERS)
    about = check_text(command.about, "about")
    if not about or about.isspace():
        raise InvalidArgument("name_blank", argument="about")
    return about


def find_same_question(state: PlanState, command: AskQuestion) -> Question | None:
    """Return an open question that is equal to this one."""
    wanted = (command.text, command.kind, command.about, scope_id(state, command.task))
    for question in state.open_questions():
        if (question.text, question.kind, question.about, question.task) == wanted:
            return question
    return None


def answer(state: PlanState, command: AnswerQuestion, now: datetime) -> tuple[Change, ...]:
    """Answer a question; that may also end an attempt, change the goal, or call for a replan.

    A permission is given only where it was asked for; a no counts from anywhere, also afterwards.
    """
    text = check_message(command.text)
    actor = check_name(command.actor, "actor")
    question = find_question(state, command.question)
    if question.kind == "permit":
        _require_right_to_answer(question, text, by_asker=check_flag(command.by_asker, "by_asker"))
    elif question.answer is not None:
        raise InvalidStatus("question_answered", question=question.id)
    if question.kind in _PERSONAL:
        require_person(actor, "actor")
    if question.kind != "permit":
        check_answer(question, text)
    answered = c.QuestionAnswered(question.id, text, actor)
    if question.kind == "settle":
        return (answered, *_settle_attempt(state, question, text, now))
    if question.kind == "goal" and parse_yes_or_no(text):
        return (answered, *goal_changes(state, question.about))
    return (answered, *_replan_after(state, question))


def _replan_after(state: PlanState, question: Question) -> tuple[Change, ...]:
    """Let a replan follow the answer to the last open question of the replan loop (R3.02)."""
    position = state.ledger.replan
    others = (each for each in state.open_questions() if each.id != question.id)
    if (
        question.kind != "ask"
        or not position.is_planned
        or any(each.kind == "ask" for each in others)
    ):
        return ()
    return (c.ReplanMoved(position.answer()),)


def check_answer(question: Question, text: str) -> None:
    """Refuse a text that does not answer a question of this kind; the refusal tells what would."""
    if question.kind == "settle":
        is_clear = parse_done_answer(text) is not None
    else:
        is_clear = question.kind in _FREE or parse_yes_or_no(text) is not None
    if not is_clear:
        key, choices = _UNCLEAR[question.kind]
        raise InvalidArgument(
            key,
            argument="text",
            question=question.id,
            answer=default_title(text),
            choices=[*choices],
        )


def interject(state: PlanState, command: Interject, now: datetime) -> tuple[Change, ...]:
    """Queue a message for the loop, or record one that it has read already."""
    text = check_message(command.text)
    actor = check_name(command.actor, "actor")
    heard = check_flag(command.heard, "heard")
    conversation = state.ledger.conversation
    if not heard and len(conversation.interjections) >= MOST_OPEN:
        raise InvalidStatus("too_many_messages", limit=MOST_OPEN)
    message = Interjection(conversation.last_interjection + 1, text, actor, now)
    return (c.Interjected(message, heard),)


def take_interjections(
    state: PlanState, command: TakeInterjections, _now: datetime
) -> tuple[Change, ...]:
    """Mark the interjections up to a number as read."""
    last = check_number(command.last, "last", 0, LARGEST_ID)
    check_tuple(command.dropped, "dropped")
    for number in command.dropped:
        check_number(number, "dropped", 1, LARGEST_ID)
    conversation = state.ledger.conversation
    is_new = any(interjection.id <= last for interjection in conversation.interjections)
    if not is_new and last <= conversation.last_interjection:
        return ()
    return (c.InterjectionsTaken(last, command.dropped),)


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
        open_ones = state.open_questions()
        if not open_ones:
            raise InvalidStatus("no_open_question")
        return open_ones[0]
    question = questions.get(check_number(number, "question", 1, LARGEST_ID))
    if question is None:
        raise InvalidArgument(
            "question_not_found",
            argument="question",
            question=number,
            open=[question.id for question in state.open_questions()],
        )
    return question


def _require_right_to_answer(question: Question, text: str, *, by_asker: bool) -> None:
    """Refuse all but a no from elsewhere, and after the first answer all but a no to a yes.

    For the asker, that there was no answer is a no too.
    """
    is_no = not parse_permission(text) if by_asker else parse_yes_or_no(text) is False
    if question.answer is not None and not (is_no and parse_permission(question.answer)):
        raise InvalidStatus("question_answered", question=question.id)
    if not is_no and not by_asker:
        raise InvalidStatus("permit_elsewhere", question=question.id)


def _settle_attempt(
    state: PlanState, question: Question, text: str, now: datetime
) -> tuple[Change, ...]:
    """End the attempt that a question is about; the work of an agent that was done is reported.

    Without a report, nothing would tell that the task was carried out, and it would be again.
    """
    outcome, attempt = parse_done_answer(text), state.ledger.attempts.get(question.about)
    if outcome is None or attempt is None:
        return ()
    ended = AttemptEnded(attempt.id, outcome, "person", "", worst_cost(attempt, now))
    if outcome != "done" or attempt.kind != DELEGATE or attempt.task not in state.tasks:
        return (ended,)
    at = time_since_start(state.tasks[attempt.task], now)
    report = TaskReport(attempt.id, PERSON, "SUCCESS", at, results=text)
    return (ended, c.ReportNoted(attempt.task, report))


def note_loop(state: PlanState, command: NoteLoop, _now: datetime) -> tuple[Change, ...]:
    """Record the counters that have changed."""
    managed, stops, seen = command.managed, command.stops, command.seen
    if managed is not None:
        check_flag(managed, "managed")
    if stops is not None:
        check_number(stops, "stops", 0, LARGEST_ID)
    if seen is not None:
        check_number(seen, "seen", 0, LARGEST_ID)
    counters = state.ledger.counters
    new = c.LoopNoted(
        None if managed == counters.managed else managed,
        None if stops == counters.stops else stops,
        None if seen == counters.seen else seen,
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
