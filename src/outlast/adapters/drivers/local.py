"""Run a loop in this process with asyncio."""

from __future__ import annotations

from asyncio import CancelledError, sleep
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from outlast.ports.effects import Act, Cancelled, LeaseLost, Think

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.ports.effects import Effect, Handler, Loop

T = TypeVar("T")


def never() -> bool:
    """Return False: the run is never cancelled from outside."""
    return False


async def run(loop: Loop[T], handler: Handler, is_cancelled: Callable[[], bool] = never) -> T:
    """Pass the effects of a loop to the handler, one after the other, until the loop ends.

    A cancellation is thrown into the loop as `Cancelled`, so that it can leave its plan in order,
    and is raised again afterwards. A second cancellation or an error of the handler ends the loop
    at once. `is_cancelled` reports a cancellation that a tool swallowed.
    """
    try:
        return await _drive(loop, handler, partial(next, loop), is_cancelled)
    except CancelledError:
        with suppress(Cancelled, LeaseLost):
            await _drive(loop, handler, partial(loop.throw, Cancelled()), never)
        raise
    finally:
        loop.close()


async def _drive(
    loop: Loop[T], handler: Handler, step: Callable[[], Effect], is_cancelled: Callable[[], bool]
) -> T:
    while True:
        if is_cancelled():
            raise CancelledError
        try:
            effect = step()
        except StopIteration as end:
            result: T = end.value
            return result
        if isinstance(effect, Think | Act):
            await sleep(0)  # a handler may never suspend; let other tasks run
        step = partial(loop.send, await handler.handle(effect))
