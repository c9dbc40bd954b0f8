"""Ask a model again that was too busy to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.ports import effects as e
from outlast.ports.events import Notified
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from outlast.application.runtime.run import Desk
    from outlast.config.settings import Limits
    from outlast.texts import Language

_BUSY: Final = "MODEL_BUSY"


class Retry:
    """Repeats a thought that the model had no time for; never anything else.

    It waits as long as it is told to, else twice as long each time, and gives up when the tries are
    used up or the next would come after the time that one thought may take in all.
    """

    def __init__(
        self,
        inner: e.Handler,
        desk: Desk,
        limits: Limits,
        sleep: Callable[[float], Awaitable[object]],
        language: Language = "en",
    ) -> None:
        """Wrap a handler; `sleep` waits so many seconds."""
        self._inner, self._desk, self._limits = inner, desk, limits
        self._sleep, self._language = sleep, language

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Repeat thinking; let the rest through."""
        begun = self._desk.now()
        reply = await self._inner.handle(effect)
        if not isinstance(effect, e.Think):
            return reply
        for tried in range(1, self._limits.tries):
            wait = _wait(reply, tried)
            passed = max((self._desk.now() - begun).total_seconds(), 0.0)  # a clock may be set back
            if wait is None or not passed + wait < self._limits.model_seconds:
                break
            said = text("model_busy_again", self._language, seconds=f"{wait:g}")
            await self._inner.handle(e.Tell(Notified(said, "retry")))
            await self._sleep(wait)
            left = self._limits.model_seconds - passed - wait
            reply = await self._inner.handle(replace(effect, seconds=left))
        return reply


def _wait(reply: e.Reply, tried: int) -> float | None:
    """Return how long to wait before another try; None if there is no point in one."""
    if not isinstance(reply, e.Thought) or reply.code != _BUSY:
        return None
    return float(2 ** (tried - 1)) if reply.retry_after is None else max(reply.retry_after, 0.0)
