"""Progress of the plan's steps: apply to the plan what a reply declares, reports or completes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from outlast.application.context.blocks import check_refusal
from outlast.application.loops.endings import LoopEnd
from outlast.domain.budget import REPLAN
from outlast.domain.commands import (
    AddTasks,
    Charge,
    Complete,
    EditPlan,
    NewTask,
    NoteLoop,
    SetProgress,
    Start,
)
from outlast.domain.reply_markers import (
    WORDS_EN,
    WORDS_ZH,
    declared_tasks,
    find_progress,
    has_done_marker,
    has_transition,
    remarks,
)
from outlast.errors import CheckFailed, CheckNotApproved, OutOfBudget, ProofNeeded, Tampered
from outlast.formats.redact.secrets import redact
from outlast.ports import effects as e
from outlast.ports.events import Notified
from outlast.texts import clauses, text

if TYPE_CHECKING:
    from outlast.application.loops.session import LoopOptions, Session
    from outlast.domain.commands import Command
    from outlast.domain.model import How
    from outlast.ports.effects import PlanView
    from outlast.ports.model import Call
    from outlast.texts import Language

UNPROVED: Final = frozenset(
    kind.code for kind in (ProofNeeded, CheckFailed, CheckNotApproved, Tampered)
)
_MAX_DECLARED: Final = 100  # in one reply
_RESULT_CHARACTERS: Final = 200
_ADD_TOOLS: Final = frozenset(("add_tasks", "addTask", "todo_write", "findings_write"))


def add_declared_tasks(session: Session, plan: e.PlanView, reply: str) -> e.Loop[e.PlanView]:
    """Add the tasks that a reply declares, and start the first if no task is in progress."""
    tasks = tuple(NewTask(name) for name in declared_tasks(reply)[:_MAX_DECLARED])
    if not tasks:
        return plan
    order: tuple[Command, ...] = () if plan.total else (EditPlan(order="sequential"),)
    cost = Charge(REPLAN, session.current_task(plan), planning=REPLAN)
    added = yield from e.record(*order, AddTasks(tasks, once=True, cost=cost))
    if added.outcome.code == OutOfBudget.code:
        raise LoopEnd("budget", added.outcome.error)
    return (yield from start_next(added.plan))


def dropped_tasks_note(reply: str, language: Language) -> tuple[str, ...]:
    """Return a note about declared tasks beyond the limit of one reply, if there are any."""
    dropped = len(declared_tasks(reply)) - _MAX_DECLARED
    if dropped <= 0:
        return ()
    return (text("too_many_declared", language, limit=_MAX_DECLARED, count=dropped),)


def start_next(plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Start the next task, unless one is in progress or none can start."""
    if plan.current or plan.done == plan.total or plan.status not in ("idle", "running"):
        return plan
    return (yield from e.record(Start(plan.actor))).plan


def is_late(call: Call, plan: e.PlanView) -> bool:
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


def mark_model_managed(plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Record that the model manages the plan itself."""
    if plan.model_managed:
        return plan
    return (yield from e.record(NoteLoop(managed=True))).plan


def advance_task(
    session: Session, arrival: e.PlanView, plan: e.PlanView, reply: str, *, refused: bool
) -> e.Loop[e.PlanView]:
    """Record the progress of the task that was current at `arrival`; complete it if it is done.

    With `refused`, checks already failed for this reply and are not run again.
    """
    task = arrival.current
    is_marked = has_done_marker(reply, task.name if task else "")
    if is_marked:
        plan = yield from mark_model_managed(plan)
    if task is None or plan.current is None or plan.current.id != task.id:
        return plan
    new_progress = find_progress(reply, task.name)
    if new_progress and new_progress != plan.current.progress:
        command = SetProgress(task.id, new_progress.current, new_progress.total)
        plan = (yield from e.record(command)).plan
    basis = _completion_basis(session.options, arrival, plan, reply, is_marked=is_marked)
    if basis and not refused:
        return (yield from _complete_task(session, plan, reply, basis))
    if arrival.task_iterations == session.options.most_iterations:
        name = task.name
        notice = text("loop_slow", session.language, task=name, count=arrival.task_iterations)
        yield from e.emit(Notified(notice, "slow"))
    return plan


def _completion_basis(
    options: LoopOptions, arrival: e.PlanView, plan: e.PlanView, reply: str, *, is_marked: bool
) -> How:
    """Return how the completion of the current task is established; empty if it is not done."""
    if is_marked:
        return "reported"
    if options.policy == "explicit" or (options.policy == "auto" and plan.model_managed):
        return ""
    has_moved_on = arrival.task_iterations >= options.least_iterations and has_transition(
        reply, options.words or (*WORDS_EN, *WORDS_ZH)
    )
    return "assumed" if has_moved_on or arrival.task_iterations >= options.most_iterations else ""


def _complete_task(
    session: Session, plan: e.PlanView, reply: str, basis: How
) -> e.Loop[e.PlanView]:
    """Complete the current task and start the next; inject a refusal for the model."""
    if plan.current is None:
        return plan
    result = task_result(plan, reply, session.language)
    recorded = yield from e.record(Complete(plan.current.id, plan.actor, result, basis))
    refusal = recorded.outcome.error
    if refusal:
        session.inject((check_refusal(plan.current, refusal, session.language),))
        return recorded.plan
    return (yield from start_next(recorded.plan))


def task_result(plan: PlanView, reply: str, language: Language = "en") -> str:
    """Return one line about the current task: the model's remark and the tools used."""
    calls = Counter(done.what.partition(" ")[0] for done in plan.recent_work)
    tools = [name if count == 1 else f"{name} ({count})" for name, count in calls.items()]
    tools_used = (text("result_tools", language, tools=tools),) if tools else ()
    result = clauses((*_remark(redact(reply)), *tools_used), language)
    return result if len(result) <= _RESULT_CHARACTERS else f"{result[: _RESULT_CHARACTERS - 1]}…"


def _remark(reply: str) -> tuple[str, ...]:
    """Return the text of a reply without markers and code, on one line."""
    remark = " ".join(" ".join(remarks(reply)).split())
    return (remark,) if remark else ()
