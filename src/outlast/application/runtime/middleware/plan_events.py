"""Tell when the plan has moved on, and show it as the list that models keep for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.ports import effects as e
from outlast.ports.events import PlanMoved, Todo, TodoUpdated

if TYPE_CHECKING:
    from outlast.application.runtime.run import Desk
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.ports.events import Event

_LISTED: Final = 100  # tasks around the current one
_BEFORE: Final = 20


class MovesTold:
    """Compares the plan after each effect with what was told of it last."""

    def __init__(self, inner: e.Handler, desk: Desk, *, todos: bool = True) -> None:
        """Wrap a handler; with `todos` the list is told too."""
        self._inner, self._desk, self._todos = inner, desk, todos
        self._told: tuple[object, ...] | None = None

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Carry an effect out and tell if the plan has moved."""
        reply = await self._inner.handle(effect)
        if isinstance(reply, e.Told):
            return reply
        plan, seen = reply.plan, _standing(reply.plan)
        if self._told is not None and seen != self._told and plan.kept:
            current = plan.current.name if plan.current else ""
            moved = PlanMoved(plan.revision, plan.status, plan.done, plan.total, current)
            await self._tell(moved)
            if self._todos and plan.total:
                await self._tell(TodoUpdated(self._desk.read(_todos)))
        self._told = seen
        return reply

    async def _tell(self, event: Event) -> None:
        await self._inner.handle(e.Tell(event))


def _standing(plan: e.PlanView) -> tuple[object, ...]:
    return plan.kept, plan.goal, plan.status, plan.done, plan.total, plan.current, plan.hold


def _todos(state: PlanState) -> tuple[Todo, ...]:
    first = max(state.current_step_index - _BEFORE, 0)
    around = state.graph.order[first : first + _LISTED]
    return tuple(_todo(state.tasks[task]) for task in around)


def _todo(task: Task) -> Todo:
    if task.finished:
        return Todo(task.name, "completed", task.active_form)
    running = task.status == "in_progress"
    return Todo(task.name, "in_progress" if running else "pending", task.active_form)
