"""Tell of every tool call when it starts and when it ends, however it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.ports import effects as e

if TYPE_CHECKING:
    from outlast.ports.model import Call


class CallsTold:
    """Wraps the calls of tools in two events."""

    def __init__(self, inner: e.Handler) -> None:
        """Wrap a handler."""
        self._inner = inner

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Tell of acting; let the rest through."""
        if not isinstance(effect, e.Act):
            return await self._inner.handle(effect)
        await self._tell(e.CallStarted(effect.call))
        try:
            reply = await self._inner.handle(effect)
        except GeneratorExit:  # who is closed may wait for nobody any more
            raise
        except BaseException as error:
            await self._ended(effect.call, failed=type(error).__name__)
            raise
        if isinstance(reply, e.Acted):
            await self._ended(effect.call, reply.output, reply.failed)
        return reply

    async def _ended(self, call: Call, output: str = "", failed: str = "") -> None:
        await self._tell(e.CallEnded(call, output, failed))

    async def _tell(self, event: e.Event) -> None:
        await self._inner.handle(e.Tell(event))
