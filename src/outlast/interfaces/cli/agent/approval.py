"""Run an agent; while its plan needs approval it only plans, and a person is asked."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.domain.commands import CreatePlan
from outlast.domain.intents import classify_message, is_same_goal, is_yes
from outlast.domain.model import PERSON
from outlast.formats.redact.secrets import redact
from outlast.interfaces.cli.agent.person import is_interactive
from outlast.interfaces.cli.agent.run_result import render_run_result
from outlast.interfaces.cli.live.observer import PlanObserver
from outlast.interfaces.cli.plan_context import set_context
from outlast.interfaces.cli.render.next_command import suggest_command
from outlast.interfaces.cli.render.output import OK, REFUSED, Answer, write
from outlast.interfaces.cli.render.overview import draw_plan, load_proof_labels
from outlast.interfaces.cli.render.summary import next_json, summarize_plan
from outlast.ports.events import Stopped
from outlast.system.clock import new_plan_id
from outlast.system.hosts import person_name
from outlast.wiring.current_plan import make_current
from outlast.wiring.plans import create_project_plan, open_plan
from outlast.wiring.workspaces import workspace_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.agent.job import AgentJob
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json

_REASONS: Final = {"answered": "planned", "limit": "limit", "paused": "needs_approval"}


def run_job(job: AgentJob, message: str) -> Answer:
    """Run the agent on a message, and return the answer.

    A plan that needs approval is shown once it is planned, and a person is asked. Only after a yes
    it is carried out.
    """
    if job.dry_run:
        _create_plan(job, message)
    planned = None
    if job.dry_run or not _is_planned(job, message):
        planned = job.run(message)
        if not _can_be_approved(job, message, planned):
            return _render_result(job, planned)
    with open_plan(job.home, job.key, actor=PERSON) as plan:
        if not _ask_for_approval(job, plan, planned):
            return _render_planned(job.call, plan, planned)
        plan.acting_as(PERSON, person=person_name()).approve()
        goal = plan.goal
    return _render_result(job, replace(job, dry_run=False, resume=True).run(goal))


def _create_plan(job: AgentJob, goal: str) -> None:
    """Create the plan first, so that planning has one whether or not the model calls a tool."""
    workspace = workspace_at(job.home)
    if job.key and workspace.has_plan(job.key):  # planning goes on
        return
    layout, actor = job.call.values.get("layout"), job.options.actor
    command = CreatePlan(new_plan_id(), goal, needs_approval=True)
    with create_project_plan(
        job.home,
        command,
        job.key or None,
        layout=layout,
        actor=actor,
        language=job.call.language,
    ) as plan:
        set_context(job.call, workspace, plan.key)
    make_current(workspace, job.key, is_new=True)


def _is_planned(job: AgentJob, message: str) -> bool:
    """Return whether a plan with tasks waits for approval, and the message adds nothing to it."""
    with _observe(job) as plan:
        if plan is None or not plan.needs_approval:
            return False
        if plan.questions.open() or not plan.progress.total:
            return False
        intent = classify_message(message, paused=True, question=False)
        is_phrase = intent.kind == "continue" and not intent.words
        return is_phrase or is_same_goal(plan.goal, message)


def _can_be_approved(job: AgentJob, message: str, stopped: Stopped) -> bool:
    """Return whether a run has planned what a person can approve now."""
    if classify_message(message, paused=True, question=False).kind in ("slash", "cancel"):
        return False
    with _observe(job) as plan:
        if plan is None or not plan.needs_approval or plan.status in ("completed", "failed"):
            return False
        return stopped.why == "answered" or (stopped.why == "limit" and plan.progress.total > 0)


def _ask_for_approval(job: AgentJob, plan: Plan, planned: Stopped | None) -> bool:
    """Show the plan, and ask whether to carry it out; `--approve` answers that."""
    call, options = job.call, job.options
    can_ask = is_interactive(call)
    if not call.wants_json and (planned or can_ask or options.approve):
        write(draw_plan(plan, call, load_proof_labels(plan, call)), sys.stdout)
    if options.approve or not can_ask:
        return options.approve
    try:
        return is_yes(input(call.text("ask_before_acting")))
    except EOFError:
        return False


def _render_planned(call: Call, plan: Plan, planned: Stopped | None) -> Answer:
    """Return the answer for a plan that is not carried out: how a person approves it."""
    approve = suggest_command(call, "resume", *(() if is_interactive(call) else ("--approve",)))
    key = "run_continue_plan" if planned else "run_needs_approval"
    if call.asker != PERSON:
        key = "plan_needs_approval"
    lines = [call.text(key, command=approve)]
    stopped = planned or Stopped(plan.status, "paused", lines[0])
    if stopped.why == "limit":
        more = suggest_command(call, "resume", "--dry-run")
        lines.insert(0, call.text("run_planning_limit"))
        lines.append(call.text("run_continue_planning", command=more))
    content: Json = {
        "why": _REASONS[stopped.why],
        "text": redact(stopped.text),
        "answer": redact(stopped.answer),
        **next_json(summarize_plan(plan)),
        "open": [],
    }
    words = "\n".join(lines)
    return Answer(lambda: content, lambda: words, OK if stopped.why == "answered" else REFUSED)


def _render_result(job: AgentJob, stopped: Stopped) -> Answer:
    with _observe(job) as plan:
        return render_run_result(job.call, stopped, plan)


@contextmanager
def _observe(job: AgentJob) -> Iterator[Plan | None]:
    """Open the plan of a job as it is now; None if there is none."""
    with PlanObserver(job.home, job.call.context).open_now() or nullcontext() as plan:
        yield plan
