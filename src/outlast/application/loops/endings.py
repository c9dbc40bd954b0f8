"""The end of a loop: leave the plan in order and report the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.commands import Abort, Pause
from outlast.errors import OutOfBudget, PlanNotActive
from outlast.ports import effects as e
from outlast.ports.events import Stopped
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session
    from outlast.domain.commands import Command
    from outlast.domain.model import PauseReason
    from outlast.ports.events import StopReason
    from outlast.texts import Language

_PAUSE_REASONS: Final[dict[StopReason, PauseReason]] = {
    "limit": "limit",
    "budget": "budget",
    "waiting": "waiting",
    "unsettled": "unsettled",
    "model_failed": "model_failed",
    "cancelled": "cancelled",
}


class LoopEnd(Exception):
    """Raised to end this run: the reason as a word (`why`) and as text."""

    def __init__(self, why: StopReason, text: str) -> None:
        super().__init__(why, text)
        self.why, self.text = why, text


def run_to_end(loop: e.Loop[LoopEnd], session: Session) -> e.Loop[Stopped]:
    """Run a loop to its end, pause an unfinished plan, and report the reason."""
    try:
        end = yield from loop
    except LoopEnd as raised:
        end = raised
    except e.Cancelled:
        end = LoopEnd("cancelled", text("loop_cancelled", session.language))
    plan = (yield from e.record()).plan
    if end.why in _PAUSE_REASONS and not plan.is_scratch and plan.status in ("idle", "running"):
        plan = (yield from e.record(Pause(_PAUSE_REASONS[end.why]), reason=end.text)).plan
    answer = end.text if end.why == "answered" else session.answer
    stopped = Stopped(plan.status, end.why, end.text, answer)
    yield from e.emit(stopped)
    return stopped


def cancel_plan(plan: e.PlanView, language: Language, *commands_before: Command) -> e.Loop[LoopEnd]:
    """Abort the plan, in one commit with `commands_before`, and return the end of the loop."""
    if plan.is_scratch or plan.has_ended:
        return LoopEnd("answered", text("nothing_to_cancel", language))
    reason = text("loop_task_cancelled", language)
    yield from e.record(*commands_before, Abort(), reason=reason)
    return LoopEnd("cancelled", reason)


def failure_end(failed: e.Thought | e.Acted, language: Language) -> LoopEnd:
    """Return the end for a model that failed, a used-up budget, or a plan that was paused."""
    if failed.code == OutOfBudget.code:
        return LoopEnd("budget", failed.error)
    if failed.code == PlanNotActive.code:
        return LoopEnd("paused", text("loop_paused", language))
    return LoopEnd("model_failed", text("loop_model_failed", language, problem=failed.error))


def finished_end(plan: e.PlanView, language: Language) -> LoopEnd:
    """Return the end for a completed or failed plan."""
    key = "loop_completed" if plan.status == "completed" else "loop_failed"
    return LoopEnd("finished", text(key, language, done=plan.done, total=plan.total))
