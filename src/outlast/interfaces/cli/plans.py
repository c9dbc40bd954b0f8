"""Plans as a whole: `new`, `list`, `show`, `pause`, `resume`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from outlast.errors import InvalidArgument, PlanNotFound
from outlast.interfaces.cli.opened import here, opened
from outlast.interfaces.cli.output import Answer
from outlast.interfaces.cli.shapes import plan_shape, task_shape
from outlast.interfaces.cli.standing import following, next_shape, standing
from outlast.interfaces.cli.width import width
from outlast.texts import explain, visible
from outlast.wiring.door import new_plan
from outlast.wiring.listing import list_plans

if TYPE_CHECKING:
    from outlast.application.planning import Plan
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.output import Json
    from outlast.wiring.listing import PlanSummary


def new(
    call: Call, *, goal: tuple[str, ...], key: str | None = None, shared: bool = False
) -> Answer:
    """Begin a plan."""
    words_of_goal = " ".join(goal)
    if not words_of_goal.strip():
        raise InvalidArgument("name_blank", argument="goal")
    named = call.plan if key is None else key
    with new_plan(here(), words_of_goal, named, shared=shared, actor=call.actor) as plan:
        shape = plan.read(plan_shape)

    def words() -> str:
        said = {name: visible(shape[name]) for name in ("key", "title")}
        return "\n".join([call.say("say_begun", **said), call.say("say_add_first")])

    return Answer(lambda: {"plan": shape}, words)


def every(call: Call) -> Answer:
    """List the plans of this workspace."""
    found = list_plans(here())
    for plan in found:
        call.notices.extend(plan.notices)

    def shape() -> Json:
        return {"plans": [_summary_shape(one) for one in found]}

    def words() -> str:
        return _table(call, found) if found else call.say("say_no_plans")

    return Answer(shape, words)


def _summary_shape(plan: PlanSummary) -> Json:
    shape = {name: getattr(plan, name) for name in plan.__struct_fields__ if name != "notices"}
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
    return [visible(plan.key), plan.status, done, at, visible(says)]


def show(plan: Plan, call: Call) -> Answer:
    """Show the plan with all its tasks."""
    return Answer(lambda: plan.read(_whole), lambda: _drawn(plan, call))


def _whole(state: PlanState) -> Json:
    return {
        "plan": plan_shape(state),
        "phases": [{"id": one.id, "title": one.title} for one in state.phases.values()],
        "tasks": [task_shape(one, state.blocked_by(one)) for one in state.in_order()],
    }


def _drawn(plan: Plan, call: Call) -> str:
    if sys.stdout and sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        from outlast.interfaces.cli.tree import coloured

        return coloured(plan, call.language)
    from outlast.interfaces.cli.outline import outline

    return plan.read(lambda state: outline(state, call.language))


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
            lambda: {"plan": None, "phases": [], "tasks": []}, lambda: _start(call, known)
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


def resume(plan: Plan, call: Call) -> Answer:
    """Go on after a pause."""
    plan.resume()
    now = standing(plan)

    def words() -> str:
        head = call.say("say_resumed", key=visible(now.key), done=now.done, total=now.total)
        return f"{head}\n{following(now, call)}"

    return Answer(lambda: next_shape(now), words)
