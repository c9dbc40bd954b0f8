"""Call the hooks around a tool call, and at the points where a loop consults them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Advised, Outcome
from outlast.agent.events import Notified
from outlast.agent.runtime.middleware.traces import record_refusal
from outlast.agent.runtime.run import PlanOfRun
from outlast.errors import OutOfBudget, ToolFailed
from outlast.hooks.port import HookContext, HookResult, ToolResult
from outlast.language import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.agent.runtime.lane import CallNext, Lane
    from outlast.context.chat_model import Call


async def call_tool_hooks(effect: e.ToolCall, lane: Lane, call_next: CallNext) -> Outcome:
    """Call `pre_tool_use`, `post_tool_use` and `on_error` around a tool call.

    A call that a hook refuses is not run. A call without budget was not run either, so its end is
    not reported to hooks.
    """
    call = effect.call
    before = await _call_hooks(lane, HookContext("pre_tool_use", call.name, call.params))
    if not before.should_continue:
        return await _refuse(effect, lane, before)
    outcome = await call_next(effect)
    if not isinstance(outcome, Acted) or outcome.code == OutOfBudget.code:
        return outcome
    after = [await _call_hooks(lane, context) for context in _end_contexts(call, outcome)]
    injected = (block for result in (before, *after) for block in _injections(result))
    return replace(outcome, inject=(*outcome.inject, *injected))


async def consult_hooks(effect: e.Consult, lane: Lane, _call_next: CallNext) -> Outcome:
    """Call the hooks of the point that a loop names."""
    result = await _call_engine(lane, HookContext(effect.point, prompt=effect.text))
    notice = await _notice(lane, result)
    return Advised(result.should_continue, _injections(result), notice)


async def _refuse(effect: e.ToolCall, lane: Lane, result: HookResult) -> Acted:
    await record_refusal(effect, lane, "hook", _reason(result))
    error = text("hook_refused", lane.run.language)
    return Acted(error=error, code=e.HOOK_REFUSED, inject=_injections(result))


async def _call_hooks(lane: Lane, context: HookContext) -> HookResult:
    """Call the hooks of a point and emit their notification."""
    result = await _call_engine(lane, context)
    notice = await _notice(lane, result)
    if notice:
        lane.emit(Notified(notice, "hook"))
    return result


async def _call_engine(lane: Lane, context: HookContext) -> HookResult:
    run = lane.run
    source = PlanOfRun(run, lane.core) if run.lane_count else None
    result = await run.hooks.call_hooks(context, lane.hook_counts, source)
    lane.mark_stale()  # a rule may have committed
    return result


async def _notice(lane: Lane, result: HookResult) -> str:
    """Return the notification, unless the plan is lost: `fall_back` reports that once."""
    if not result.notification or lane.run.is_scratch:
        return result.notification
    await lane.refresh()
    return "" if lane.run.store_error else result.notification


def _reason(result: HookResult) -> str:
    """Return which hooks refuse and what they say, on one line, without the tags for the model."""
    lines = result.inject_context.splitlines()
    words = " ".join(line for line in lines if not line.startswith(("<", "["))).strip()
    if not words or result.refused_by in words:
        return words or result.refused_by
    return f"{result.refused_by}: {words}"


def _injections(result: HookResult) -> tuple[str, ...]:
    return (result.inject_context,) if result.inject_context else ()


def _end_contexts(call: Call, acted: Acted) -> Iterator[HookContext]:
    """Yield the points after a call: `post_tool_use`, and `on_error` if it failed."""
    result = ToolResult(not acted.error, acted.output, acted.error)
    error = _CallFailed("call_failed", problem=acted.error) if acted.error else None
    yield HookContext("post_tool_use", call.name, call.params, result, error)
    if error is not None:
        yield HookContext("on_error", call.name, call.params, result, error)


class _CallFailed(ToolFailed):
    """A failed call, in the words of the tool."""

    def __str__(self) -> str:
        return str(self.details["problem"])
