"""Make a `PlanView`: what a loop or a model needs of a plan, bounded however large the plan is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.context.plan_view import PlanView
from outlast.model.budget import Budget, Spend
from outlast.model.model import BEGIN, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.state import PlanState

_BEFORE: Final = 2
_SHOWN: Final = 6
_NEEDS: Final = 3


def plan_view(
    state: PlanState, actor: str, *, is_scratch: bool = False, may_be_edited: bool = True
) -> PlanView:
    """Return the view of a plan for one actor, with a few tasks around the current one."""
    own = state.current_task(actor)
    index = state.current_step_index if own is None else state.graph.position(own)
    before = max(index - _BEFORE, 0)
    around = state.graph.order[before : before + _SHOWN]
    current = state.tasks.get(own or 0)
    counters, conversation = state.ledger.counters, state.ledger.conversation
    questions = conversation.questions.values()
    begin = [
        question.answer
        for question in questions
        if question.about == BEGIN and question.kind == "ask" and question.answer is not None
    ]
    return PlanView(
        goal=state.goal,
        status=state.status,
        revision=state.revision,
        iteration_count=state.iteration_count,
        done=state.finished_count,
        total=len(state.tasks),
        current=current,
        current_index=index,
        first_index=before,
        tasks=tuple(map(state.tasks.__getitem__, around)),
        attempts=tuple(state.ledger.attempts.values()),
        recent_work=state.ledger.done.get(current.id if current else 0, ()),
        is_scratch=is_scratch,
        title=state.title,
        phase=_phase(state, current),
        pause_reason=counters.pause_reason,
        task_iterations=counters.iterations.get(current.id, 0) if current else 0,
        model_managed=counters.managed,
        stop_count=counters.stops,
        seen_revision=counters.seen,
        may_be_edited=may_be_edited,
        last_completed=state.last_completed(),
        questions=tuple(state.open_questions()),
        begin_answer=begin[-1] if begin else "",
        new_messages=conversation.interjections,
        used=counters.spent.get(0, Spend()),
        budget=counters.budgets.get(0, Budget()),
        actor=actor,
        next_ready=state.tasks.get(state.next_ready() or 0),
        unmet_needs=_unmet_needs(state, around),
        assumed_end=state.assumed_end,
        needs_approval=state.needs_approval,
        id=state.id,
    )


def _unmet_needs(state: PlanState, tasks: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Return the first unfinished tasks that each of these tasks needs."""
    waiting = (task for task in tasks if task in state.graph.unmet)
    return {task: tuple(state.blocked_by(state.tasks[task])[:_NEEDS]) for task in waiting}


def _phase(state: PlanState, task: Task | None) -> str:
    return state.phases[task.phase].title if task else ""
