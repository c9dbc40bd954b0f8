"""Guards around foreign code: a model, a tool or a person must not break the run."""

from __future__ import annotations

import asyncio
from asyncio import CancelledError
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import DecodeError, json

from outlast.context.chat_model import Reply
from outlast.errors import ModelFailed, OutlastError
from outlast.language import Language, explain
from outlast.model.limits import json_words
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from outlast.plan.core import PlanCore

T = TypeVar("T")
_STOP_INTERVAL: Final = 0.1  # seconds: a check may start another program after a stop
_ERROR_CHARACTERS: Final = 2_000


async def shield(work: Awaitable[T]) -> T:
    """Await foreign code; raise `RuntimeError` if it exits the process or cancels itself."""
    try:
        return await work
    except SystemExit as error:
        raise RuntimeError(repr(error)) from error
    except CancelledError as error:
        if is_cancelling():  # the run itself
            raise
        raise RuntimeError(repr(error)) from error


def is_cancelling() -> bool:
    """Return whether this task was cancelled, even if foreign code swallowed the cancellation.

    It may have had an outcome that must be recorded first.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def run_in_thread(core: PlanCore, call: Callable[[], T]) -> T:
    """Make a call in a thread; on cancellation, stop its checks and wait for its end."""
    task = asyncio.create_task(call_in_thread(call))
    try:
        return await asyncio.shield(task)
    except CancelledError:
        while not task.done():
            core.stop_checks()
            await asyncio.wait((task,), timeout=_STOP_INTERVAL)
        raise


def validate_reply(reply: object) -> Reply:
    """Return a well-formed reply of a model; raise `ModelFailed` for anything else."""
    try:
        if isinstance(reply, Reply):
            return json.decode(json.encode(reply), type=Reply)
    except (DecodeError, TypeError, ValueError, RecursionError, OverflowError) as error:
        raise ModelFailed("reply_wrong", problem=type(error).__name__, usage=None) from error
    raise ModelFailed("reply_wrong", problem=type(reply).__name__, usage=None)


def error_text(error: Exception, language: Language = "en") -> str:
    """Return the text of an error for a model; foreign errors may have any text, or none."""
    if not isinstance(error, OutlastError):
        return _foreign_error_text(error)
    try:
        return to_text(explain(json_words(error), language))
    except (LookupError, TypeError):  # not one of our texts
        return to_text(error.text)


def _foreign_error_text(error: Exception) -> str:
    kind = type(error).__name__
    try:
        return to_text(f"{kind}: {error}"[:_ERROR_CHARACTERS])
    except Exception:  # noqa: BLE001 - an error whose own __str__ raises
        return kind


def to_text(value: object) -> str:
    """Return a value as a text that can be stored and sent."""
    return str(value).encode(errors="backslashreplace").decode()
