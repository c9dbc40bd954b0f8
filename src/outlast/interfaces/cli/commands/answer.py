"""`answer` and `say`: send an answer or a message to the agent of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from outlast.application.sync.waiting_edits import question_text
from outlast.errors import Unconfirmed, WrongUsage
from outlast.interfaces.cli.live.event_lines import first_line
from outlast.interfaces.cli.parser.values import is_task_number
from outlast.interfaces.cli.plan_context import live_lease
from outlast.interfaces.cli.render.next_command import suggest_command
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.overview import question_lines
from outlast.system.tool_process import is_inside_tool
from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


def answer(plan: Plan, call: Call, *, words: tuple[str, ...]) -> Answer:
    """Answer the question with this number, or the oldest one; a tool cannot."""
    if is_inside_tool():
        raise Unconfirmed("only_people", command=call.command, actor=visible(call.actor))
    number, reply = _number_and_text(plan, words)
    number = plan.questions.answer(reply, number)
    answered = plan.core.read(lambda state: state.ledger.conversation.questions[number])
    still_open = plan.questions.open()
    at_work = live_lease(plan) is not None

    def as_json() -> Json:
        return {"question": asdict(answered), "open": list(map(asdict, still_open))}

    def as_text() -> str:
        question = first_line(question_text(answered, call.language))
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
    known = {question.id for question in plan.questions.open()}
    if not first.startswith("#") and int(number) not in known:
        return None, " ".join(words)  # such as `3 reports`
    return int(number), " ".join(rest)


def say(plan: Plan, call: Call, *, words: tuple[str, ...]) -> Answer:
    """Leave a message for the agent, which reads it at its next step."""
    message = plan.questions.say(" ".join(words))
    at_work = live_lease(plan) is not None
    key = "say_read_soon" if at_work else "say_read_later"
    return Answer(lambda: {"said": message.text, "at_work": at_work}, lambda: call.text(key))
