"""The tool loop: settle what is open, then think and act until the plan is finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application import context
from outlast.domain.commands import CountIteration, Pause
from outlast.ports import effects as e
from outlast.ports.model import Message
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.ports.model import Call, ToolSpec
    from outlast.texts import Language

End = tuple[e.Why, str]
_PAUSING: Final = ("limit", "unsettled", "model_failed", "cancelled")


def tool_loop(
    goal: str, tools: tuple[ToolSpec, ...], *, max_iterations: int = 20, language: Language = "en"
) -> e.Loop[e.Stopped]:
    """Work on a plan until it is finished, the model answers, or the iterations are spent.

    The conversation lives only here: on a plan with a past a new one begins from a summary.
    """
    try:
        why, words = yield from _work(goal, tools, max_iterations, language)
    except e.Cancelled:
        why, words = "cancelled", text("loop_cancelled", language)
    pause = (Pause(),) if why in _PAUSING else ()
    plan = (yield from e.record(*pause, reason=words if pause else "")).plan
    stopped = e.Stopped(plan.status, why, words)
    yield from e.tell(stopped)
    return stopped


def _work(
    goal: str, tools: tuple[ToolSpec, ...], max_iterations: int, language: Language
) -> e.Loop[End]:
    plan = (yield from e.record()).plan
    if plan.status == "paused":  # somebody wants nothing to run, and settling comes before work
        return "paused", text("loop_paused", language)
    settled = []
    for attempt in plan.attempts:
        found = yield from e.settle(attempt)
        if found.found == "unknown":
            words = text("loop_unsettled", language, attempt=attempt.id, what=attempt.what)
            return "unsettled", words
        settled.append((attempt, found.found))
        plan = found.plan
    messages = context.opening(goal, plan, settled, max_iterations, language)
    for _ in range(max_iterations):
        if not _active(plan):
            break
        plan = (yield from e.record(CountIteration())).plan
        shown = (*messages, context.plan_message(plan, language))
        thought = yield from e.think(shown, tools, _task(plan))
        if thought.failed:
            return "model_failed", text("loop_model_failed", language, problem=thought.failed)
        if not thought.calls:
            yield from e.tell(e.Said(thought.text))
            return "answered", thought.text
        messages.append(Message("assistant", thought.text, thought.calls))
        plan = thought.plan
        for call in thought.calls:
            if not _active(plan):
                break
            acted = yield from _act(call, plan, tools, language)
            messages.append(context.tool_message(call, acted.output, acted.failed))
            plan = acted.plan
    return _ended(plan, language)


def _act(
    call: Call, plan: e.PlanView, tools: tuple[ToolSpec, ...], language: Language
) -> e.Loop[e.Acted]:
    """Run a tool that was offered; what was not is answered without a trace in the plan."""
    if any(tool.name == call.name for tool in tools):
        return (yield from e.act(call, _task(plan)))
    seen = yield from e.record()
    names = [tool.name for tool in tools]
    return e.Acted(seen.now, seen.plan, failed=text("tool_not_offered", language, takes=names))


def _ended(plan: e.PlanView, language: Language) -> End:
    if plan.status == "paused":
        return "paused", text("loop_paused", language)
    if plan.ended:
        key = "loop_completed" if plan.status == "completed" else "loop_failed"
        return "finished", text(key, language, done=plan.done, total=plan.total)
    return "limit", text("loop_limit", language, done=plan.done, total=plan.total)


def _active(plan: e.PlanView) -> bool:
    return plan.status in ("idle", "running")


def _task(plan: e.PlanView) -> int | None:
    return plan.current.id if plan.current else None
