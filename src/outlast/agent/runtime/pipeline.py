"""The pipeline: which middleware wraps which effects, around the executor."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from outlast.agent import effects as e
from outlast.agent.runtime.executor import execute
from outlast.agent.runtime.lane import Handler, Lane
from outlast.agent.runtime.middleware import (
    attempts,
    budget,
    hooks,
    limits,
    permission,
    plan_switches,
    repeated_calls,
    traces,
    workspace,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.agent.effects import Outcome
    from outlast.agent.runtime.run import Run

    Layer = tuple[Any, Any]  # a middleware, and the kinds of effects that it wraps

# The outermost first.
LAYERS: Final[tuple[Layer, ...]] = (
    (plan_switches.fall_back, object),
    (repeated_calls.expect_repeats, e.Consult),
    (hooks.consult_hooks, e.Consult),
    (repeated_calls.answer_repeat, e.Act),
    (hooks.call_tool_hooks, e.ToolCall),
    (traces.emit_tool_events, e.ToolCall),
    (permission.ask_permission, e.Act),
    (limits.retry_busy_model, e.Think),
    (plan_switches.create_plan, e.CreatePlan),
    (plan_switches.leave_ended_plan, e.Think),
    (budget.reserve_tokens, e.Think),
    (workspace.hold_workspace, e.Act | e.Delegate),
    (budget.reserve_tool_call, e.Act),
    (budget.reserve_order, e.Delegate),
    (budget.charge_plan_tool, e.PlanTool),
    (attempts.record_attempt, e.Attempted),
    (workspace.find_edits, e.Act | e.Delegate),
    (workspace.watch_workspace, e.Delegate),
    (attempts.end_settled, e.Settle),
    (traces.trace_think, e.Think),
    (traces.trace_tool_call, e.ToolCall),
    (traces.write_think, e.Think),
    (traces.write_tool_call, e.ToolCall),
    (limits.limit_time, e.Attempted),
    (limits.limit_size, e.Attempted | e.PlanTool),
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
