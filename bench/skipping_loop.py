"""An event loop that does not wait for timers: when nobody works, the next one is due at once.

Its clock is the real one plus what was skipped, so that work takes as long as it does, and a sleep
of minutes takes no time.
"""

from __future__ import annotations

import asyncio
from selectors import DefaultSelector
from typing import TYPE_CHECKING, Final

from outlast.store.commit_pool import POOL
from outlast.system.threads import count_calls

if TYPE_CHECKING:
    from selectors import SelectorKey

_LOOK_SECONDS: Final = 0.001  # between two looks at threads that work


class _SkippingSelector(DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.skipped = 0.0
        self._others = count_calls()  # of another loop, and perhaps stuck

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            return super().select(0)
        if count_calls() > self._others or not POOL.is_idle():
            return super().select(_LOOK_SECONDS)
        found = super().select(0)  # what threads have handed over just now
        if found or timeout is None:
            return found or super().select(None)
        self.skipped += timeout
        return []


class SkippingLoop(asyncio.SelectorEventLoop):
    """Runs tasks whose sleeps take no time; programs and connections must not be waited for."""

    def __init__(self) -> None:
        self._skipping = _SkippingSelector()
        super().__init__(self._skipping)

    def time(self) -> float:
        """Return the seconds on the clock of this loop."""
        return super().time() + self._skipping.skipped
