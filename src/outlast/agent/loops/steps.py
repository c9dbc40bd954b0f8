"""Progress of the plan's steps: apply to the plan what a reply declares, reports or completes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.agent import effects as e
from outlast.agent.events import Notified
from outlast.agent.loops.endings import LoopEnd
from outlast.context.blocks import check_refusal
from outlast.context.escape import one_line
from outlast.errors import (
    CheckFailed,
    CheckNotApproved,
    CheckUnknown,
    OutOfBudget,
    ProofNeeded,
    Tampered,
)
from outlast.language import Language, text
from outlast.model import commands as c
from outlast.model import markers
from outlast.model.budget import REPLAN
from outlast.model.replies.results import words_about
from outlast.model.replies.transitions import moves_on
from outlast.redact.secrets import redact

if TYPE_CHECKING:
    from outlast.agent.agent_spec import ToolLoop
    from outlast.agent.loops.session import Session
    from outlast.context.chat_model import Call
    from outlast.context.plan_view import PlanView
    from outlast.model.model import ClaimedHow, Task

UNPROVED: Final = frozenset(
    kind.code for kind in (ProofNeeded, CheckFailed, CheckUnknown, CheckNotApproved, Tampered)
)
_MAX_DECLARED: Final = 100  # in one reply
_MARK_CHARACTERS: Final = 200
_ADD_TOOLS: Final = frozenset(("add_tasks", "addTask", "todo_write", "findings_write"))


def add_declared_tasks(
    session: Session, plan: PlanView, names: tuple[str, ...]
) -> e.Loop[PlanView]:
    """Add the tasks that a reply declares, and start the first if it may start."""
    if not names:
        return plan
    tasks = tuple(map(c.NewTask, names[:_MAX_DECLARED]))
    order: tuple[c.Command, ...] = () if plan.total else (c.EditPlan(order="sequential"),)
    cost = c.Charge(REPLAN, session.current_task(plan), planning=REPLAN)
    added = yield from e.record(*order, c.AddTasks(tasks, once=True, cost=cost))
    if added.outcome.code == OutOfBudget.code:
        raise LoopEnd("budget", added.outcome.error)
    return (yield from start_next(session, added.plan))


def dropped_tasks_note(names: tuple[str, ...], language: Language) -> tuple[str, ...]:
    """Return a note about declared tasks beyond the limit of one reply, if there are any."""
    dropped = len(names) - _MAX_DECLARED
    if dropped <= 0:
        return ()
    return (text("too_many_declared", language, limit=_MAX_DECLARED, count=dropped),)


def start_next(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Start the next task, unless one is in progress, none can start, or a person has to agree."""
    if (
        not session.may_start
        or plan.needs_approval
        or plan.current
        or plan.done == plan.total
        or plan.status not in ("idle", "running")
    ):
        return plan
    return (yield from e.record(c.Start(plan.actor))).plan


def is_late(call: Call, plan: PlanView) -> bool:
    """Return whether the plan was paused or ended before a call.

    A call that adds to a completed plan is not late: the plan may turn out to be unfinished.
    """
    if plan.status == "completed":
        return call.name not in _ADD_TOOLS
    return plan.has_ended or plan.status == "paused"


def is_plan_request(call: Call) -> bool:
    """Return whether a call requests a plan where there is none."""
    if call.name == "initializePlan":
        return True
    title = call.params.get("planTitle")
    persist = call.name == "todo_write" and call.params.get("persist") is True
    return persist and isinstance(title, str) and bool(title.strip())


def mark_model_managed(plan: PlanView) -> e.Loop[PlanView]:
    """Record that the model manages the plan itself."""
    if plan.model_managed:
        return plan
    return (yield from e.record(c.NoteLoop(managed=True))).plan


def advance_task(
    session: Session, arrival: PlanView, plan: PlanView, reply: str, *, reported: bool
) -> e.Loop[PlanView]:
    """Record the progress of the task that was current at `arrival`; complete it if it is done.

    With `reported`, a call of the same reply has completed a task, or was refused by its checks:
    the reply completes no other.
    """
    marks = markers.done_marks(reply)
    if marks:
        plan = yield from mark_model_managed(plan)
    task = arrival.current
    if task and plan.current and plan.current.id == task.id:
        plan = yield from _record_progress(plan, task, reply)
    if reported:
        return plan
    if marks:
        return (yield from _complete_marked_task(session, arrival, plan, reply, marks))
    if task is None or plan.current is None or plan.current.id != task.id:
        return plan
    if _seems_done(session.options, arrival, plan, reply):
        return (yield from _assume_done(session, plan, plan.current))
    if arrival.task_iterations == session.options.most_iterations:
        name = task.name
        notice = text("loop_slow", session.language, task=name, count=arrival.task_iterations)
        yield from e.Emit(Notified(notice, "slow"))
    return plan


def _record_progress(plan: PlanView, task: Task, reply: str) -> e.Loop[PlanView]:
    reached = markers.find_progress(reply, task.name)
    if reached is None or (plan.current and reached == plan.current.progress):
        return plan
    return (yield from e.record(c.SetProgress(task.id, reached.current, reached.total))).plan


def _complete_marked_task(
    session: Session,
    arrival: PlanView,
    plan: PlanView,
    reply: str,
    marks: tuple[markers.DoneMark, ...],
) -> e.Loop[PlanView]:
    """Complete the task that the markers are about: the current one, unless they name another."""
    current = arrival.current or arrival.assumed_end
    task = yield from _find_marked_task(session, marks, current)
    if task is None:
        return plan
    if current is None or task.id != current.id:
        return (yield from _complete_task(session, plan, task, _words(reply, task) or None))
    if arrival.current is None:
        return (yield from confirm_end(session, plan))
    if plan.current is None or plan.current.id != task.id:
        return plan
    return (yield from _complete_task(session, plan, plan.current, None))


def _find_marked_task(
    session: Session, marks: tuple[markers.DoneMark, ...], current: Task | None
) -> e.Loop[Task | None]:
    """Return the task that markers are about: the current one, unless they name only others.

    If it is not clear which one they name, it is none, and the model is told.
    """
    texts = [mark.text for mark in marks if mark.text]
    tasks = (yield from e.FindTasks(tuple(texts))).outcome.tasks if texts else ()
    named = dict(zip(texts, tasks, strict=True))
    if any(_names_none(named.get(mark.text)) and not mark.must_name for mark in marks):
        return current
    candidates = [found.task for found in named.values() if found.task and found.is_clear]
    if not candidates:
        shown = one_line(next(iter(texts), ""), _MARK_CHARACTERS)
        session.inject((text("mark_unclear", session.language, mark=shown),))
    is_current = current is not None and any(task.id == current.id for task in candidates)
    return current if is_current else next(iter(candidates), None)


def _names_none(named: markers.NamedTask | None) -> bool:
    return named is None or (named.task is None and named.is_clear)


def _seems_done(options: ToolLoop, arrival: PlanView, plan: PlanView, reply: str) -> bool:
    """Return whether the current task counts as done though nothing says so.

    The model has moved on to something else, or the task has taken many iterations. It does not
    count as done while its progress is below its total, or the reply says that parts are open. A
    question ("What comes next?") moves on to nothing.
    """
    if options.policy == "explicit" or (options.policy == "auto" and plan.model_managed):
        return False
    progress = plan.current.progress if plan.current else None
    others = [task.name for task in plan.tasks if task != plan.current]
    is_below_total = progress is not None and progress.current < progress.total
    if is_below_total or markers.reports_open_parts(reply, others):
        return False
    if arrival.task_iterations >= options.most_iterations:
        return True
    if arrival.task_iterations < options.least_iterations or markers.closing_question(reply):
        return False
    words = options.words or (*markers.WORDS_EN, *markers.WORDS_ZH)
    if progress is not None:  # all parts are done
        return markers.has_word(reply, words)
    return moves_on(reply, words, plan.current.name if plan.current else "", others)


def _assume_done(session: Session, plan: PlanView, task: Task) -> e.Loop[PlanView]:
    """Complete the current task as assumed, and tell the model so.

    For the last one, `tell_assumed_end` does that.
    """
    plan = yield from _complete_task(session, plan, task, None, "assumed")
    is_assumed = any(shown.id == task.id and shown.is_assumed for shown in plan.tasks)
    if is_assumed and not plan.assumed_end:
        session.inject((text("assumed_step", session.language, id=task.id),))
    return plan


def _complete_task(
    session: Session, plan: PlanView, task: Task, result: str | None, how: ClaimedHow = "reported"
) -> e.Loop[PlanView]:
    """Complete a task and start the next; inject a refusal for the model."""
    recorded = yield from e.record(c.Complete(task.id, plan.actor, result, how))
    refusal = recorded.outcome
    if not refusal.error:
        return (yield from start_next(session, recorded.plan))
    if refusal.code in UNPROVED:
        note = check_refusal(task, refusal.error, session.language)
    else:
        note = check_refusal(task, refusal.error, session.language, "mark_refused")
    session.inject((note,))
    return recorded.plan


def tell_assumed_end(session: Session, plan: PlanView) -> None:
    """Tell the model once that the end of the plan is only assumed."""
    task = plan.assumed_end
    if task is not None and session.end_told != task.id:
        session.end_told = task.id
        session.inject((text("assumed_end", session.language, id=task.id),))


def confirm_end(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Confirm the assumed completion that the end of the plan depends on."""
    if plan.assumed_end is None:
        return plan
    return (yield from _complete_task(session, plan, plan.assumed_end, None))


def _words(reply: str, task: Task) -> str:
    return words_about(redact(reply), task.name, ())
