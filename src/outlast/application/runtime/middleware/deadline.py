"""Stop model and tool calls that take too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import OutOfBudget
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from outlast.application.runtime.run import Run
    from outlast.config.settings import Limits
    from outlast.texts import Language

TIMED_OUT: Final = "TIMED_OUT"


class Deadline:
    """Limits the time of `Think` and `Act` to the setting or to the reserved time, if lower."""

    def __init__(
        self,
        inner: e.Handler,
        run: Run,
        limits: Limits,
        timeout: Callable[[float], AbstractAsyncContextManager[object]],
        language: Language = "en",
    ) -> None:
        """Wrap a handler; `timeout` returns a context that raises `TimeoutError`."""
        self._inner, self._run, self._limits = inner, run, limits
        self._timeout, self._language = timeout, language

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Execute with a timeout."""
        if not isinstance(effect, e.Think | e.Act):
            return await self._inner.handle(effect)
        is_think, usual = isinstance(effect, e.Think), self._limits.tool_seconds
        if isinstance(effect, e.Think):
            usual = effect.timeout or self._limits.model_seconds
        seconds = min(usual, effect.reserve.time or usual)
        try:
            async with self._timeout(seconds):
                return await self._inner.handle(effect)
        except TimeoutError:
            return self._timeout_reply(seconds, is_think=is_think, is_usual_limit=seconds == usual)

    def _timeout_reply(
        self, seconds: float, *, is_think: bool, is_usual_limit: bool
    ) -> e.Thought | e.Acted:
        """Report a timeout: of the usual limit, or of the time left in the budget."""
        key, kind = ("model_too_slow", e.Thought) if is_think else ("tool_too_slow", e.Acted)
        code = TIMED_OUT if is_usual_limit else OutOfBudget.code
        message = text(
            key if is_usual_limit else "time_used_up", self._language, seconds=f"{seconds:g}"
        )
        return kind(self._run.now(), self._run.view(), error=message, code=code)
