"""Tell whoever listens to a loop what happens, whatever comes of that."""

from __future__ import annotations

from asyncio import CancelledError
from typing import TYPE_CHECKING

from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.ports.events import Event


def inform(listener: Callable[[Event], object] | None, event: Event) -> None:
    """Tell of an event; a listener that fails is logged, and the loop goes on.

    It is no task of ours that could be cancelled, so one that says so has failed too.
    """
    if listener is None:
        return
    try:
        listener(event)
    except (Exception, CancelledError):
        LOG.exception("a listener failed")
