"""Questions to people: asked by the model, or by the loop when only a person can know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from outlast.agent import effects as e
from outlast.agent.events import Asked, Notified, Said
from outlast.agent.loops.endings import LoopEnd, cancel_plan
from outlast.agent.loops.notices import answer_slash_command
from outlast.agent.loops.session import has_consent
from outlast.errors import InvalidArgument
from outlast.language import text
from outlast.model.commands import AnswerQuestion, AskQuestion, Resume
from outlast.model.intents import classify_message, is_continue
from outlast.model.model import BEGIN, PERSON
from outlast.redact.secrets import redact

if TYPE_CHECKING:
    from outlast.agent.loops.session import Session
    from outlast.context.chat_model import Call
    from outlast.context.plan_view import PlanView
    from outlast.model.model import Question

ASK_USER: Final = "ask_user"
_QUESTION_CHARACTERS: Final = 1_980  # of 2 000: a redaction may need some more
_MAX_ASKS: Final = 20  # times a question is asked while the replies are commands
_WAITING_REASONS: Final = ("waiting", "unsettled", "interrupted")


def ask_user(session: Session, call: Call, plan: PlanView) -> e.Loop[tuple[PlanView, e.Acted]]:
    """Ask a person the model's question. If no person is present, end the run and wait."""
    question = call.params.get("question")
    if not isinstance(question, str) or not question.strip():
        return plan, e.Acted(error=text("question_blank", session.language))
    return (yield from pose_question(session, plan, question))


def pose_question(
    session: Session, plan: PlanView, question_text: str, about: str = ""
) -> e.Loop[tuple[PlanView, e.Acted]]:
    """Record a question and ask a person; end the run and wait if there is no answer now."""
    wording = fit_question(question_text)
    task = plan.current.id if plan.current else None
    recorded = yield from e.record(AskQuestion(wording, about=about, task=task))
    for question in open_questions(recorded.plan):
        if question.text == wording and not recorded.outcome.error:
            plan, answer = yield from ask_person(session, question)
            if answer is None:
                waiting = text("loop_waiting", session.language, question=wording)
                raise LoopEnd("waiting", waiting)
            return plan, e.Acted(answer)
    return recorded.plan, e.Acted(error=recorded.outcome.error)


def fit_question(wording: str) -> str:
    """Return a question as it is stored: without secrets, and not too long."""
    return redact(redact(wording)[:_QUESTION_CHARACTERS])


def fold_question(wording: str) -> str:
    """Return what two spellings of a question have in common."""
    folded = " ".join(normalize("NFKC", wording).casefold().split()).rstrip("?.。! ")
    return folded or wording


def ask_to_begin(session: Session, plan: PlanView, reply: str) -> e.Loop[PlanView]:
    """Show the steps that a model proposes, and ask a person whether to begin (R0.03)."""
    yield from e.Emit(Said(reply))
    wording = text("begin_question", session.language)
    plan, acted = yield from pose_question(session, plan, wording, BEGIN)
    if acted.error:
        raise LoopEnd("waiting", acted.error)
    session.may_start = has_consent(plan)
    session.add_user_message(acted.output)
    return plan


def ask_person(session: Session, question: Question) -> e.Loop[tuple[PlanView, str | None]]:
    """Ask a person who is present and record the answer; return None without a usable answer.

    A reply that is a command by M8 is executed, and the question is asked again, as it is after an
    answer that the question does not allow.
    """
    yield from e.Emit(Asked(question))
    reply = yield from e.Ask(question)
    for _ in range(_MAX_ASKS):
        answer = reply.outcome.text
        if answer is None:
            break
        if reply.outcome.is_recorded:
            return reply.plan, answer
        if (yield from _handle_answer(session, reply.plan, answer)):
            command = AnswerQuestion(answer, PERSON, question.id)
            recorded = yield from e.record(command, author=PERSON)
            if not recorded.outcome.error:
                return recorded.plan, answer
            yield from e.Emit(Notified(recorded.outcome.error, "command"))
            if recorded.outcome.code != InvalidArgument.code:
                return recorded.plan, None
        reply = yield from e.Ask(question)
    session.unanswered.add(question.id)
    return reply.plan, None


def _handle_answer(session: Session, plan: PlanView, answer: str) -> e.Loop[bool]:
    """Return whether a reply answers the question; execute it if it is a command."""
    intent = classify_message(answer, paused=False, question=True)
    if "cancel" in (intent.kind, intent.command):
        raise (yield from cancel_plan(plan, session.language))
    if intent.kind == "slash":
        reply = answer_slash_command(
            intent.command, plan, session.iteration_limit(plan), session.language
        )
        yield from e.Emit(Notified(reply, "command"))
    return intent.kind != "slash"


def answer_oldest(session: Session, message: str, plan: PlanView) -> e.Loop[PlanView]:
    """Record a message as the answer to the oldest question, and resume the plan."""
    question = open_questions(plan)[0]
    recorded = yield from e.record(AnswerQuestion(message, PERSON, question.id), author=PERSON)
    plan, refusal = recorded.plan, recorded.outcome.error
    if question.kind == "settle":
        session.message = text("continue_word", session.language)  # the brief has the answer
        if refusal:
            if not is_continue(message):
                yield from e.Emit(Notified(refusal, "command"))
            plan, answer = yield from ask_person(session, question)
            if answer is None:
                raise LoopEnd("unsettled", question.text)
    elif refusal:
        raise LoopEnd("waiting", refusal)
    else:
        session.answered = question.id
    return (yield from resolve_questions(session, plan))


def resolve_questions(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Ask all open questions of the model, then resume a plan that waited for answers."""
    for question in open_questions(plan):
        if question.kind == "settle":
            continue  # asked again when attempts are settled
        plan, answer = yield from ask_person(session, question)
        if answer is None:
            raise LoopEnd("waiting", text("loop_waiting", session.language, question=question.text))
    if plan.status == "paused" and plan.pause_reason in _WAITING_REASONS:
        plan = (yield from e.record(Resume())).plan
    return plan


def open_questions(plan: PlanView) -> list[Question]:
    """Return the questions that a message can answer, the oldest first.

    Permissions are left out: they are asked where they are needed.
    """
    return [question for question in plan.questions if question.kind in ("ask", "settle")]
