"""Wait for what others wrote, such as a tool, without being ended by it."""

from __future__ import annotations

from asyncio import CancelledError, current_task
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable

T = TypeVar("T")


async def unbroken(work: Awaitable[T]) -> T:
    """Return what comes of it; that it exits, or cancels itself, is a failure like any other."""
    try:
        return await work
    except SystemExit as error:
        raise RuntimeError(repr(error)) from error
    except CancelledError as error:
        task = current_task()
        if task is None or task.cancelling():  # it is us who are to end
            raise
        raise RuntimeError(repr(error)) from error
