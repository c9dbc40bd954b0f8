"""Limit the time and the tries of attempts, and the size of tool results and model replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent.context.conversation import truncate_result
from outlast.agent.effects import Acted, Outcome, Thought
from outlast.agent.events import Notified
from outlast.agent.runtime.attempt_costs import json_size
from outlast.agent.runtime.delegation import uses_lane
from outlast.agent.work import TIMED_OUT
from outlast.errors import OutOfBudget
from outlast.language import text

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.runtime.lane import CallNext, Lane

_GRACE_SECONDS: Final = 20.0  # that an agent may take to stop at its own time limit
_TOO_SLOW: Final = {"think": "model_too_slow", "act": "tool_too_slow", "delegate": "agent_too_slow"}
TOO_LARGE: Final = "TOO_LARGE"
_BUSY: Final = "MODEL_BUSY"


async def limit_time(
    effect: e.Think | e.Act | e.Delegate, lane: Lane, call_next: CallNext
) -> Outcome:
    """Limit the time of an attempt to the setting or to the reserved time, if lower.

    An agent ends its work in time itself, and tells what it has cost; only one that does not is
    stopped a little later.
    """
    if uses_lane(effect, lane):
        return await call_next(effect)
    limits = lane.run.spec.settings.limits
    setting = limits.model_seconds if effect.kind == "think" else limits.tool_seconds
    usual = effect.timeout or setting
    seconds = min(usual, effect.reserve.time or usual)
    try:
        grace = _GRACE_SECONDS if effect.kind == "delegate" else 0.0
        async with lane.run.resources.timeout(seconds + grace):
            return await call_next(effect)
    except TimeoutError:
        is_usual_limit = seconds == usual
        key = _TOO_SLOW[effect.kind] if is_usual_limit else "time_used_up"
        message = text(key, lane.run.language, seconds=f"{seconds:g}")
        return effect.failure(message, TIMED_OUT if is_usual_limit else OutOfBudget.code)


async def limit_size(effect: e.Effect, lane: Lane, call_next: CallNext) -> Outcome:
    """Truncate the middle of long tool results; refuse replies that are too large."""
    outcome = await call_next(effect)
    limits, language = lane.run.spec.settings.limits, lane.run.language
    if isinstance(outcome, Acted):
        limit = limits.output_characters
        output = truncate_result(outcome.output, limit, language)
        return replace(
            outcome, output=output, error=truncate_result(outcome.error, limit, language)
        )
    if not isinstance(outcome, Thought):
        return outcome
    limit = limits.reply_characters
    if len(outcome.text) + sum(map(json_size, outcome.calls)) <= limit:
        return replace(outcome, error=truncate_result(outcome.error, limit, language))
    message = text("reply_too_large", language, limit=limit)
    return replace(outcome, text="", calls=(), error=message, code=TOO_LARGE)


async def retry_busy_model(effect: e.Think, lane: Lane, call_next: CallNext) -> Outcome:
    """Retry a model call when the model was busy.

    It waits as long as the model asks, else twice as long each time. It gives up after the last
    try, or when the next try would start after the time that one call may take in all.
    """
    run, limits = lane.run, lane.run.spec.settings.limits
    started = run.resources.monotonic()
    outcome = await call_next(effect)
    for attempt in range(1, limits.tries):
        delay = _delay(outcome, attempt)
        elapsed = run.resources.monotonic() - started
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
