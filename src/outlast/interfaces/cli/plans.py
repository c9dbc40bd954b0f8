"""Plans as a whole: `new`, `list`, `show`, `pause`, `resume`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from outlast.errors import InvalidArgument, PlanNotFound, StoreError
from outlast.interfaces.cli.advice import advised
from outlast.interfaces.cli.opened import here, opened
from outlast.interfaces.cli.output import Answer
from outlast.interfaces.cli.shapes import plan_shape, task_shape
from outlast.interfaces.cli.standing import following, next_shape, standing
from outlast.interfaces.cli.width import width
from outlast.texts import explain, status_words, visible
from outlast.wiring.door import new_plan
from outlast.wiring.listing import PlanSummary, list_plans

if TYPE_CHECKING:
    from outlast.application.planning import Plan
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.outline import Labels
    from outlast.interfaces.cli.output import Json
    from outlast.ports.store import Notice


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
    from outlast.wiring.archiving import list_archived

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


def show(plan: Plan, call: Call, *, at: str | None = None) -> Answer:
    """Show the plan with all its tasks, as it is or as it was at a revision."""
    if at is not None:
        return _shown_at(plan, call, at)
    plan.render()
    return Answer(lambda: whole_shape(plan, call), lambda: _advised(plan, call))


def _shown_at(plan: Plan, call: Call, at: str) -> Answer:
    from outlast.interfaces.cli.revisions import revision

    past = plan.as_of(revision(at))

    def words() -> str:
        head = call.say("say_as_of", revision=past.revision, newest=plan.revision)
        return f"{head}\n{_drawn(past, call, labels_of(past, call))}"

    return Answer(lambda: whole_shape(past, call), words)


def _advised(plan: Plan, call: Call) -> str:
    """Return the plan, and below it what has to be seen to; what is not proved here is told."""
    labels = labels_of(plan, call)
    done = {task.id for task in plan.tasks("completed")}
    doubted = {
        one: label
        for one, label in labels.items()
        if label == "tampered" or (one in done and label != "forged")
    }
    waiting = _waiting(plan)
    return "\n".join([_drawn(plan, call, labels), *advised(call, doubted), *advised(call, waiting)])


def whole_shape(plan: Plan, call: Call) -> Json:
    """Return a plan with all its tasks, each with what it is known by to be done."""
    labels = labels_of(plan, call)
    return plan.read(lambda state: _whole(state, labels))


def _whole(state: PlanState, labels: Labels) -> Json:
    tasks = [
        {**task_shape(one, state.blocked_by(one)), "proof": labels.get(one.id, "")}
        for one in state.in_order()
    ]
    phases = [{"id": one.id, "title": one.title} for one in state.phases.values()]
    return {"plan": plan_shape(state), "phases": phases, "tasks": tasks}


def labels_of(plan: Plan, call: Call) -> Labels:
    """Return by what tasks are known to be done; where nobody can tell, that is said."""
    try:
        found = {task: one.label for task, one in plan.proofs().items()}
    except StoreError as error:
        call.notices.append((error.text, error.details))
        return {}
    foreign = [task for task, label in found.items() if label == "forged"]
    notice: Notice = ("not_proved_here", {"tasks": foreign})
    if foreign and notice not in call.notices:
        call.notices.append(notice)
    return found


def _waiting(plan: Plan) -> Labels:
    """Return the unfinished tasks that have checks which nobody has allowed."""
    try:
        found = plan.unapproved()
    except StoreError:  # which has been told already
        return {}
    return {task: "not approved" for task in found if not plan.task(task).finished}


def _drawn(plan: Plan, call: Call, labels: Labels) -> str:
    if sys.stdout and sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        from outlast.interfaces.cli.tree import coloured

        return coloured(plan, call.language, labels)
    return outlined(plan, call, labels)


def outlined(plan: Plan, call: Call, labels: Labels) -> str:
    """Return the plan as plain lines."""
    from outlast.interfaces.cli.outline import outline

    return plan.read(lambda state: outline(state, call.language, labels))


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
