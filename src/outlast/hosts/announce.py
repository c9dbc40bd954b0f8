"""Tell the user of a coding agent in one line which plans wait in a directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.hosts.session_plan import language_at
from outlast.hosts.wire.events import NO_ANSWER, HostAnswer
from outlast.language import listing, text, visible

if TYPE_CHECKING:
    from outlast.hosts.wire.events import HostName
    from outlast.plan.plan_list import ListedPlan

_SHOWN: Final = 3


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
    from outlast.plan.home.find import find_workspace

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
