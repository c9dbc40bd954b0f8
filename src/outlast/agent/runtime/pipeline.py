"""The pipeline: which middleware wraps which effects, around the executor."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from outlast.agent import effects as e
from outlast.agent.runtime.executor import execute
from outlast.agent.runtime.lane import Lane
from outlast.agent.runtime.middleware.attempts import end_settled, record_attempt
from outlast.agent.runtime.middleware.budget import (
    charge_plan_tool,
    reserve_order,
    reserve_tokens,
    reserve_tool_call,
)
from outlast.agent.runtime.middleware.fallback import fall_back
from outlast.agent.runtime.middleware.hooks import call_tool_hooks, consult_hooks
from outlast.agent.runtime.middleware.limits import limit_size, limit_time
from outlast.agent.runtime.middleware.permission import ask_permission
from outlast.agent.runtime.middleware.plan_creation import create_plan, leave_ended_plan
from outlast.agent.runtime.middleware.repeated_calls import answer_repeat, expect_repeats
from outlast.agent.runtime.middleware.retry import retry_busy_model
from outlast.agent.runtime.middleware.spans import trace_think, trace_tool_call
from outlast.agent.runtime.middleware.tool_events import emit_tool_events
from outlast.agent.runtime.middleware.transcript import write_think, write_tool_call
from outlast.agent.runtime.middleware.workspace import find_edits, hold_workspace, watch_workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.agent.effects import Outcome
    from outlast.agent.runtime.lane import Handler
    from outlast.agent.runtime.run import Run

    Layer = tuple[Any, Any]  # a middleware, and the kinds of effects that it wraps

# The outermost first.
LAYERS: Final[tuple[Layer, ...]] = (
    (fall_back, object),
    (expect_repeats, e.Consult),
    (consult_hooks, e.Consult),
    (answer_repeat, e.Act),
    (call_tool_hooks, e.ToolCall),
    (emit_tool_events, e.ToolCall),
    (ask_permission, e.Act),
    (retry_busy_model, e.Think),
    (create_plan, e.CreatePlan),
    (leave_ended_plan, e.Think),
    (reserve_tokens, e.Think),
    (hold_workspace, e.Act | e.Delegate),
    (reserve_tool_call, e.Act),
    (reserve_order, e.Delegate),
    (charge_plan_tool, e.PlanTool),
    (record_attempt, e.Attempted),
    (find_edits, e.Act | e.Delegate),
    (watch_workspace, e.Delegate),
    (end_settled, e.Settle),
    (trace_think, e.Think),
    (trace_tool_call, e.ToolCall),
    (write_think, e.Think),
    (write_tool_call, e.ToolCall),
    (limit_time, e.Attempted),
    (limit_size, e.Attempted | e.PlanTool),
)


def main_lane(run: Run, layers: Sequence[Layer] = LAYERS) -> Lane:
    """Return the main lane of a run."""
    return Lane(run, compose(layers, execute))


def compose(layers: Sequence[Layer], innermost: Handler) -> Handler:
    """Return a handler that passes each effect through the layers that wrap its type."""

    @lru_cache
    def handler_of(kind: type) -> Handler:
        handler = innermost
        for middleware, kinds in reversed(layers):
            if issubclass(kind, kinds):
                handler = _wrap(middleware, handler)
        return handler

    async def handle(effect: e.Effect, lane: Lane) -> Outcome:
        return await handler_of(type(effect))(effect, lane)

    return handle


def _wrap(middleware: Any, inner: Handler) -> Handler:  # noqa: ANN401 - for the effects of its kinds only
    def handle(effect: e.Effect, lane: Lane) -> Any:  # noqa: ANN401 - an awaitable
        return middleware(effect, lane, lambda passed: inner(passed, lane))

    return handle
