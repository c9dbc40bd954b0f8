"""What is told about the plans of a directory: to the user of a coding agent, to its model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.hosts.session_plan import host_session, language_at, open_session_plan
from outlast.hosts.session_record import SessionRecord
from outlast.hosts.sessions import attached_record
from outlast.hosts.wire.events import HOST_NAMES, NO_ANSWER, HostAnswer, HostName
from outlast.language import listing, text, visible
from outlast.plan.home.find import find_workspace

if TYPE_CHECKING:
    from outlast.plan.plan_list import ListedPlan

_SHOWN: Final = 3
_PREVIEW: Final = "preview"


def outlast_command(host: HostName) -> str:
    """Return how a user spells the command in a coding agent."""
    return "$outlast" if host == "codex" else "/outlast"


def resume_command(host: HostName) -> str:
    """Return what a user types to work on a plan."""
    return f"{outlast_command(host)} resume"


def announce(host: HostName, directory: str) -> HostAnswer:
    """Return the unfinished plans of a workspace for the user alone, not for the model.

    Nothing where there is none: a session that has nothing to do with them is left alone.
    """
    plans = unfinished_plans(directory)
    if not plans:
        return NO_ANSWER
    language = language_at(directory)
    shown = [f"{visible(plan.key)} {plan.done}/{plan.total}" for plan in plans[:_SHOWN]]
    resume = resume_command(host)
    if len(plans) == 1:
        return HostAnswer(notice=text("host_one_plan", language, plan=shown[0], resume=resume))
    more = ["…"] if len(plans) > _SHOWN else []
    named = listing((*shown, *more), language)
    notice = text("host_plans", language, count=len(plans), plans=named, resume=resume)
    return HostAnswer(notice=notice)


def unfinished_plans(directory: str) -> list[ListedPlan]:
    """Return the plans that a session could work on, the current one first, then the newest."""
    if not directory or find_workspace(directory) is None:
        return []
    from outlast.plan.plan_list import last_change, list_plans

    plans = [
        plan
        for plan in list_plans(directory)
        if plan.problem is None and not plan.has_ended and plan.updated_at is not None
    ]
    plans.sort(key=last_change, reverse=True)
    return sorted(plans, key=lambda plan: not plan.is_current)


def injected_text(root: str) -> tuple[str, bool]:
    """Return what the model of a session is told when it starts, and if it is the session here.

    If a session runs this process and is attached, that is about its plan, else about the current
    plan. Empty without a plan. Nothing is changed.
    """
    home = find_workspace(root)
    record = attached_record(home.root) if home is not None else None
    plan = open_session_plan(record) if record is not None else None
    is_own = plan is not None
    if plan is None:
        plans = unfinished_plans(root)
        record = SessionRecord(HOST_NAMES[0], _PREVIEW, root, plans[0].key if plans else "", "")
        plan = open_session_plan(record, any_id=True) if plans else None
    if plan is None or record is None:
        return "", False
    with plan:
        return host_session(plan, record).describe().context, is_own
