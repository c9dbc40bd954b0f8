"""`new`, `list` and `pause`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

from outlast.errors import InvalidArgument
from outlast.interfaces.cli.render.json import plan_json
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import next_json, summarize_plan
from outlast.system.workspace_root import current_directory
from outlast.texts import explain, status_words, visible
from outlast.wiring.plan_list import ListedPlan, list_plans
from outlast.wiring.plans import create_project_plan

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json
    from outlast.ports.store import Layout


def new(
    call: Call,
    *,
    goal: tuple[str, ...],
    key: str | None = None,
    layout: Layout | None = None,
    shared: bool = False,
) -> Answer:
    """Create a plan."""
    message = " ".join(goal)
    if not message.strip():
        raise InvalidArgument("name_blank", argument="goal")
    named = call.plan if key is None else key
    with create_project_plan(
        current_directory(), message, named, layout=layout, shared=shared, actor=call.actor
    ) as plan:
        content, files = plan.core.read(plan_json), plan.files.paths()

    def as_text() -> str:
        facts = {name: visible(content[name]) for name in ("key", "title")}
        lines = [call.text("say_created", **facts), call.text("say_add_first")]
        lines += [
            call.text("say_edit_file", file=visible(_shortest_path(path)))
            for path in files[:1]
            if path.endswith(".md")  # nobody edits a plan.json: it is only read
        ]
        return "\n".join(lines)

    return Answer(lambda: {"plan": content, "files": files}, as_text)


def _shortest_path(path: str) -> str:
    """Return the relative path, unless it is longer than the absolute one."""
    return min(os.path.relpath(path), path, key=len)


def show_plans(call: Call, *, archived: bool = False) -> Answer:
    """List the plans of this workspace, and with `archived` those in the archive."""
    plans = list_plans(current_directory())
    for plan in plans:
        call.notices.extend(plan.notices)
    archived_plans = _archived_plans() if archived else []

    def as_json() -> Json:
        return {
            "plans": [_listed_json(plan_row) for plan_row in plans],
            "archived": [_listed_json(plan_row) for plan_row in archived_plans],
        }

    def as_text() -> str:
        if not plans and not archived_plans:
            return call.text("say_no_plans")
        return _table(call, [*plans, *archived_plans])

    return Answer(as_json, as_text)


def _archived_plans() -> list[ListedPlan]:
    from outlast.wiring.archive import list_archived

    return list_archived(current_directory())


def _listed_json(plan: ListedPlan) -> Json:
    left_out = ("notices",) if plan.name else ("notices", "name", "path")
    fields = {name: getattr(plan, name) for name in plan.__struct_fields__ if name not in left_out}
    return fields | {"problem": explain(plan.problem) if plan.problem else ""}


def _table(call: Call, plans: list[ListedPlan]) -> str:
    rows = [call.text("say_list_columns").split("|"), *(_row(call, plan) for plan in plans)]
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_align(row, widths) for row in rows)


def _align(row: list[str], widths: list[int]) -> str:
    cells = (cell + " " * (wide - text_width(cell)) for cell, wide in zip(row, widths, strict=True))
    return "  ".join(cells).rstrip()


def _row(call: Call, plan: ListedPlan) -> list[str]:
    at = f"{plan.updated_at.astimezone():%Y-%m-%d %H:%M}" if plan.updated_at else ""
    done = f"{plan.done}/{plan.total}"
    problem = explain(plan.problem, call.language) if plan.problem else ""
    says = "  ! ".join(part for part in (plan.title, problem) if part)
    status = status_words(plan.status, call.language)
    if plan.name:
        status = call.text("say_archived_status", status=status)
    return [visible(plan.name or plan.key), status, done, at, visible(says)]


def pause(plan: Plan, call: Call, *, reason: tuple[str, ...] = ()) -> Answer:
    """Pause the plan."""
    plan.pause(" ".join(reason))
    summary = summarize_plan(plan)

    def as_text() -> str:
        return call.text(
            "say_paused", key=visible(summary.key), done=summary.done, total=summary.total
        )

    return Answer(lambda: next_json(summary), as_text)


def text_width(text: str) -> int:
    """Return the columns that a text takes on a terminal; a Chinese character takes two."""
    return sum(2 if east_asian_width(c) in "WF" else not combining(c) for c in text)
