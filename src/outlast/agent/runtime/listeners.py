"""Listeners of a loop's events: call them safely, notify people, tell when the plan has changed."""

from __future__ import annotations

from asyncio import CancelledError
from typing import TYPE_CHECKING, Final

from outlast.agent.events import Asked, Event, Notified, Stopped
from outlast.plan.tools.calls import Todo
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.agent.people.person import Notifier, Occasion
    from outlast.context.plan_view import PlanView
    from outlast.model.model import Task
    from outlast.model.state import PlanState

_BLOCKED: Final = ("limit", "budget", "unsettled", "model_failed", "unavailable", "paused")
_MAX_LISTED: Final = 100  # tasks around the current task
_BEFORE: Final = 20


def send_event(listener: Callable[[Event], object] | None, event: Event) -> None:
    """Call a listener with an event; log its failure and continue.

    A listener is not a task that could be cancelled, so a `CancelledError` from it is a failure
    too.
    """
    if listener is None:
        return
    try:
        listener(event)
    except (Exception, CancelledError):
        LOG.exception("a listener failed")


def notification_listener(notifier: Notifier) -> Callable[[Event], object]:
    """Return a listener that forwards to the notifier what a person should know."""
    was_asked = False

    def listen(event: Event) -> None:
        nonlocal was_asked
        was_asked = was_asked or isinstance(event, Asked)
        occasion = _occasion(event, was_asked=was_asked)
        if occasion is not None:
            notifier.notify(*occasion)

    return listen


def _occasion(event: Event, *, was_asked: bool) -> tuple[Occasion, str] | None:
    """Return what to notify of; a run that waits for an answer has asked for it already."""
    match event:
        case Asked():
            return "question", event.question.text
        case Notified(kind="budget"):
            return "budget", event.text
        case Stopped(why="finished"):
            return "finished", event.text
        case Stopped(why=why) if why in _BLOCKED:
            return "blocked", event.text
        case Stopped(why="waiting") if not was_asked:
            return "blocked", event.text
    return None


def shown_state(plan: PlanView) -> tuple[object, ...]:
    """Return the part of a view whose change is an event, besides the current task of a lane."""
    return (plan.is_scratch, plan.goal, plan.status, plan.done, plan.total, plan.pause_reason)


def todo_list(state: PlanState) -> tuple[Todo, ...]:
    """Return the tasks around the current one as a to-do list."""
    first = max(state.current_step_index - _BEFORE, 0)
    around = state.graph.order[first : first + _MAX_LISTED]
    return tuple(_todo(state.tasks[task]) for task in around)


def _todo(task: Task) -> Todo:
    if task.finished:
        return Todo(task.name, "completed", task.active_form)
    running = task.status == "in_progress"
    return Todo(task.name, "in_progress" if running else "pending", task.active_form)
