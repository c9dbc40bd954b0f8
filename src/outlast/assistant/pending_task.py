"""`PendingPlanTask`: a task of the assistant that is not over, as the document describes it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from outlast.agent.effects import Clarification
from outlast.agent.loops.replan_loop.progress import show_question
from outlast.agent.runtime.delegation.positions import replan_state
from outlast.model.model import PLAN
from outlast.model.replan_position import Observation
from outlast.plan.core import has_ended

if TYPE_CHECKING:
    from outlast.language import Language
    from outlast.model.model import Question
    from outlast.model.state import PlanState

TaskState = Literal["waiting", "paused", "interrupted", "working"]


class PendingPlanTask(Struct, frozen=True):
    """A task that is not over, at one moment (R3.17). `key` is that of its plan.

    `plan_items` are the items of the present list; the one at `current_plan_index` is worked on,
    those before it are finished. `state` is `waiting` for an answer, `paused` at a limit or by the
    user, `interrupted` by the end of its process, or `working`: a process has its lease.
    `finished_items` are those of all lists. `question_shown` is what waits for an answer, as people
    read it: a question of the model, which `awaiting_clarification` is about, or a change of the
    plan to review.
    """

    key: str
    goal: str
    state: TaskState
    updated_at: datetime
    plan_initialized: bool = False
    plan_items: list[str] = []
    current_plan_index: int = 0
    awaiting_clarification: bool = False
    needs_replan: bool = False
    last_thought_snapshot: str | None = None
    observations: list[Observation] = []
    step_count: int = 0
    step_limit: int = 0
    successful_steps: int = 0
    failed_steps: int = 0
    clarification_history: list[Clarification] = []
    last_ask_user_question: str | None = None
    finished_items: list[str] = []
    question_shown: str = ""

    @property
    def is_free(self) -> bool:
        """Whether no process works on it."""
        return self.state != "working"


def describe_task(
    key: str, state: PlanState, now: datetime, language: Language = "en"
) -> PendingPlanTask | None:
    """Return the task of a plan as it is now; None if it is over."""
    if state.has_ended:
        return None
    replan = replan_state(state)
    position, question = replan.position, replan.question
    asked = [each.question for each in replan.clarifications]
    clarification = question if question is not None and question.kind == "ask" else None
    if clarification is not None:
        asked.append(clarification.text)
    return PendingPlanTask(
        key=key,
        goal=state.goal,
        state=_state_of(state, question, now),
        updated_at=state.updated_at,
        plan_initialized=position.is_planned,
        plan_items=[item.name for item in replan.items],
        current_plan_index=position.cursor,
        awaiting_clarification=clarification is not None,
        needs_replan=position.needs_replan,
        last_thought_snapshot=position.snapshot or None,
        observations=[*replan.observations],
        step_count=position.steps,
        step_limit=position.limit,
        successful_steps=position.successes,
        failed_steps=position.failures,
        clarification_history=[*replan.clarifications],
        last_ask_user_question=asked[-1] if asked else None,
        finished_items=[*replan.finished],
        question_shown=show_question(question, language) if question else "",
    )


def _state_of(state: PlanState, question: Question | None, now: datetime) -> TaskState:
    if state.ledger.live_lease(PLAN, now, has_ended) is not None:
        return "working"
    if question is not None:
        return "waiting"
    return "paused" if state.status == "paused" else "interrupted"
