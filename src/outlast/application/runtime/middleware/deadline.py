"""End what takes too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import OutOfBudget
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from outlast.application.runtime.run import Desk
    from outlast.config.settings import Limits
    from outlast.texts import Language

TIMED_OUT: Final = "TIMED_OUT"


class Deadline:
    """Gives thoughts and tools a time, the rest of the budget's if that is less."""

    def __init__(
        self,
        inner: e.Handler,
        desk: Desk,
        limits: Limits,
        timeout: Callable[[float], AbstractAsyncContextManager[object]],
        language: Language = "en",
    ) -> None:
        """Wrap a handler; `timeout` makes a block that raises `TimeoutError` when it is over."""
        self._inner, self._desk, self._limits = inner, desk, limits
        self._timeout, self._language = timeout, language

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Break off what takes too long; let the rest take its time."""
        if not isinstance(effect, e.Think | e.Act):
            return await self._inner.handle(effect)
        thinks, usual = isinstance(effect, e.Think), self._limits.tool_seconds
        if isinstance(effect, e.Think):
            usual = effect.seconds or self._limits.model_seconds
        seconds = min(usual, effect.reserve.time or usual)
        try:
            async with self._timeout(seconds):
                return await self._inner.handle(effect)
        except TimeoutError:
            return self._ended(seconds, thinks=thinks, paid=seconds == usual)

    def _ended(self, seconds: float, *, thinks: bool, paid: bool) -> e.Thought | e.Acted:
        """Say that something was broken off: it was too slow, or its time could not be paid for."""
        key, kind = ("model_too_slow", e.Thought) if thinks else ("tool_too_slow", e.Acted)
        code = TIMED_OUT if paid else OutOfBudget.code
        said = text(key if paid else "time_used_up", self._language, seconds=f"{seconds:g}")
        return kind(self._desk.now(), self._desk.look(), failed=said, code=code)
