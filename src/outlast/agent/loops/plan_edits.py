"""What people change in the plan while a loop works; each iteration tells the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.loops.notices import emit_notice
from outlast.agent.loops.questions import ask_person
from outlast.documents.waiting_edits import EDIT, question_text
from outlast.language import text
from outlast.model.commands import NoteLoop

if TYPE_CHECKING:
    from outlast.agent.loops.session import Session
    from outlast.context.plan_view import PlanView


def read_plan_edits(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Tell the model what people changed since it was told last; tell people what they saved."""
    is_behind = not session.iterations and session.seen_revision < plan.revision
    if not session.is_on_plan(plan) or not (plan.may_be_edited or is_behind):
        session.seen_revision = plan.revision
        return plan
    starts = not session.iterations and not session.history.messages
    reply = yield from e.ReadEdits(session.seen_revision, with_goal=starts)
    edits, session.seen_revision = reply.outcome, reply.outcome.revision
    for save in edits.saves:
        yield from emit_notice(save, "edit")
    if edits.lines:
        lines = list(edits.lines)
        if edits.more:
            more = {"count": edits.more, "read": session.tool_names["read"]}
            lines.append(text("told_more", session.language, **more))
        session.inject(("\n".join(lines),))
        session.has_told_edits = True
    return reply.plan


def acknowledge_edits(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Mark edits as known once the model has seen them, with the next commit."""
    if not session.has_told_edits:
        return plan
    session.has_told_edits = False
    return (yield from e.record(NoteLoop(seen=session.seen_revision), can_wait=True)).plan


def ask_about_edits(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Ask whether the person made the edits that wait, once in a run.

    Without a yes or no the run goes on, and the question stays open.
    """
    for question in plan.questions:
        if question.kind == EDIT and question.id not in session.edits_asked:
            session.edits_asked.add(question.id)
            shown = replace(question, text=question_text(question, session.language))
            plan, _ = yield from ask_person(session, shown)
    return plan
