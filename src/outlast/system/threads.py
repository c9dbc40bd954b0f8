"""Run a function in a thread of its own, which nobody has to wait for."""

from __future__ import annotations

from asyncio import get_running_loop
from contextlib import suppress
from contextvars import copy_context
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable

T = TypeVar("T")


async def in_thread(function: Callable[[], T]) -> T:
    """Call a function; one that never returns keeps neither the loop nor the process from ending.

    The threads of asyncio itself are few, so that one has to wait for the others, and are waited
    for at the end of a process, however long that takes.
    """
    loop, context = get_running_loop(), copy_context()
    ended: Future[T] = loop.create_future()

    def call() -> None:
        try:
            result = context.run(function)
        except StopIteration as error:  # which no future can carry
            tell(_fail, RuntimeError(f"StopIteration: {error}"))
        except BaseException as error:  # noqa: BLE001 - it goes where the function was called
            tell(_fail, error)
        else:
            tell(_succeed, result)

    def tell(how: Callable[..., None], what: object) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(how, ended, what)

    Thread(target=call, name="outlast-call", daemon=True).start()
    return await ended


def _succeed(ended: Future[T], result: T) -> None:
    if not ended.done():
        ended.set_result(result)


def _fail(ended: Future[T], error: BaseException) -> None:
    if not ended.done():
        ended.set_exception(error)
