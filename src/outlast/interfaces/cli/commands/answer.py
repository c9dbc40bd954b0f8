"""`answer` and `say`: send an answer or a message to the agent of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import WrongUsage
from outlast.formats.redact.fast import redact_text
from outlast.interfaces.cli.live.event_lines import first_line
from outlast.interfaces.cli.parser.values import is_task_number
from outlast.interfaces.cli.render.json import question_json
from outlast.interfaces.cli.render.next_command import suggest_command
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.overview import question_lines
from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


def answer(plan: Plan, call: Call, *, words: tuple[str, ...]) -> Answer:
    """Answer the question with this number, or the oldest one."""
    number, given = _number_and_text(plan, words)
    reply = redact_text(given)
    before = {question.id: question for question in plan.questions()}
    plan.answer(reply, number)
    still_open = plan.questions()
    answered = next(
        question
        for question in before.values()
        if question.id not in {open_question.id for open_question in still_open}
    )
    at_work = _is_running(plan)

    def as_json() -> Json:
        entry = question_json(answered) | {"answer": reply}
        return {"question": entry, "open": [question_json(question) for question in still_open]}

    def as_text() -> str:
        question = first_line(answered.text)
        lines = [call.text("say_answered", id=answered.id, question=question)]
        lines += question_lines(call, still_open)
        if not still_open:
            lines.append(call.text("say_read_soon") if at_work else _resume_line(call))
        return "\n".join(lines)

    return Answer(as_json, as_text)


def _resume_line(call: Call) -> str:
    return call.text("say_answered_next", command=suggest_command(call, "resume"))


def _number_and_text(plan: Plan, words: tuple[str, ...]) -> tuple[int | None, str]:
    """Split off the question's number; `3 reports` is a text unless question 3 is open."""
    first, *rest = words
    number = first.removeprefix("#")
    if not is_task_number(number) or not (rest or first.startswith("#")):
        return None, " ".join(words)
    if not rest:
        raise WrongUsage("answer_required", id=visible(number))
    known = {question.id for question in plan.questions()}
    if not first.startswith("#") and int(number) not in known:
        return None, " ".join(words)  # such as `3 reports`
    return int(number), " ".join(rest)


def say(plan: Plan, call: Call, *, words: tuple[str, ...]) -> Answer:
    """Leave a message for the agent, which reads it at its next step."""
    message = redact_text(" ".join(words))
    plan.say(message)
    at_work = _is_running(plan)
    key = "say_read_soon" if at_work else "say_read_later"
    return Answer(lambda: {"said": message, "at_work": at_work}, lambda: call.text(key))


def _is_running(plan: Plan) -> bool:
    """Return whether a run has a live lease on the plan."""
    lease = plan.read(lambda state: state.ledger.leases.get(0))
    return lease is not None and lease.is_live(plan.now())
