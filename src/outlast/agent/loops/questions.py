"""Questions to people: asked by the model, or by the loop when only a person can know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar
from unicodedata import normalize

from outlast.agent import effects as e
from outlast.agent.events import Asked, Notified, Said
from outlast.agent.loops.endings import LoopEnd, cancel_plan
from outlast.agent.loops.notices import answer_slash_command
from outlast.agent.loops.session import Session, has_consent
from outlast.context.escape import one_line, quote
from outlast.errors import InvalidArgument
from outlast.language import text
from outlast.model.commands import Abort, AnswerQuestion, AskQuestion, Resume
from outlast.model.intents import classify_message, is_continue, parse_yes_or_no
from outlast.model.model import BEGIN, PERSON, Question
from outlast.redact.secrets import redact
from outlast.redact.truncate import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.context.chat_model import Call
    from outlast.context.plan_view import PlanView

ASK_USER: Final = "ask_user"
_QUESTION_CHARACTERS: Final = 1_980  # of 2 000: a redaction may need some more
_MAX_ASKS: Final = 20  # times a question is asked while the replies are commands
_WAITING_REASONS: Final = ("waiting", "unsettled", "interrupted")
T = TypeVar("T")
_PUNCTUATION: Final = ":,.!\uff1a\uff0c\u3002\uff01"
_LONGEST_WORD: Final = 20  # of a choice, with punctuation
_SHOWN_CHARACTERS: Final = 500  # of a goal in a question
_MODEL_CHARACTERS: Final = 100_000


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


# Without a session: a question that a loop records itself, and the choice in its answer


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


# A change of the goal: the model proposes it, a person confirms it


def propose_goal(session: Session, call: Call, plan: PlanView) -> e.Loop[tuple[PlanView, e.Acted]]:
    """Ask a person whether the goal changes. If no person is present, the question stays open."""
    proposal, language = call.params.get("goal"), session.language
    if not isinstance(proposal, str) or not proposal.strip():
        return plan, e.Acted(error=text("goal_blank", language))
    goal = text_of(proposal).strip()
    if goal == plan.goal.strip():
        return plan, e.Acted(text("goal_same", language))
    wording = text("goal_question", language, goal=one_line(goal, _SHOWN_CHARACTERS))
    recorded = yield from e.record(AskQuestion(wording, "goal", goal))
    if recorded.outcome.error:
        return recorded.plan, e.Acted(error=recorded.outcome.error)
    proposals = _proposals(recorded.plan)
    question = next((each for each in proposals if each.about == goal), proposals[-1])
    return (yield from _ask_for(session, question))


def ask_proposals(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Ask a person who is present about every goal that waits for an answer."""
    for question in _proposals(plan):
        plan, _ = yield from _ask_for(session, question)
    return plan


def answer_proposal(plan: PlanView, message: str) -> e.Loop[e.Reply[e.Recorded] | None]:
    """Record a message that says yes or no to a goal that waits; None for any other message."""
    is_answer = parse_yes_or_no(message) is not None
    for question in _proposals(plan)[:1] if is_answer else ():
        return (yield from e.record(AnswerQuestion(message, PERSON, question.id), author=PERSON))
    return None


def _ask_for(session: Session, question: Question) -> e.Loop[tuple[PlanView, e.Acted]]:
    language = session.language
    plan, answer = yield from ask_person(session, question)
    if answer is None:
        return plan, e.Acted(text("goal_waits", language))
    if not parse_yes_or_no(answer):
        shown = quote(answer, _MODEL_CHARACTERS)
        return plan, e.Acted(text("goal_declined", language, answer=shown))
    session.goal_shown = plan.goal
    shown = quote(plan.goal, _MODEL_CHARACTERS)
    return plan, e.Acted(text("goal_accepted", language, goal=shown))


def _proposals(plan: PlanView) -> list[Question]:
    return [question for question in plan.questions if question.kind == "goal"]
