"""`outlast` alone and `list`: all plans of the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.console.call import shell_word
from outlast.console.plan_context import open_plan_for
from outlast.console.render.output import Answer
from outlast.console.render.overview import overview_json, plan_text
from outlast.console.render.plan_rows import draw_rows, row_json
from outlast.errors import PlanNotFound
from outlast.model.model import PERSON
from outlast.plan.home.find import find_workspace
from outlast.plan.plan_list import last_change, list_plans
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from outlast.console.call import Call
    from outlast.console.render.output import Json
    from outlast.plan.plan_list import ListedPlan


def welcome(call: Call) -> Answer:
    """Show the only open plan, an overview of several, or how to create one."""
    if call.plan is None and _has_several():
        plans = _sorted_plans(call)
        unfinished = [plan for plan in plans if not plan.has_ended]
        if len(unfinished) > 1:
            content: Json = {"plans": [row_json(plan) for plan in plans]}
            return Answer(lambda: content, lambda: _overview_text(call, plans))
    try:
        with open_plan_for(call) as plan:
            plan.files.render()
            read = plan.core.read  # once: what is read inside is not looked for again
            content = read(lambda _: overview_json(plan, call)) if call.wants_json else {}
            words = "" if call.wants_json else read(lambda _: plan_text(plan, call))
    except PlanNotFound as error:
        if call.plan is not None or error.details.get("count"):
            raise
        return _start_answer(call, error.details["candidates"])
    return Answer(lambda: content, lambda: words, bare=True)


def _start_answer(call: Call, ended: object) -> Answer:
    """Return how to create a plan where none is open, and where to find those that were."""
    archived = _archived_count()
    content: Json = {"plan": None, "phases": [], "tasks": [], "costs": None, "questions": []}

    def as_text() -> str:
        if ended:
            return call.text("say_start_again", ended=ended)
        return "\n".join([call.text("say_start"), *_archive_lines(call, archived)])

    return Answer(lambda: {**content, "archived_count": archived}, as_text)


def _archived_count() -> int:
    workspace = find_workspace(current_directory())
    return len(workspace.archived_plans()) if workspace else 0


def _archive_lines(call: Call, count: int) -> list[str]:
    return [call.text("say_archived_plans", count=count)] if count else []


def _has_several() -> bool:
    workspace = find_workspace(current_directory())
    return workspace is not None and len(workspace.plan_keys()) > 1


def _overview_text(call: Call, plans: list[ListedPlan]) -> str:
    """Return the rows of the unfinished plans, how many have ended, and how to choose another."""
    unfinished = [plan for plan in plans if not plan.has_ended]
    current, other, *_ = unfinished
    lines = [draw_rows(unfinished, call)]
    if len(unfinished) < len(plans):
        lines.append(call.text("say_ended_plans", count=len(plans) - len(unfinished)))
    keys = {"key": shell_word(current.key), "other": shell_word(other.key)}
    lines.append(call.text("say_show_plan", **keys))
    if call.asker == PERSON:
        lines.append(call.text("say_switch_plan", **keys))
    return "\n".join(lines)


def list_all(call: Call, *, archived: bool = False) -> Answer:
    """List the plans of this workspace, and with `archived` those in the archive."""
    plans = _sorted_plans(call)
    archived_plans, count = _archived_plans() if archived else [], _archived_count()

    def as_json() -> Json:
        return {
            "plans": [row_json(plan) for plan in plans],
            "archived": [row_json(plan) for plan in archived_plans],
            "archived_count": count,
        }

    def as_text() -> str:
        if not plans and not archived_plans:
            return "\n".join([call.text("say_no_plans"), *_archive_lines(call, count)])
        return draw_rows([*plans, *archived_plans], call)

    return Answer(as_json, as_text)


def _sorted_plans(call: Call) -> list[ListedPlan]:
    """Return the plans of this workspace: the current one, then those changed last.

    OUTLAST_PLAN comes before the current plan, as in every command.
    """
    plans = sorted(list_plans(current_directory()), key=last_change, reverse=True)
    for plan in plans:
        call.notices.extend(plan.notices)
    if call.plan is not None:
        plans = [replace(plan, is_current=plan.key == call.plan) for plan in plans]
    return sorted(plans, key=lambda plan: not plan.is_current)


def _archived_plans() -> list[ListedPlan]:
    from outlast.plan.archive import list_archived

    return sorted(list_archived(current_directory()), key=last_change, reverse=True)
