"""Make the plan that a user has accepted in plan mode the durable plan of the session."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import Refused
from outlast.hosts.announce import resume_command
from outlast.hosts.plan_mode.approved_plan import MOST_TASKS, ApprovedPlan, parse_approved_plan
from outlast.hosts.session_plan import (
    attach_and_describe,
    language_at,
    open_session_plan,
    program_name,
)
from outlast.hosts.sessions import ACTORS, session_files
from outlast.hosts.wire.events import NO_ANSWER, HostAnswer, HostEvent, HostName
from outlast.language import Language, explain, listing, text, visible
from outlast.model.changes import TaskAdded
from outlast.model.commands import Command, CreatePlan, Replan, Return
from outlast.model.execute import return_commit
from outlast.model.history.diff import drop_known
from outlast.model.intents import is_same_goal
from outlast.model.markers import normalize_name
from outlast.plan.plans import Plans
from outlast.system.caller import is_run_by_model_of
from outlast.system.clock import new_plan_id
from outlast.system.process_identity import host_process

if TYPE_CHECKING:
    from outlast.hosts.session_record import SessionRecord
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_RULES: Final = 3
_RULE: Final = 60
_STAYING: Final = ("completed", "in_progress")
_LEAST_SHARED: Final = 2  # tasks: one of them may be `Run the tests`, as in any plan
_REVISED: Final = re.compile(
    r"^(?:revised|updated) |\W+(?:revised|updated|revision(?: \d+)?|v(?:ersion )?\d+)\W*$"
    r"|\W*(?:修订版?|更新版?|第.版)\W*$"
)


def adopt(host: HostName, event: HostEvent) -> HostAnswer:
    """Make a plan of the accepted one, or change the session's unfinished plan if it revises that.

    A new goal is a new plan (U1); the plan before it stays unfinished. Of a plan that is changed,
    what is finished stays, and what was worked on; tasks of the same name keep their numbers.
    Checks in the text are proposals: a person approves them before they run.
    """
    approved = parse_approved_plan(event.approved_plan)
    if not approved.tasks:
        return NO_ANSWER
    language = language_at(event.directory)
    if is_run_by_model_of(ACTORS[host]):
        return _refuse(text("host_not_from_agent", language), language)
    sessions = session_files()
    record = sessions.read(host, event.session)
    plan = _unfinished_plan_of(record)
    left, is_guarded = "", False
    if record is not None and plan is not None and not _is_revision(plan, record, approved):
        left, is_guarded = plan.key, record.guard
        with plan:
            _return_idle_task(plan)
        plan = None
    is_new = plan is None
    with plan or _create(host, event, approved) as plan:
        if not is_new:
            try:
                _change(plan, approved)
            except Refused as error:
                return _refuse(explain(error, language), language)
            if record is not None and record.awaits_plan:
                sessions.write(replace(record, awaits_plan=False))
        described = attach_and_describe(host, event.session, plan, process=host_process())
        contexts = [text("host_adopted", language, key=visible(plan.key), count=len(plan.tasks()))]
        notices = [_describe_adoption(host, plan, event.directory, language)]
    if approved.left_out:
        count, add = approved.left_out, f'{program_name(host)} add "…" "…"'
        contexts.append(text("host_tasks_left_out", language, count=count, add=add))
        notices.append(text("host_tasks_left_out_notice", language, count=count, most=MOST_TASKS))
    if is_guarded:
        notices.append(text("host_guard_off", language))
    if left:
        resume = resume_command(host)
        notices.append(text("host_plan_left", language, key=visible(left), resume=resume))
    return HostAnswer("\n\n".join((*contexts, described.context)), "\n".join(notices))


def _refuse(problem: str, language: Language) -> HostAnswer:
    return HostAnswer(notice=text("host_not_adopted", language, problem=problem))


def _unfinished_plan_of(record: SessionRecord | None) -> Plan | None:
    plan = open_session_plan(record) if record is not None else None
    if plan is not None and plan.core.read(lambda state: state.has_ended):
        plan.close()
        return None
    return plan


def _is_revision(plan: Plan, record: SessionRecord, approved: ApprovedPlan) -> bool:
    """Return whether an accepted plan is about the same as the session's.

    It has the title or the goal, or each of them has half of the other's tasks. A plan whose goal
    the user has typed, or that has no tasks, waits for the first accepted one until work is done.
    """

    def is_same(state: PlanState) -> bool:
        if not state.tasks or (record.awaits_plan and not _has_begun(state)):
            return True
        if _is_same_title(state.title, approved.title) or is_same_goal(state.goal, approved.goal):
            return True
        old = {normalize_name(task.name) for task in state.tasks.values()}
        new = {normalize_name(task.name) for task in approved.tasks}
        shared = len(old & new)
        return shared >= _LEAST_SHARED and 2 * shared >= max(len(old), len(new))

    return plan.core.read(is_same)


def _has_begun(state: PlanState) -> bool:
    """Return whether a task is finished, or anything was reported of one in progress."""
    return bool(state.finished_count) or any(
        _is_worked_on(state, task.id)
        for task in state.tasks.values()
        if task.status == "in_progress"
    )


def _is_same_title(known: str, accepted: str) -> bool:
    """Return whether a title is that of a plan, perhaps with `(revised)` or `v2` behind it."""
    old, new = normalize_name(known), normalize_name(accepted)
    return old in (new, _REVISED.sub("", new))


def _return_idle_task(plan: Plan) -> None:
    """Return the task that was started for the agent, if nothing was reported of it."""
    idle = plan.core.read(lambda state: _idle_task(state, plan.actor))
    if idle is not None:
        with suppress(Refused):  # another process was faster
            plan.return_task(idle)


def _change(plan: Plan, approved: ApprovedPlan) -> None:
    """Change a plan into the accepted one, which is to be carried out now.

    The task that was started for the agent is returned first: it may have been dropped. Open tasks
    that others than the agent have added stay, behind the accepted ones. If all that was accepted
    is finished, it is to be done again.
    """
    if plan.status == "paused":
        plan.resume()
    names = {normalize_name(task.name) for task in approved.tasks}
    others = {
        change.task.id
        for commit in plan.core.store.history()
        if commit.author != plan.actor
        for change in commit.changes
        if isinstance(change, TaskAdded)
    }

    def write_commands(state: PlanState) -> tuple[Command, ...]:
        idle = _idle_task(state, plan.actor)
        staying = (
            normalize_name(task.name)
            for task in state.tasks.values()
            if task.status in _STAYING and task.id != idle
        )
        new = drop_known(approved.tasks, staying, lambda task: normalize_name(task.name))
        returned = (Return(idle),) if idle is not None else ()
        if not new and state.counts["in_progress"] == len(returned):
            new = [*approved.tasks]
        replaced = tuple(
            task.id
            for task in state.tasks.values()
            if task.id not in others or normalize_name(task.name) in names
        )
        return (*returned, Replan(tuple(new), only=replaced))

    plan.core.commit(plan.core.read(write_commands), return_commit)


def _idle_task(state: PlanState, actor: str) -> int | None:
    """Return the actor's task in progress, if nothing was reported of it."""
    current = state.current_task(actor)
    return None if current is None or _is_worked_on(state, current) else current


def _is_worked_on(state: PlanState, task: int) -> bool:
    """Return whether anything was reported of a task in progress."""
    ledger = state.ledger
    attempts = (attempt.task for attempt in ledger.attempts.values())
    is_reported = state.tasks[task].progress is not None or task in ledger.reports
    return is_reported or task in ledger.leases or bool(ledger.done.get(task)) or task in attempts


def _create(host: HostName, event: HostEvent, approved: ApprovedPlan) -> Plan:
    goal = approved.goal or approved.title or approved.tasks[0].name
    command = CreatePlan(new_plan_id(), goal, title=approved.title, order="sequential")
    plan = Plans.of_project(event.directory, ACTORS[host]).create(command)
    try:
        plan.add_all(approved.tasks)
    except BaseException:
        plan.close()
        raise
    return plan


def _describe_adoption(host: HostName, plan: Plan, directory: str, language: Language) -> str:
    """Return what the user is told: where the plan is, and which checks wait for an approval."""
    file = os.path.relpath(plan.files.paths()[0], directory)
    adopted = text(
        "host_adopted_notice",
        language,
        key=visible(plan.key),
        count=len(plan.tasks()),
        file=visible(file),
    )
    checks = [check for checks in plan.checks.unapproved().values() for check in checks]
    if not checks:
        return adopted
    shown = [visible(check.rule)[:_RULE] for check in checks[:_RULES]]
    more = ["…"] if len(checks) > _RULES else []
    approve = f"{program_name(host)} check --approve --plan {visible(plan.key)}"
    proposed = text(
        "host_proposed_checks",
        language,
        count=len(checks),
        rules=listing((*shown, *more), language),
        approve=approve,
    )
    return f"{adopted}\n{proposed}"
