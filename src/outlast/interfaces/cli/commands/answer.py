"""Talking to an agent that works on the plan: `answer` and `say`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import WrongUsage
from outlast.formats.redact.fast import without_secrets
from outlast.interfaces.cli.live.event_lines import first_line
from outlast.interfaces.cli.parser.task_refs import is_number
from outlast.interfaces.cli.render.next_command import QUOTED_BLANK, again
from outlast.interfaces.cli.render.output import Answer
from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Question
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


def answer(plan: Plan, call: Call, *, words: tuple[str, ...]) -> Answer:
    """Answer the question with a number, or the oldest one."""
    number, given = _number_and_text(plan, words)
    said = without_secrets(given)
    before = {one.id: one for one in plan.questions()}
    plan.answer(said, number)
    left = plan.questions()
    answered = next(one for one in before.values() if one.id not in {other.id for other in left})
    at_work = is_worked_on(plan)

    def shape() -> Json:
        told = question_shape(answered) | {"answer": said}
        return {"question": told, "open": [question_shape(one) for one in left]}

    def spoken() -> str:
        question = first_line(answered.text)
        lines = [call.say("say_answered", id=answered.id, question=question)]
        lines += question_lines(call, left)
        if not left:
            lines.append(call.say("say_heard_soon") if at_work else _next(call))
        return "\n".join(lines)

    return Answer(shape, spoken)


def _next(call: Call) -> str:
    return call.say("say_answered_next", command=again(call, "resume"))


def _number_and_text(plan: Plan, words: tuple[str, ...]) -> tuple[int | None, str]:
    """Return which question is meant; a number alone is one only if no question is open."""
    first, *rest = words
    number = first.removeprefix("#")
    if not is_number(number) or not (rest or first.startswith("#")):
        return None, " ".join(words)
    if not rest:
        raise WrongUsage("answer_left_out", id=visible(number))
    known = {one.id for one in plan.questions()}
    if not first.startswith("#") and int(number) not in known:
        return None, " ".join(words)  # such as: 3 reports
    return int(number), " ".join(rest)


def say(plan: Plan, call: Call, *, words: tuple[str, ...]) -> Answer:
    """Say something to the agent; it takes it in at its next step."""
    said = without_secrets(" ".join(words))
    plan.say(said)
    at_work = is_worked_on(plan)
    key = "say_heard_soon" if at_work else "say_heard_later"
    return Answer(lambda: {"said": said, "at_work": at_work}, lambda: call.say(key))


def is_worked_on(plan: Plan) -> bool:
    """Tell whether a loop holds the plan right now."""
    lease = plan.read(lambda state: state.ledger.leases.get(0))
    return lease is not None and lease.is_live(plan.now())


def question_shape(question: Question) -> Json:
    """Return a question for programs."""
    return {name: getattr(question, name) for name in question.__struct_fields__}


def question_lines(call: Call, questions: tuple[Question, ...]) -> list[str]:
    """Return the open questions, each with how it is answered."""
    lines = []
    for one in questions:
        shown = "\n    ".join(map(visible, one.text.strip().splitlines()))
        command = again(call, "answer", str(one.id), QUOTED_BLANK)
        lines.append(call.say("say_question", id=one.id, question=shown, command=command))
    return lines
