"""Limit the size of tool results and model replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent.context.tool_results import truncate_result
from outlast.agent.outcomes import Acted, Outcome, Thought
from outlast.agent.runtime.costs import json_size
from outlast.language import text

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.runtime.lane import CallNext, Lane

TOO_LARGE: Final = "TOO_LARGE"


async def limit_size(effect: e.Effect, lane: Lane, call_next: CallNext) -> Outcome:
    """Truncate the middle of long tool results; refuse replies that are too large."""
    outcome = await call_next(effect)
    limits, language = lane.run.dependencies.settings.limits, lane.run.language
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
