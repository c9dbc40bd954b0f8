"""A plan at one moment, as much of it as a loop or a model needs, however large it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.budget import Budget, Spend
from outlast.ports.effects import PlanView

if TYPE_CHECKING:
    from outlast.domain.counters import Talk
    from outlast.domain.model import Question, Task
    from outlast.domain.state import PlanState

_BEFORE: Final = 2
_SHOWN: Final = 6
_ANSWERS: Final = 3


def view(state: PlanState, actor: str, *, kept: bool = True) -> PlanView:
    """Return what a loop needs of a plan, in the same size whatever the plan's."""
    place = state.current_step_index
    before = max(place - _BEFORE, 0)
    around = state.graph.order[before : before + _SHOWN]
    current = state.tasks.get(state.current(actor) or 0)
    books, talk = state.ledger.books, state.ledger.talk
    return PlanView(
        goal=state.goal,
        status=state.status,
        revision=state.revision,
        iteration_count=state.iteration_count,
        done=state.finished,
        total=len(state.tasks),
        current=current,
        place=place,
        before=before,
        tasks=tuple(map(state.tasks.__getitem__, around)),
        attempts=tuple(state.ledger.attempts.values()),
        already=state.ledger.done.get(current.id if current else 0, ()),
        kept=kept,
        title=state.title,
        phase=_phase(state, current),
        hold=books.paused_for,
        in_task=books.iterations.get(current.id, 0) if current else 0,
        managed=books.managed,
        stops=books.stops,
        last_done=state.completed_last(),
        questions=tuple(one for one in talk.questions.values() if one.answer is None),
        answered=_answered(talk),
        said=talk.said,
        used=books.spent.get(0, Spend()),
        budget=books.budgets.get(0, Budget()),
        actor=actor,
    )


def _phase(state: PlanState, task: Task | None) -> str:
    return state.phases[task.phase].title if task else ""


def _answered(talk: Talk) -> tuple[Question, ...]:
    """Return the last few questions that have an answer."""
    return tuple(one for one in talk.questions.values() if one.answer is not None)[-_ANSWERS:]
