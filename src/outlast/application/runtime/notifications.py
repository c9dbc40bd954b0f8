"""Reach a person who is not looking when there is something to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.ports.events import Asked, Notified, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.ports.events import Event
    from outlast.ports.notify import Notifier, Occasion


def notifying(notifier: Notifier) -> Callable[[Event], object]:
    """Return a listener that passes on what a person should know."""

    def listen(event: Event) -> None:
        occasion = _occasion(event)
        if occasion is not None:
            notifier.notify(*occasion)

    return listen


def _occasion(event: Event) -> tuple[Occasion, str] | None:
    match event:
        case Asked():
            return "question", event.question.text
        case Notified(kind="budget"):
            return "budget", event.text
        case Stopped(why="finished"):
            return "finished", event.text
        case Stopped(why="limit" | "budget" | "unsettled" | "model_failed"):
            return "blocked", event.text
    return None
