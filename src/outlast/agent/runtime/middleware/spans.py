"""OpenTelemetry spans for model and tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Outcome, Thought
from outlast.system.tracer import OUTCOME, span

if TYPE_CHECKING:
    from outlast.agent.runtime.lane import CallNext, Lane
    from outlast.system.tracer import SpanWriter


async def trace_think(effect: e.Think, lane: Lane, call_next: CallNext) -> Outcome:
    """Open a span for a model call."""
    with span(
        "outlast.think", **_attributes(effect, lane, model=lane.run.resources.model.name)
    ) as note:
        outcome = await call_next(effect)
        _describe(outcome, note)
        return outcome


async def trace_tool_call(effect: e.ToolCall, lane: Lane, call_next: CallNext) -> Outcome:
    """Open a span for a tool call."""
    with span("outlast.act", **_attributes(effect, lane, tool=effect.call.name)) as note:
        outcome = await call_next(effect)
        _describe(outcome, note)
        return outcome


def _attributes(effect: e.Think | e.ToolCall, lane: Lane, **details: str) -> dict[str, str | int]:
    attempt = "" if isinstance(effect, e.PlanTool) else effect.attempt
    facts: dict[str, str | int] = {
        **details,
        "attempt": attempt,
        "task": effect.task or 0,
        "lane": lane.id,
    }
    return {f"outlast.{key}": value for key, value in facts.items()}


def _describe(outcome: Outcome, note: SpanWriter) -> None:
    if not isinstance(outcome, Thought | Acted):
        return
    word = (outcome.code or "failed") if outcome.error else "done"
    note(OUTCOME, word, failed=bool(outcome.error))
    if isinstance(outcome, Thought) and outcome.usage is not None:
        note("outlast.tokens.input", outcome.usage.input)
        note("outlast.tokens.output", outcome.usage.output)
