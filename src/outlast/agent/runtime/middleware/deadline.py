"""Stop model and tool calls that take too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.agent.runtime.delegation.lane import uses_lane
from outlast.agent.work import TIMED_OUT
from outlast.errors import OutOfBudget
from outlast.language import text

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.outcomes import Outcome
    from outlast.agent.runtime.lane import CallNext, Lane

_GRACE_SECONDS: Final = 20.0  # that an agent may take to stop at its own time limit
_TOO_SLOW: Final = {
    "think": "model_too_slow",
    "act": "tool_too_slow",
    "delegate": "agent_too_slow",
}


async def limit_time(
    effect: e.Think | e.Act | e.Delegate, lane: Lane, call_next: CallNext
) -> Outcome:
    """Limit the time of an attempt to the setting or to the reserved time, if lower.

    An agent ends its work in time itself, and tells what it has cost; only one that does not is
    stopped a little later.
    """
    if uses_lane(effect, lane):
        return await call_next(effect)
    dependencies = lane.run.dependencies
    limits = dependencies.settings.limits
    setting = limits.model_seconds if effect.kind == "think" else limits.tool_seconds
    usual = effect.timeout or setting
    seconds = min(usual, effect.reserve.time or usual)
    try:
        grace = _GRACE_SECONDS if effect.kind == "delegate" else 0.0
        async with dependencies.timeout(seconds + grace):
            return await call_next(effect)
    except TimeoutError:
        is_usual_limit = seconds == usual
        key = _TOO_SLOW[effect.kind] if is_usual_limit else "time_used_up"
        message = text(key, lane.run.language, seconds=f"{seconds:g}")
        return effect.failure(message, TIMED_OUT if is_usual_limit else OutOfBudget.code)
