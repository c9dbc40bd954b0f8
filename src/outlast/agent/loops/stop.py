"""The stop check: hold up a model that calls no tool while tasks are open (R4.08)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.agent import effects as e
from outlast.agent.loops import endings, questions, steps
from outlast.agent.loops.notices import emit_message, emit_notice
from outlast.context.escape import one_line
from outlast.context.summary import NAME
from outlast.language import text
from outlast.model.budget import Spend, find_overrun
from outlast.model.commands import NoteLoop
from outlast.model.markers import closing_question

if TYPE_CHECKING:
    from outlast.agent.loops.session import Session
    from outlast.context.plan_view import PlanView
    from outlast.model.model import Task

_MINIMUM: Final = Spend(
    model_calls=1, tokens=1, money=1e-6, time=1e-3, tool_calls=1
)  # needed to continue


def handle_stop(session: Session, plan: PlanView, reply: str) -> e.Loop[PlanView]:
    """End the run with the model's reply, or hold the model up and return the plan."""
    notice = ""
    if session.options.enable_planning and not _cannot_continue(plan):
        if session.is_on_plan(plan) and plan.assumed_end:
            plan = yield from _close_assumed_end(session, plan, plan.assumed_end, reply)
            if not plan.has_ended:
                return plan
        consulted = yield from e.Consult("on_stop", reply)
        plan, advised = consulted.plan, consulted.outcome
        notice = advised.notification
        if not advised.should_continue and not _cannot_continue(plan):
            held = yield from _hold(session, plan, reply, advised)
            if held is not None:
                return held
            counts = {"done": plan.done, "total": plan.total}
            notice = text("loop_unfinished", session.language, **counts)
    yield from emit_message(reply)
    yield from emit_notice(notice)
    if session.is_on_plan(plan) and plan.has_ended:
        raise endings.finished_end(plan, session.language)
    raise endings.LoopEnd("answered", reply)


def _close_assumed_end(
    session: Session, plan: PlanView, task: Task, reply: str
) -> e.Loop[PlanView]:
    """Confirm an assumed end when the model closes for the second time; tell it at the first."""
    question = closing_question(reply)
    if question and session.options.can_ask:
        return (yield from _ask_back(session, plan, reply, question)) or plan
    if session.end_closed == task.id:
        if not session.is_closing_text_sent:
            yield from emit_message(session.closing_text)
            session.is_closing_text_sent = True
        return (yield from steps.confirm_end(session, plan))
    session.end_closed, session.end_told, session.is_closing_text_sent = task.id, 0, False
    session.withheld_text = session.closing_text
    steps.tell_assumed_end(session, plan)
    name = one_line(task.name, NAME)
    notice = text("loop_unconfirmed", session.language, id=task.id, name=name)
    yield from emit_notice(notice, "assumed")
    return plan


def _hold(
    session: Session, plan: PlanView, reply: str, advised: e.Advised
) -> e.Loop[PlanView | None]:
    """Hold the model up, or let its question through; return None to let it go.

    A question is for a person. If nobody can answer, the model is told so once.
    """
    question = closing_question(reply)
    if question and (session.options.can_ask or session.question_held):
        return (yield from _ask_back(session, plan, reply, question))
    end = endings.others_end(plan, session.language)
    if end is not None:
        yield from emit_message(reply)
        raise end
    if plan.stop_count >= session.options.stop_limit:
        return None
    notes: tuple[str, ...] = ()
    session.is_closing_text_sent = False
    if question:
        session.question_held, session.closing_text = True, ""
        notes = (text("stop_question", session.language),)
    yield from emit_notice(advised.notification)
    session.inject((*notes, *advised.inject))
    return (yield from e.record(NoteLoop(stops=plan.stop_count + 1))).plan


def _ask_back(
    session: Session, plan: PlanView, reply: str, question: str
) -> e.Loop[PlanView | None]:
    """Ask a person what the model's reply asks; None if the question cannot be recorded."""
    if question != reply.strip():
        yield from emit_message(reply)
    plan, acted = yield from questions.pose_question(session, plan, question)
    if acted.error:
        return None
    session.add_user_message(acted.output)
    return plan


def _cannot_continue(plan: PlanView) -> bool:
    """Return whether the plan is paused, waits for a person or has no budget left."""
    exhausted = find_overrun(plan.budget, plan.used, _MINIMUM)
    return bool(exhausted or plan.status == "paused" or questions.open_questions(plan))
