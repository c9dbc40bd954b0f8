"""What a reply means for the plan: tasks declared, how far one is, and that one is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.context.checked import refusal
from outlast.application.loops.endings import Ended
from outlast.application.loops.task_result import result_of
from outlast.domain.budget import REPLAN
from outlast.domain.commands import AddTasks, Complete, EditPlan, NewTask, SetProgress, Start
from outlast.domain.loop_commands import Charge, NoteLoop
from outlast.domain.reply_markers import (
    WORDS_EN,
    WORDS_ZH,
    declarations,
    marker,
    progress,
    transition,
)
from outlast.errors import CheckFailed, CheckNotApproved, OutOfBudget, ProofNeeded, Tampered
from outlast.formats.redact.engine import redact
from outlast.ports import effects as e
from outlast.ports.events import Notified
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.options import LoopOptions
    from outlast.application.loops.session import Session
    from outlast.domain.commands import Command
    from outlast.domain.model import How
    from outlast.ports.model import Call
    from outlast.texts import Language

UNPROVED: Final = frozenset(
    kind.code for kind in (ProofNeeded, CheckFailed, CheckNotApproved, Tampered)
)
_DECLARED: Final = 100  # in one reply
_LOOKING: Final = frozenset(("plan_read", "findings_write", "ask_user"))
_ADDING: Final = frozenset(("add_tasks", "addTask", "todo_write", "findings_write"))


def declare(session: Session, plan: e.PlanView, reply: str) -> e.Loop[e.PlanView]:
    """Add the tasks that a reply declares, and start the first if nothing is being done."""
    tasks = tuple(NewTask(redact(name)) for name in declarations(reply)[:_DECLARED])
    if not tasks:
        return plan
    order: tuple[Command, ...] = () if plan.total else (EditPlan(order="sequential"),)
    cost = Charge(REPLAN, session.task(plan), planning=REPLAN)
    added = yield from e.record(*order, AddTasks(tasks, once=True, cost=cost))
    if added.code == OutOfBudget.code:
        raise Ended("budget", added.failed)
    return (yield from take_up(added.plan))


def left_out(reply: str, language: Language) -> tuple[str, ...]:
    """Say how many declared tasks were not added, if there were too many for one reply."""
    more = len(declarations(reply)) - _DECLARED
    return (text("too_many_declared", language, limit=_DECLARED, count=more),) if more > 0 else ()


def take_up(plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Start the next task, unless one is in progress or none can be."""
    if plan.current or plan.done == plan.total or plan.status not in ("idle", "running"):
        return plan
    return (yield from e.record(Start(plan.actor))).plan


def manages(call: Call) -> bool:
    """Tell whether a plan tool changes the plan with this call."""
    looks = call.name in _LOOKING or call.name.startswith("get")
    return not looks and bool(call.params.get("persist", call.name != "todo_write"))


def is_late(call: Call, plan: e.PlanView) -> bool:
    """Tell whether a plan rests or has ended before a call.

    What adds to a plan that is completed comes in time: it may not be finished after all.
    """
    if plan.status == "completed":
        return call.name not in _ADDING
    return plan.ended or plan.status == "paused"


def begins(call: Call) -> bool:
    """Tell whether a call asks for a plan where there is none."""
    if call.name == "initializePlan":
        return True
    title = call.params.get("planTitle")
    persist = call.name == "todo_write" and call.params.get("persist") is True
    return persist and isinstance(title, str) and bool(title.strip())


def note_managed(plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Keep in mind that the model manages the plan itself."""
    if plan.managed:
        return plan
    return (yield from e.record(NoteLoop(managed=True))).plan


def conclude(
    session: Session, arrival: e.PlanView, plan: e.PlanView, reply: str, *, refused: bool
) -> e.Loop[e.PlanView]:
    """Note how far the task is that was current when a reply arrived, and complete it if it is.

    Checks that have `refused` it for this reply are not run once more.
    """
    task = arrival.current
    marked = marker(reply, task.name if task else "")
    if marked:
        plan = yield from note_managed(plan)
    if task is None or plan.current is None or plan.current.id != task.id:
        return plan
    reached = progress(reply, task.name)
    if reached and reached != plan.current.progress:
        plan = (yield from e.record(SetProgress(task.id, reached.current, reached.total))).plan
    how = _established(session.options, arrival, plan, reply, marked=marked)
    if how and not refused:
        return (yield from _complete(session, plan, reply, how))
    if arrival.in_task == session.options.most_iterations:
        name = task.name
        notice = text("loop_slow", session.language, task=name, count=arrival.in_task)
        yield from e.tell(Notified(notice, "slow"))
    return plan


def _established(
    options: LoopOptions, arrival: e.PlanView, plan: e.PlanView, reply: str, *, marked: bool
) -> How:
    """Return how it is known that the current task is done; nothing if it is not."""
    if marked:
        return "reported"
    if options.policy == "explicit" or (options.policy == "auto" and plan.managed):
        return ""
    turned = arrival.in_task >= options.least_iterations and transition(
        reply, options.words or (*WORDS_EN, *WORDS_ZH)
    )
    return "assumed" if turned or arrival.in_task >= options.most_iterations else ""


def _complete(session: Session, plan: e.PlanView, reply: str, how: How) -> e.Loop[e.PlanView]:
    """Complete the current task and start the next; a refusal is told to the model."""
    if plan.current is None:
        return plan
    result = result_of(plan, reply, session.language)
    done = yield from e.record(Complete(plan.current.id, plan.actor, result, how))
    if done.failed:
        session.inject((refusal(plan.current, done.failed, session.language),))
        return done.plan
    return (yield from take_up(done.plan))
