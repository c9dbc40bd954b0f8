"""Retry a model call when the model is busy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.ports import effects as e
from outlast.ports.events import Notified
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from outlast.application.runtime.run import Run
    from outlast.config.settings import Limits
    from outlast.texts import Language

_BUSY: Final = "MODEL_BUSY"


class Retry:
    """Retries `Think` when the model was busy; never anything else.

    It waits as long as the model asks, else twice as long each time. It gives up after the last
    try, or when the next try would start after the time that one `Think` may take in all.
    """

    def __init__(
        self,
        inner: e.Handler,
        run: Run,
        limits: Limits,
        sleep: Callable[[float], Awaitable[object]],
        language: Language = "en",
    ) -> None:
        self._inner, self._run, self._limits = inner, run, limits
        self._sleep, self._language = sleep, language

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Retry `Think`."""
        started = self._run.now()
        reply = await self._inner.handle(effect)
        if not isinstance(effect, e.Think):
            return reply
        for attempt in range(1, self._limits.tries):
            delay = _delay(reply, attempt)
            # Not below 0, even if the clock was set back.
            elapsed = max((self._run.now() - started).total_seconds(), 0.0)
            if delay is None or not elapsed + delay < self._limits.model_seconds:
                break
            notice = text("model_busy_again", self._language, seconds=f"{delay:g}")
            await self._inner.handle(e.Emit(Notified(notice, "retry")))
            await self._sleep(delay)
            remaining = self._limits.model_seconds - elapsed - delay
            reply = await self._inner.handle(replace(effect, timeout=remaining))
        return reply


def _delay(reply: e.Reply, attempt: int) -> float | None:
    """Return the seconds to wait before another try; None if a retry is pointless."""
    if not isinstance(reply, e.Thought) or reply.code != _BUSY:
        return None
    return float(2 ** (attempt - 1)) if reply.retry_after is None else max(reply.retry_after, 0.0)
