"""A change of the goal: the model proposes it, a person confirms it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.agent import effects as e
from outlast.agent.loops.questions import ask_person
from outlast.context.escape import one_line, quote
from outlast.language import text
from outlast.model.commands import AnswerQuestion, AskQuestion
from outlast.model.intents import parse_yes_or_no
from outlast.model.model import PERSON
from outlast.redact.truncate import text_of

if TYPE_CHECKING:
    from outlast.agent.loops.session import Session
    from outlast.context.chat_model import Call
    from outlast.context.plan_view import PlanView
    from outlast.model.model import Question

_SHOWN_CHARACTERS: Final = 500  # of a goal in a question
_MODEL_CHARACTERS: Final = 100_000


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
