"""Make the plan that a user has accepted in plan mode the durable plan of the session."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from outlast.domain.commands import CreatePlan, Replan
from outlast.domain.execute import return_commit
from outlast.errors import Refused
from outlast.formats.hosts.approved_plan import parse_approved_plan
from outlast.formats.hosts.events import NO_ANSWER, HostAnswer
from outlast.system.clock import new_plan_id
from outlast.system.process_identity import host_process
from outlast.texts import explain, listing, text, visible
from outlast.wiring.hosts.attachment import attach_and_describe
from outlast.wiring.hosts.session_plan import language_at, open_session_plan, program_name
from outlast.wiring.hosts.sessions import ACTORS, session_files
from outlast.wiring.plans import create_project_plan

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.formats.hosts.approved_plan import ApprovedPlan
    from outlast.formats.hosts.events import HostEvent, HostName
    from outlast.texts import Language

_RULES: Final = 3
_RULE: Final = 60


def adopt(host: HostName, event: HostEvent) -> HostAnswer:
    """Create a plan from the accepted one, or change the session's unfinished plan into it.

    Of an unfinished plan, what is finished or in progress stays; tasks of the same name keep their
    numbers. Checks in the text are proposals: a person approves them before they run.
    """
    approved = parse_approved_plan(event.approved_plan)
    if not approved.tasks:
        return NO_ANSWER
    language = language_at(event.directory)
    unfinished = _unfinished_plan_of(host, event)
    with unfinished or _create(host, event, approved) as plan:
        if unfinished is not None:
            try:
                _change(plan, approved)
            except Refused as error:
                problem = explain(error, language)
                return HostAnswer(notice=text("host_not_adopted", language, problem=problem))
        described = attach_and_describe(host, event.session, plan, process=host_process())
        context = text("host_adopted", language, key=visible(plan.key), count=len(plan.tasks()))
        notice = _describe_adoption(host, plan, event.directory, language)
    return HostAnswer(f"{context}\n\n{described.context}", notice)


def _unfinished_plan_of(host: HostName, event: HostEvent) -> Plan | None:
    record = session_files().read(host, event.session)
    plan = open_session_plan(record) if record is not None else None
    if plan is not None and plan.core.read(lambda state: state.has_ended):
        plan.close()
        return None
    return plan


def _change(plan: Plan, approved: ApprovedPlan) -> None:
    """Change a plan into the accepted one, which is to be carried out now."""
    if plan.status == "paused":
        plan.resume()
    plan.core.commit((Replan(approved.tasks),), return_commit)


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
