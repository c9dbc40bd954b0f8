"""Plans as a whole: `new`, `list`, `pause`, and going on after one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from outlast.errors import InvalidArgument, PlanNotFound
from outlast.interfaces.cli.commands.show import show
from outlast.interfaces.cli.plan_context import here, opened
from outlast.interfaces.cli.render.json import plan_shape
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import following, next_shape, standing
from outlast.interfaces.cli.render.width import width
from outlast.texts import explain, status_words, visible
from outlast.wiring.plan_list import PlanSummary, list_plans
from outlast.wiring.plans import new_plan

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


def new(
    call: Call, *, goal: tuple[str, ...], key: str | None = None, shared: bool = False
) -> Answer:
    """Begin a plan."""
    words_of_goal = " ".join(goal)
    if not words_of_goal.strip():
        raise InvalidArgument("name_blank", argument="goal")
    named = call.plan if key is None else key
    with new_plan(here(), words_of_goal, named, shared=shared, actor=call.actor) as plan:
        shape, files = plan.read(plan_shape), plan.files()

    def words() -> str:
        said = {name: visible(shape[name]) for name in ("key", "title")}
        lines = [call.say("say_begun", **said), call.say("say_add_first")]
        lines += [call.say("say_edit_file", file=visible(_short(one))) for one in files[:1]]
        return "\n".join(lines)

    return Answer(lambda: {"plan": shape, "files": files}, words)


def _short(path: str) -> str:
    """Return a path as it is written from here, unless that is longer."""
    return min(os.path.relpath(path), path, key=len)


def every(call: Call, *, archived: bool = False) -> Answer:
    """List the plans of this workspace, and those that were archived if they are wanted."""
    found = list_plans(here())
    for plan in found:
        call.notices.extend(plan.notices)
    away = _away() if archived else []

    def shape() -> Json:
        return {
            "plans": [_summary_shape(one) for one in found],
            "archived": [_summary_shape(one) for one in away],
        }

    def words() -> str:
        if not found and not away:
            return call.say("say_no_plans")
        return _table(call, [*found, *away])

    return Answer(shape, words)


def _away() -> list[PlanSummary]:
    from outlast.wiring.archive import list_archived

    return list_archived(here())


def _summary_shape(plan: PlanSummary) -> Json:
    left_out = ("notices",) if plan.path else ("notices", "path")
    shape = {name: getattr(plan, name) for name in plan.__struct_fields__ if name not in left_out}
    return shape | {"problem": explain(plan.problem) if plan.problem else ""}


def _table(call: Call, found: list[PlanSummary]) -> str:
    rows = [call.say("say_list_columns").split("|"), *(_row(call, plan) for plan in found)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_aligned(row, widths) for row in rows)


def _aligned(row: list[str], widths: list[int]) -> str:
    cells = (cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True))
    return "  ".join(cells).rstrip()


def _row(call: Call, plan: PlanSummary) -> list[str]:
    at = f"{plan.updated_at.astimezone():%Y-%m-%d %H:%M}" if plan.updated_at else ""
    done = f"{plan.done}/{plan.total}"
    problem = explain(plan.problem, call.language) if plan.problem else ""
    says = "  ! ".join(part for part in (plan.title, problem) if part)
    if plan.path:
        says += f"  [{plan.path}]"
    return [visible(plan.key), status_words(plan.status, call.language), done, at, visible(says)]


def welcome(call: Call) -> Answer:
    """Show the plan; where there is none, how to begin one."""
    try:
        with opened(call) as plan:
            answer = show(plan, call)
            shape, words = (answer.shape(), "") if call.as_json else ({}, answer.words())
    except PlanNotFound as error:
        if call.plan is not None or error.details.get("count"):
            raise
        known = error.details["candidates"]
        return Answer(
            lambda: {"plan": None, "phases": [], "tasks": [], "costs": None, "questions": []},
            lambda: _start(call, known),
        )
    return Answer(lambda: shape, lambda: words)


def _start(call: Call, ended: object) -> str:
    return call.say("say_start_again", ended=ended) if ended else call.say("say_start")


def pause(plan: Plan, call: Call, *, reason: tuple[str, ...] = ()) -> Answer:
    """Stop work for now."""
    plan.pause(" ".join(reason))
    now = standing(plan)

    def words() -> str:
        return call.say("say_paused", key=visible(now.key), done=now.done, total=now.total)

    return Answer(lambda: next_shape(now), words)


def unpaused(plan: Plan, call: Call) -> Answer:
    """Go on after a pause, without an agent."""
    plan.resume()
    now = standing(plan)

    def words() -> str:
        head = call.say("say_resumed", key=visible(now.key), done=now.done, total=now.total)
        return f"{head}\n{following(now, call)}"

    return Answer(lambda: next_shape(now), words)
