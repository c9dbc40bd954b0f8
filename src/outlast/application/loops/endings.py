"""The end of a loop: leave the plan in order and report the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.context.escape import one_line
from outlast.application.context.task_lines import NAME
from outlast.application.loops.notices import emit_message
from outlast.application.loops.session import text_of
from outlast.domain.commands import Abort, Deliver, Pause
from outlast.errors import OutOfBudget, PlanNotActive
from outlast.ports import effects as e
from outlast.ports.events import Stopped
from outlast.texts import clauses, text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session
    from outlast.domain.commands import Command
    from outlast.domain.model import PauseReason, Task
    from outlast.ports.events import StopReason
    from outlast.texts import Language

_PROBLEM_CHARACTERS: Final = 300
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
    session.save(plan)
    if end.why == "finished":
        end = yield from _deliver_answer(session, plan, end)
    answer = end.text if end.why == "answered" else session.answer
    stopped = Stopped(plan.status, end.why, end.text, answer)
    yield from e.emit(stopped)
    return stopped


def _deliver_answer(session: Session, plan: e.PlanView, end: LoopEnd) -> e.Loop[LoopEnd]:
    """Record the model's closing text as the answer of a finished plan (R0.06).

    A model that says nothing at the end may have said it together with its last calls.
    """
    session.answer = session.closing_text
    if not session.is_closing_text_sent:
        yield from emit_message(session.answer)
    if plan.status != "completed" or not session.answer:
        return end
    yield from e.record(Deliver(text_of(session.answer), answer=True), can_wait=True)
    return LoopEnd(end.why, session.answer)


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
    """Return the end for a completed or failed plan; for a failed one with the reasons."""
    key = "loop_completed" if plan.status == "completed" else "loop_failed"
    reason = text(key, language, done=plan.done, total=plan.total)
    failures = (
        text(
            "loop_failed_step",
            language,
            id=task.id,
            name=one_line(task.name, NAME),
            problem=one_line(task.error or "", _PROBLEM_CHARACTERS),
        )
        for task in failed_steps(plan)
    )
    return LoopEnd("finished", clauses((reason, *failures), language))


def failed_steps(plan: e.PlanView) -> list[Task]:
    """Return the tasks that made a plan fail; none if it was aborted."""
    return [task for task in plan.tasks if plan.status == "failed" and task.status == "failed"]
