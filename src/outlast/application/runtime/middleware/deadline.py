"""Stop model and tool calls that take too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import OutOfBudget
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.runtime.lane import CallNext, Lane
    from outlast.ports import effects as e

TIMED_OUT: Final = "TIMED_OUT"
_TOO_SLOW: Final = {"think": "model_too_slow", "act": "tool_too_slow"}


async def limit_time(effect: e.Think | e.Act, lane: Lane, call_next: CallNext) -> e.Outcome:
    """Limit the time of an attempt to the setting or to the reserved time, if lower."""
    dependencies = lane.run.dependencies
    limits = dependencies.settings.limits
    setting = limits.model_seconds if effect.kind == "think" else limits.tool_seconds
    usual = effect.timeout or setting
    seconds = min(usual, effect.reserve.time or usual)
    try:
        async with dependencies.timeout(seconds):
            return await call_next(effect)
    except TimeoutError:
        is_usual_limit = seconds == usual
        key = _TOO_SLOW[effect.kind] if is_usual_limit else "time_used_up"
        message = text(key, lane.run.language, seconds=f"{seconds:g}")
        return effect.failure(message, TIMED_OUT if is_usual_limit else OutOfBudget.code)
