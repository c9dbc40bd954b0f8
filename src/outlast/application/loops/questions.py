"""Ask people: what a model wants to know, and what only they can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.loops.endings import Ended, cancel
from outlast.application.loops.slash_commands import slash
from outlast.domain.commands import Resume
from outlast.domain.intents import understand
from outlast.domain.loop_commands import AnswerQuestion, AskQuestion
from outlast.domain.model import PERSON
from outlast.formats.redact.engine import redact
from outlast.ports import effects as e
from outlast.ports.events import Asked, Notified
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session
    from outlast.domain.model import Question
    from outlast.ports.model import Call

ASK_USER: Final = "ask_user"
_QUESTION: Final = 2_000
_AGAIN: Final = 20  # times a question is put to somebody who asks for something else
_WAITING: Final = ("waiting", "unsettled", "interrupted")


def ask_user(session: Session, call: Call, plan: e.PlanView) -> e.Loop[e.Acted]:
    """Put a model's question to a person; if nobody is there, the work waits for the answer."""
    wanted, language = call.params.get("question"), session.language
    if not isinstance(wanted, str) or not wanted.strip():
        seen = yield from e.record()
        return e.Acted(seen.now, seen.plan, failed=text("question_blank", language))
    words = redact(wanted)[:_QUESTION]
    task = plan.current.id if plan.current else None
    asked = yield from e.record(AskQuestion(words, task=task))
    for question in open_questions(asked.plan):
        if question.text == words and not asked.failed:
            plan, said = yield from put(session, question)
            if said is None:
                raise Ended("waiting", text("loop_waiting", language, question=words))
            return e.Acted(asked.now, plan, said)
    return e.Acted(asked.now, asked.plan, failed=asked.failed)


def put(session: Session, question: Question) -> e.Loop[tuple[e.PlanView, str | None]]:
    """Ask somebody who is there, and keep the answer; None if there is none that will do.

    What is no answer by M8 is done, and the question put again.
    """
    yield from e.tell(Asked(question))
    reply = yield from e.ask(question)
    for _ in range(_AGAIN):
        said = reply.text
        if said is None:
            break
        if (yield from _answers(session, reply.plan, said)):
            kept = yield from e.record(AnswerQuestion(redact(said), PERSON, question.id))
            return kept.plan, None if kept.failed else said
        reply = yield from e.ask(question)
    return reply.plan, None


def _answers(session: Session, plan: e.PlanView, said: str) -> e.Loop[bool]:
    """Tell whether something is said in answer; a command is carried out."""
    intent = understand(said, paused=False, question=True)
    if "cancel" in (intent.kind, intent.command):
        raise (yield from cancel(plan, session.language))
    if intent.kind == "slash":
        words = slash(intent.command, plan, session.limit(plan), session.language)
        yield from e.tell(Notified(words, "command"))
    return intent.kind != "slash"


def answer(session: Session, message: str, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Take a message for the answer to the oldest question, and let the plan go on."""
    question = open_questions(plan)[0]
    kept = yield from e.record(AnswerQuestion(redact(message), PERSON, question.id))
    if kept.failed:
        raise Ended("unsettled" if question.kind == "settle" else "waiting", kept.failed)
    return (yield from wait_for(session, kept.plan))


def wait_for(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """See to it that no question of a model's is open; then let a plan go on that waited."""
    for question in open_questions(plan):
        if question.kind == "settle":
            continue  # which is asked again where attempts are settled
        plan, said = yield from put(session, question)
        if said is None:
            raise Ended("waiting", text("loop_waiting", session.language, question=question.text))
    if plan.status == "paused" and plan.hold in _WAITING:
        plan = (yield from e.record(Resume())).plan
    return plan


def open_questions(plan: e.PlanView) -> list[Question]:
    """Return the questions that a message can answer, the oldest first.

    One about an attempt that has ended meanwhile no longer matters; a permission is asked for where
    it is needed.
    """
    attempts = {attempt.id for attempt in plan.attempts}
    return [
        one
        for one in plan.questions
        if one.kind == "ask" or (one.kind == "settle" and one.about in attempts)
    ]
