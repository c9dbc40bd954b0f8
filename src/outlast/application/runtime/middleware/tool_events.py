"""Emit an event when a tool call starts and when it ends, however it ends."""

from __future__ import annotations

from asyncio import CancelledError
from typing import TYPE_CHECKING

from outlast.ports import effects as e
from outlast.ports.events import CallEnded, CallStarted
from outlast.texts import text

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.application.runtime.run import Run
    from outlast.ports.events import Event
    from outlast.ports.model import Call


class ToolEvents:
    """Wraps tool calls in two events."""

    def __init__(self, inner: e.Handler, run: Run) -> None:
        self._inner, self._run = inner, run

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Emit both events around `Act`."""
        if not isinstance(effect, e.Act):
            return await self._inner.handle(effect)
        started = self._run.now()
        await self._emit(CallStarted(effect.call))
        try:
            reply = await self._inner.handle(effect)
        except GeneratorExit:  # a closing coroutine must not await
            raise
        except CancelledError:
            reason = text("call_interrupted", self._run.language)
            await self._emit_end(effect.call, started, error=reason)
            raise
        except BaseException as error:
            await self._emit_end(effect.call, started, error=type(error).__name__)
            raise
        if isinstance(reply, e.Acted):
            await self._emit_end(effect.call, started, reply.output, reply.error)
        return reply

    async def _emit_end(
        self, call: Call, started: datetime, output: str = "", error: str = ""
    ) -> None:
        elapsed = max((self._run.now() - started).total_seconds(), 0.0)
        await self._emit(CallEnded(call, output, error, elapsed))

    async def _emit(self, event: Event) -> None:
        await self._inner.handle(e.Emit(event))
