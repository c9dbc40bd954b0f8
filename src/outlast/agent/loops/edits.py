"""Edits that wait for a person's word: ask the person who is present."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.agent.loops.questions import ask_person
from outlast.documents.waiting_edits import EDIT, question_text

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.loops.session import Session
    from outlast.context.plan_view import PlanView


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
