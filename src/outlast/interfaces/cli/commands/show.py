"""`show`: the plan with its tasks and costs, and what needs attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import PlanNotFound, StoreError
from outlast.interfaces.cli.plan_context import ARCHIVED, open_plan_for
from outlast.interfaces.cli.render.advice import advice_lines
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.overview import (
    agent_lines,
    deliverable_lines,
    draw_plan,
    load_proof_labels,
    overview_json,
    plan_cost_lines,
)

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.outline import Labels


def show(
    plan: Plan, call: Call, *, task: str | None = None, at: str | None = None, cost: bool = False
) -> Answer:
    """Show the plan or one task as it is now or was at a revision, or with `cost` what it cost."""
    if task is not None:
        return _show_task(plan, call, task, at)
    if at is not None:
        return _show_revision(plan, call, at)
    plan.files.render()

    def as_text() -> str:
        return _cost_text(plan, call) if cost else _plan_text(plan, call)

    return Answer(lambda: overview_json(plan, call), as_text)


def _show_task(plan: Plan, call: Call, given: str, at: str | None) -> Answer:
    from outlast.interfaces.cli.parser.values import parse_revision, task_reference
    from outlast.interfaces.cli.render.task_page import task_page, task_page_json

    shown = plan if at is None else plan.as_of(parse_revision(at))
    task_id = shown.task(task_reference(given)).id
    return Answer(
        lambda: task_page_json(shown, call, task_id), lambda: task_page(shown, call, task_id)
    )


def _cost_text(plan: Plan, call: Call) -> str:
    from outlast.interfaces.cli.render.costs import full_cost_lines
    from outlast.interfaces.cli.render.outline import heading

    def lines(state: PlanState) -> list[str]:
        return [heading(state, call.language), *full_cost_lines(state, call.language)]

    return "\n".join(plan.core.read(lines))


def _show_revision(plan: Plan, call: Call, at: str) -> Answer:
    from outlast.interfaces.cli.parser.values import parse_revision

    past = plan.as_of(parse_revision(at))

    def as_text() -> str:
        head = call.text("say_as_of", revision=past.revision, newest=plan.revision)
        return f"{head}\n{draw_plan(past, call, load_proof_labels(past, call))}"

    return Answer(lambda: overview_json(past, call), as_text)


def _plan_text(plan: Plan, call: Call) -> str:
    """Return the plan, and below it what to do about doubtful proofs and waiting checks.

    A notice reports forged proofs already, so the advice leaves them out. Nothing can be done about
    an archived plan.
    """
    labels = load_proof_labels(plan, call)
    has_ended = plan.status in ("completed", "failed")
    answer = deliverable_lines(plan, call, or_answer=True) if has_ended else []
    if ARCHIVED in call.values:
        return "\n".join([draw_plan(plan, call, labels), *answer, *plan_cost_lines(plan, call)])
    done = {task.id for task in plan.tasks("completed")}
    doubtful = {
        task_id: label
        for task_id, label in labels.items()
        if label == "tampered" or (task_id in done and label != "forged")
    }
    unapproved = _unapproved_labels(plan)
    lines = [
        draw_plan(plan, call, labels),
        *answer,
        *advice_lines(call, doubtful),
        *advice_lines(call, unapproved),
    ]
    return "\n".join([*lines, *agent_lines(plan, call), *_resume_lines(plan, call)])


def _resume_lines(plan: Plan, call: Call) -> list[str]:
    """Return how to go on with a paused plan."""
    if plan.status != "paused":
        return []
    from outlast.interfaces.cli.render.next_command import suggest_command

    return [call.text("run_continue", command=suggest_command(call, "resume"))]


def _unapproved_labels(plan: Plan) -> Labels:
    """Return the unfinished tasks that have unapproved checks."""
    try:
        unapproved = plan.checks.unapproved()
    except StoreError:  # a notice reports it already
        return {}
    return {task: "not approved" for task in unapproved if not plan.task(task).finished}


def welcome(call: Call) -> Answer:
    """Show the plan, or how to create one if there is none."""
    try:
        with open_plan_for(call) as plan:
            answer = show(plan, call)
            shape, words = (answer.as_json(), "") if call.wants_json else ({}, answer.as_text())
    except PlanNotFound as error:
        if call.plan is not None or error.details.get("count"):
            raise
        known = error.details["candidates"]
        return Answer(
            lambda: {"plan": None, "phases": [], "tasks": [], "costs": None, "questions": []},
            lambda: _start_hint(call, known),
        )
    return Answer(lambda: shape, lambda: words)


def _start_hint(call: Call, ended: object) -> str:
    return call.text("say_start_again", ended=ended) if ended else call.text("say_start")
