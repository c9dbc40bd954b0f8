"""Emit an event when the plan changed, and the plan as a to-do list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.ports import effects as e
from outlast.ports.events import PlanMoved, Todo, TodoUpdated

if TYPE_CHECKING:
    from outlast.application.runtime.run import Run
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.ports.events import Event

_MAX_LISTED: Final = 100  # tasks around the current task
_BEFORE: Final = 20


class PlanEvents:
    """Compares the plan after each effect with the last reported state."""

    def __init__(self, inner: e.Handler, run: Run, *, todos: bool = True) -> None:
        """Wrap a handler; with `todos`, emit the to-do list too."""
        self._inner, self._run, self._todos = inner, run, todos
        self._last_state: tuple[object, ...] | None = None

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Handle an effect, then emit an event if the plan changed."""
        reply = await self._inner.handle(effect)
        if isinstance(reply, e.Emitted):
            return reply
        plan, state = reply.plan, _plan_state(reply.plan)
        if self._last_state is not None and state != self._last_state and not plan.is_scratch:
            current = plan.current.name if plan.current else ""
            event = PlanMoved(plan.revision, plan.status, plan.done, plan.total, current)
            await self._emit(event)
            if self._todos and plan.total:
                await self._emit(TodoUpdated(self._run.read(_todos)))
        self._last_state = state
        return reply

    async def _emit(self, event: Event) -> None:
        await self._inner.handle(e.Emit(event))


def _plan_state(plan: e.PlanView) -> tuple[object, ...]:
    return (
        plan.is_scratch,
        plan.goal,
        plan.status,
        plan.done,
        plan.total,
        plan.current,
        plan.pause_reason,
    )


def _todos(state: PlanState) -> tuple[Todo, ...]:
    first = max(state.current_step_index - _BEFORE, 0)
    around = state.graph.order[first : first + _MAX_LISTED]
    return tuple(_todo(state.tasks[task]) for task in around)


def _todo(task: Task) -> Todo:
    if task.finished:
        return Todo(task.name, "completed", task.active_form)
    running = task.status == "in_progress"
    return Todo(task.name, "in_progress" if running else "pending", task.active_form)
