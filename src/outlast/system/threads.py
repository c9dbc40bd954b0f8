"""Call a function in a daemon thread of its own."""

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


async def call_in_thread(function: Callable[[], T]) -> T:
    """Call a function without blocking the event loop, even if it never returns.

    asyncio's own threads are few, so calls would wait for each other, and the process waits for
    them at its end. A daemon thread delays neither.
    """
    loop, context = get_running_loop(), copy_context()
    ended: Future[T] = loop.create_future()

    def call() -> None:
        try:
            result = context.run(function)
        except StopIteration as error:  # a future cannot hold it
            tell(_fail, RuntimeError(f"StopIteration: {error}"))
        except BaseException as error:  # noqa: BLE001 - raised to the caller
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
