"""`answer` and `say`: send an answer or a message to the agent of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from outlast.console.call import BLANK, Answer, Call, Json
from outlast.console.plan_context import live_lease
from outlast.console.render.overview import question_lines
from outlast.console.render.shorten import first_line
from outlast.documents.waiting_edits import question_text
from outlast.errors import InvalidDocument, WrongUsage
from outlast.hosts.sessions import has_session
from outlast.language import visible
from outlast.model.decide.conversation import find_question
from outlast.model.limits import LARGEST_ID
from outlast.transfer.source import read_document

if TYPE_CHECKING:
    from outlast.plan.plan import Plan


def answer(plan: Plan, call: Call, *, words: tuple[str, ...], file: str | None = None) -> Answer:
    """Answer the question with this number, or the oldest one, by words or a file."""
    if file is not None:
        words = (*words, _read_answer(file))
    number, reply = _number_and_text(plan, words)
    if reply.strip(' "') == BLANK:  # of the command that was printed
        asked = plan.core.read(lambda state: find_question(state, number))
        raise WrongUsage("answer_required", id=asked.id)
    number = plan.questions.answer(reply, number)
    answered = plan.core.read(lambda state: state.ledger.conversation.questions[number])
    still_open = plan.questions.open()
    at_work = _has_agent(plan)

    def as_json() -> Json:
        return {"question": asdict(answered), "open": list(map(asdict, still_open))}

    def as_text() -> str:
        question = first_line(question_text(answered, call.language)).rstrip(":\uff1a")
        lines = [call.text("say_answered", id=answered.id, question=question)]
        lines += question_lines(call, still_open)
        if not still_open:
            key = "say_read_soon" if at_work else "say_answered_next"
            lines.append(call.text(key, command=call.suggest("resume")))
        return "\n".join(lines)

    return Answer(as_json, as_text)


def _read_answer(file: str) -> str:
    """Return the text of a file; the answer itself is checked like any other."""
    try:
        return read_document(file).decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        where, offset = visible(file), error.start
        raise InvalidDocument("document_not_text", where=where, offset=offset) from error


def _number_and_text(plan: Plan, words: tuple[str, ...]) -> tuple[int | None, str]:
    """Split off the question's number; a number alone is an answer unless that question is open."""
    first, *rest = words
    digits = first.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(LARGEST_ID))):
        return None, " ".join(words)
    number = int(digits)
    if rest:
        return number, " ".join(rest)
    if first != digits or any(question.id == number for question in plan.questions.open()):
        raise WrongUsage("answer_required", id=digits)
    return None, first


def _has_agent(plan: Plan) -> bool:
    """Return whether a run or a session of a coding agent reads what is said to the plan."""
    return live_lease(plan) is not None or has_session(plan)


def say(plan: Plan, call: Call, *, words: tuple[str, ...]) -> Answer:
    """Leave a message for the agent, which reads it at its next step."""
    message = plan.questions.say(" ".join(words))
    at_work = _has_agent(plan)
    key = "say_read_soon" if at_work else "say_read_later"
    return Answer(lambda: {"said": message.text, "at_work": at_work}, lambda: call.text(key))
