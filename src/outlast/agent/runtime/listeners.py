"""Listeners of a loop's events: call them safely, notify people."""

from __future__ import annotations

from asyncio import CancelledError
from typing import TYPE_CHECKING, Final

from outlast.agent.events import Asked, Notified, Stopped
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.agent.events import Event
    from outlast.agent.people.person import Notifier, Occasion


_BLOCKED: Final = ("limit", "budget", "unsettled", "model_failed", "unavailable", "paused")


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
