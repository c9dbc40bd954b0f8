"""The end of a loop: leave the plan in order and report the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.agent import effects as e
from outlast.agent.events import Stopped, StopReason
from outlast.agent.loops.notices import emit_message
from outlast.context.escape import one_line
from outlast.context.summary import NAME
from outlast.errors import OutOfBudget, PlanNotActive
from outlast.language import Language, clauses, text
from outlast.model.commands import Abort, Command, Deliver, Pause
from outlast.redact.truncate import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.agent.loops.session import Session
    from outlast.context.plan_view import PlanView
    from outlast.model.model import PauseReason, Task

_PROBLEM_CHARACTERS: Final = 300
_PAUSE_REASONS: Final[dict[StopReason, PauseReason]] = {
    "limit": "limit",
    "budget": "budget",
    "waiting": "waiting",
    "unsettled": "unsettled",
    "model_failed": "model_failed",
    "unavailable": "model_failed",
    "cancelled": "cancelled",
}


class LoopEnd(Exception):
    """Raised to end this run: the reason as a word (`why`) and as text.

    A plan that others work on is not paused by the end of a run.
    """

    def __init__(self, why: StopReason, text: str, *, pauses: bool = True) -> None:
        super().__init__(why, text)
        self.why, self.text = why, text
        self.pauses = pauses and why in _PAUSE_REASONS


def run_to_end(loop: e.Loop[LoopEnd], session: Session) -> e.Loop[Stopped]:
    """Run a conversation to its end, pause an unfinished plan, and report the reason."""
    end, plan = yield from pause_at_end(loop, session.language)
    session.save(plan)
    if end.why == "finished":
        end = yield from _deliver_answer(session, plan, end)
    answer = end.text if end.why == "answered" else session.answer
    stopped = Stopped(plan.status, end.why, end.text, answer)
    yield from e.Emit(stopped)
    return stopped


def pause_at_end(loop: e.Loop[LoopEnd], language: Language) -> e.Loop[tuple[LoopEnd, PlanView]]:
    """Run a loop to its end and pause an unfinished plan; return why it ended, and the plan."""
    try:
        end: LoopEnd | None = yield from loop
    except LoopEnd as raised:
        end = raised
    except e.Cancelled:
        end = None
    plan = (yield from e.record()).plan
    if end is None:
        key = "loop_stopped" if plan.is_scratch or plan.has_ended else "loop_stopped_paused"
        end = LoopEnd("cancelled", text(key, language))
    if end.pauses and not plan.is_scratch and plan.status in ("idle", "running"):
        plan = (yield from e.record(Pause(_PAUSE_REASONS[end.why]), reason=end.text)).plan
    return end, plan


def _deliver_answer(session: Session, plan: PlanView, end: LoopEnd) -> e.Loop[LoopEnd]:
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


def cancel_plan(plan: PlanView, language: Language, *commands_before: Command) -> e.Loop[LoopEnd]:
    """Abort the plan, in one commit with `commands_before`, and return the end of the loop."""
    if plan.is_scratch or plan.has_ended:
        return LoopEnd("answered", text("nothing_to_cancel", language))
    reason = text("loop_plan_cancelled", language)
    yield from e.record(*commands_before, Abort(), reason=reason)
    return LoopEnd("cancelled", reason)


def failure_end(failed: e.Thought | e.Acted, plan: PlanView, language: Language) -> LoopEnd:
    """Return the end for a model that failed, a used-up budget, or a plan that was stopped."""
    if failed.code == OutOfBudget.code:
        return LoopEnd("budget", failed.error)
    if failed.code == PlanNotActive.code:
        return finished_end(plan, language) if plan.has_ended else paused_end(plan, language)
    return LoopEnd("model_failed", text("loop_model_failed", language, problem=failed.error))


def paused_end(plan: PlanView, language: Language) -> LoopEnd:
    """Return the end for a plan that was paused meanwhile, perhaps to be dropped."""
    if plan.pause_reason == "dropped":
        return LoopEnd("dropped", text("loop_dropped", language))
    return LoopEnd("paused", text("loop_paused", language))


def others_end(plan: PlanView, language: Language) -> LoopEnd | None:
    """Return the end for a plan whose next steps wait for what others have in progress, or None."""
    held = [task for task in plan.tasks if task.status == "in_progress"]
    is_own = plan.current or plan.next_ready or plan.assumed_end or plan.needs_approval
    if is_own or not held or plan.status not in ("idle", "running"):
        return None
    return LoopEnd("waiting", describe_others(held, language), pauses=False)


def describe_others(tasks: Iterable[Task], language: Language) -> str:
    """Return who does the tasks that everything else waits for."""
    names = [
        text("loop_task_of", language, id=task.id, name=one_line(task.name, NAME), actor=task.actor)
        for task in tasks
    ]
    return text("loop_others", language, tasks=names)


def finished_end(plan: PlanView, language: Language) -> LoopEnd:
    """Return the end for a completed or failed plan; for a failed one with the reasons."""
    key = "loop_completed" if plan.status == "completed" else "loop_failed"
    if is_aborted(plan):
        key = "loop_aborted"
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


def is_aborted(plan: PlanView) -> bool:
    """Return whether a plan has ended because it was aborted."""
    return plan.status == "failed" and not failed_steps(plan)


def failed_steps(plan: PlanView) -> list[Task]:
    """Return the tasks that made a plan fail; none if it was aborted."""
    return [task for task in plan.tasks if plan.status == "failed" and task.status == "failed"]
