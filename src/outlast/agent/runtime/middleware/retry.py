"""Retry a model call when the model is busy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent.effects import Outcome, Thought
from outlast.agent.events import Notified
from outlast.language import text

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.runtime.lane import CallNext, Lane

_BUSY: Final = "MODEL_BUSY"


async def retry_busy_model(effect: e.Think, lane: Lane, call_next: CallNext) -> Outcome:
    """Retry a model call when the model was busy.

    It waits as long as the model asks, else twice as long each time. It gives up after the last
    try, or when the next try would start after the time that one call may take in all.
    """
    run, limits = lane.run, lane.run.spec.settings.limits
    started = run.now()
    outcome = await call_next(effect)
    for attempt in range(1, limits.tries):
        delay = _delay(outcome, attempt)
        # Not below 0, even if the clock was set back.
        elapsed = max((run.now() - started).total_seconds(), 0.0)
        if delay is None or not elapsed + delay < limits.model_seconds:
            break
        notice = text("model_busy_again", run.language, seconds=f"{delay:g}")
        lane.emit(Notified(notice, "retry"))
        await run.resources.sleep(delay)
        remaining = limits.model_seconds - elapsed - delay
        again = replace(effect, commands=(), on_start=(), timeout=remaining)
        outcome = await call_next(again)
    return outcome


def _delay(outcome: Outcome, attempt: int) -> float | None:
    """Return the seconds to wait before another try; None if a retry is pointless."""
    if not isinstance(outcome, Thought) or outcome.code != _BUSY:
        return None
    wanted = outcome.retry_after
    return float(2 ** (attempt - 1)) if wanted is None else max(wanted, 0.0)
