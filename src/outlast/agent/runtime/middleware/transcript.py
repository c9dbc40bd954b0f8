"""Write the transcript of model and tool calls; lines tell run, lane and attempt apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Outcome, Thought

if TYPE_CHECKING:
    from outlast.agent.runtime.lane import CallNext, Lane


async def write_think(effect: e.Think, lane: Lane, call_next: CallNext) -> Outcome:
    """Write the new messages of a request, and the reply."""
    tools = [tool.name for tool in effect.tools]
    _write(lane, effect, "think", messages=to_builtins(lane.requests.last.new), tools=tools)
    outcome = await call_next(effect)
    if isinstance(outcome, Thought):
        calls, usage = to_builtins(outcome.calls), to_builtins(outcome.usage)
        fields = {"text": outcome.text, "calls": calls, "usage": usage, "failed": outcome.error}
        _write(lane, effect, "thought", **fields)
    return outcome


async def write_tool_call(effect: e.ToolCall, lane: Lane, call_next: CallNext) -> Outcome:
    """Write a call and its result."""
    _write(lane, effect, "act", call=to_builtins(effect.call))
    outcome = await call_next(effect)
    if isinstance(outcome, Acted):
        _write(lane, effect, "acted", output=outcome.output, failed=outcome.error)
    return outcome


def _write(lane: Lane, effect: e.Think | e.ToolCall, kind: str, **fields: Any) -> None:  # noqa: ANN401 - JSON
    run, attempt = lane.run, "" if isinstance(effect, e.PlanTool) else effect.attempt
    entry = {
        "at": run.now().isoformat(),
        "kind": kind,
        "run": run.token,
        "lane": lane.id,
        "attempt": attempt,
        "task": effect.task or 0,
        **fields,
    }
    run.transcript.write(run.plan, entry, is_scratch=run.is_scratch)
