"""Tell of every tool call when it starts and when it ends, however it ends."""

from __future__ import annotations

from asyncio import CancelledError
from typing import TYPE_CHECKING

from outlast.ports import effects as e
from outlast.ports.events import CallEnded, CallStarted
from outlast.texts import text

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.application.runtime.run import Desk
    from outlast.ports.events import Event
    from outlast.ports.model import Call


class CallsTold:
    """Wraps the calls of tools in two events."""

    def __init__(self, inner: e.Handler, desk: Desk) -> None:
        """Wrap a handler."""
        self._inner, self._desk = inner, desk

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Tell of acting; let the rest through."""
        if not isinstance(effect, e.Act):
            return await self._inner.handle(effect)
        begun = self._desk.now()
        await self._tell(CallStarted(effect.call))
        try:
            reply = await self._inner.handle(effect)
        except GeneratorExit:  # who is closed may wait for nobody any more
            raise
        except CancelledError:
            broken_off = text("call_broken_off", self._desk.language)
            await self._ended(effect.call, begun, failed=broken_off)
            raise
        except BaseException as error:
            await self._ended(effect.call, begun, failed=type(error).__name__)
            raise
        if isinstance(reply, e.Acted):
            await self._ended(effect.call, begun, reply.output, reply.failed)
        return reply

    async def _ended(self, call: Call, begun: datetime, output: str = "", failed: str = "") -> None:
        took = max((self._desk.now() - begun).total_seconds(), 0.0)
        await self._tell(CallEnded(call, output, failed, took))

    async def _tell(self, event: Event) -> None:
        await self._inner.handle(e.Tell(event))
