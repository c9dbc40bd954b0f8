"""Run a loop in this process, with asyncio."""

from __future__ import annotations

from asyncio import CancelledError, sleep
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from outlast.ports.effects import Act, Cancelled, Overtaken, Think

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.ports.effects import Effect, Handler, Loop

T = TypeVar("T")


def never() -> bool:
    """Tell of no end."""
    return False


async def run(loop: Loop[T], handler: Handler, is_over: Callable[[], bool] = never) -> T:
    """Have the effects of a loop carried out, one after the other, until it ends.

    When this is cancelled the loop is told, may put its plan in order, and the cancellation goes
    on from there; a second one ends it at once. An error of a handler ends it too. `is_over` tells
    that it was cancelled while a tool ran that did not pass it on.
    """
    try:
        return await _go_on(loop, handler, partial(next, loop), is_over)
    except CancelledError:
        with suppress(Cancelled, Overtaken):
            await _go_on(loop, handler, partial(loop.throw, Cancelled()), never)
        raise
    finally:
        loop.close()


async def _go_on(
    loop: Loop[T], handler: Handler, step: Callable[[], Effect], is_over: Callable[[], bool]
) -> T:
    while True:
        if is_over():
            raise CancelledError
        try:
            effect = step()
        except StopIteration as end:
            result: T = end.value
            return result
        if isinstance(effect, Think | Act):
            await sleep(0)  # neither may ever wait, and others want their turn: to cancel, say
        step = partial(loop.send, await handler.handle(effect))
