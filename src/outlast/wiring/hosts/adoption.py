"""Make the plan that a user has accepted in plan mode the durable plan of the session."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Final

from outlast.domain.commands import CreatePlan, Replan, Return
from outlast.domain.execute import return_commit
from outlast.domain.intents import is_same_goal
from outlast.domain.replies.markers import normalize_name
from outlast.errors import Refused
from outlast.formats.hosts.approved_plan import MOST_TASKS, parse_approved_plan
from outlast.formats.hosts.events import NO_ANSWER, HostAnswer
from outlast.system.clock import new_plan_id
from outlast.system.hosts import is_run_by_model_of
from outlast.system.process_identity import host_process
from outlast.texts import explain, listing, text, visible
from outlast.wiring.hosts.announce import resume_command
from outlast.wiring.hosts.attachment import attach_and_describe
from outlast.wiring.hosts.session_plan import language_at, open_session_plan, program_name
from outlast.wiring.hosts.sessions import ACTORS, session_files
from outlast.wiring.plans import create_project_plan

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState
    from outlast.formats.hosts.approved_plan import ApprovedPlan
    from outlast.formats.hosts.events import HostEvent, HostName
    from outlast.texts import Language

_RULES: Final = 3
_RULE: Final = 60
_STAYING: Final = ("completed", "in_progress")


def adopt(host: HostName, event: HostEvent) -> HostAnswer:
    """Make a plan of the accepted one, or change the session's unfinished plan if it revises that.

    A new goal is a new plan (U1); the plan before it stays as it is. Of a plan that is changed,
    what is finished stays, and what was worked on; tasks of the same name keep their numbers.
    Checks in the text are proposals: a person approves them before they run.
    """
    approved = parse_approved_plan(event.approved_plan)
    if not approved.tasks or is_run_by_model_of(ACTORS[host]):
        return NO_ANSWER
    language, left = language_at(event.directory), ""
    plan = _unfinished_plan_of(host, event)
    if plan is not None and not plan.core.read(lambda state: _is_revised(state, approved)):
        left = plan.key
        plan.close()
        plan = None
    is_new = plan is None
    with plan or _create(host, event, approved) as plan:
        if not is_new:
            try:
                _change(plan, approved)
            except Refused as error:
                problem = explain(error, language)
                return HostAnswer(notice=text("host_not_adopted", language, problem=problem))
        described = attach_and_describe(host, event.session, plan, process=host_process())
        contexts = [text("host_adopted", language, key=visible(plan.key), count=len(plan.tasks()))]
        notices = [_describe_adoption(host, plan, event.directory, language)]
    if approved.left_out:
        count, add = approved.left_out, f'{program_name(host)} add "…" "…"'
        contexts.append(text("host_tasks_left_out", language, count=count, add=add))
        notices.append(text("host_tasks_left_out_notice", language, count=count, most=MOST_TASKS))
    if left:
        resume = resume_command(host)
        notices.append(text("host_plan_left", language, key=visible(left), resume=resume))
    return HostAnswer("\n\n".join((*contexts, described.context)), "\n".join(notices))


def _unfinished_plan_of(host: HostName, event: HostEvent) -> Plan | None:
    record = session_files().read(host, event.session)
    plan = open_session_plan(record) if record is not None else None
    if plan is not None and plan.core.read(lambda state: state.has_ended):
        plan.close()
        return None
    return plan


def _is_revised(state: PlanState, approved: ApprovedPlan) -> bool:
    """Return whether an accepted plan is about the same: it has the title, or half of the tasks.

    A plan without tasks was only begun, and waits for them.
    """
    if not state.tasks or normalize_name(state.title) == normalize_name(approved.title):
        return True
    known = {normalize_name(task.name) for task in state.tasks.values()}
    shared = [task for task in approved.tasks if normalize_name(task.name) in known]
    return is_same_goal(state.goal, approved.goal) or 2 * len(shared) >= len(approved.tasks)


def _change(plan: Plan, approved: ApprovedPlan) -> None:
    """Change a plan into the accepted one, which is to be carried out now.

    The task that was started for the agent is returned first: it may have been dropped.
    """
    if plan.status == "paused":
        plan.resume()

    def write_commands(state: PlanState) -> tuple[Command, ...]:
        current = state.current_task(plan.actor)
        is_idle = current is not None and not _is_worked_on(state, current)
        staying = Counter(
            normalize_name(task.name)
            for task in state.tasks.values()
            if task.status in _STAYING and not (is_idle and task.id == current)
        )
        new = []
        for task in approved.tasks:
            name = normalize_name(task.name)
            if staying[name]:
                staying[name] -= 1
            else:
                new.append(task)
        returned = (Return(current),) if is_idle and current is not None else ()
        return (*returned, Replan(tuple(new)))

    plan.core.commit(plan.core.read(write_commands), return_commit)


def _is_worked_on(state: PlanState, task: int) -> bool:
    """Return whether anything was reported of a task in progress."""
    ledger = state.ledger
    attempts = (attempt.task for attempt in ledger.attempts.values())
    is_reported = state.tasks[task].progress is not None or task in ledger.reports
    return is_reported or task in ledger.leases or bool(ledger.done.get(task)) or task in attempts


def _create(host: HostName, event: HostEvent, approved: ApprovedPlan) -> Plan:
    goal = approved.goal or approved.title or approved.tasks[0].name
    command = CreatePlan(new_plan_id(), goal, title=approved.title, order="sequential")
    plan = create_project_plan(event.directory, command, actor=ACTORS[host])
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
