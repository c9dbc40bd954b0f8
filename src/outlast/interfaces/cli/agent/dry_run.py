"""`run --dry-run`: let the agent plan, then ask before anything is carried out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.domain.intents import is_yes
from outlast.domain.model import PERSON
from outlast.errors import PlanExists
from outlast.formats.redact.secrets import redact
from outlast.interfaces.cli.agent.person import is_interactive
from outlast.interfaces.cli.agent.run_result import is_goal_not_started, render_run_result
from outlast.interfaces.cli.render.next_command import suggest_command
from outlast.interfaces.cli.render.output import Answer, write
from outlast.interfaces.cli.render.overview import draw_plan, load_proof_labels
from outlast.interfaces.cli.render.summary import next_json, summarize_plan
from outlast.wiring.plans import create_project_plan, open_plan

if TYPE_CHECKING:
    from outlast.interfaces.cli.agent.job import AgentJob


def plan_only(job: AgentJob, goal: str) -> Answer | None:
    """Let the agent plan, show the plan and ask; return None if it is to be carried out."""
    _create_plan(job, goal)
    stopped = replace(job, only_planning=True).run(goal)
    with open_plan(job.home, job.key, actor=PERSON) as plan:
        if stopped.why != "answered" or is_goal_not_started(job.call, stopped):
            return render_run_result(job.call, stopped, plan)
        call = job.call
        answer = redact(stopped.answer)
        outcome = {"why": "planned", "text": redact(stopped.text), "answer": answer}
        content = {**outcome, **next_json(summarize_plan(plan)), "open": []}
        words = draw_plan(plan, call, load_proof_labels(plan, call))
    if _ask_to_proceed(job, words):
        return None
    command = suggest_command(call, "resume", key=job.key)
    hint = call.text("run_continue_plan", command=command)
    return Answer(lambda: content, lambda: hint)


def _create_plan(job: AgentJob, goal: str) -> None:
    """Create the plan first, so that planning has one whether or not the model calls a tool."""
    layout, actor = job.call.values.get("layout"), job.options.actor
    try:
        create_project_plan(job.home, goal, job.key, layout=layout, actor=actor).close()
    except PlanExists:  # planning goes on
        return


def _ask_to_proceed(job: AgentJob, words: str) -> bool:
    """Print the plan and ask whether to carry it out."""
    if not job.call.wants_json:
        write(words, sys.stdout)
    if job.options.yes:
        return True
    if not is_interactive(job.call):
        return False
    try:
        return is_yes(input(job.call.text("ask_before_acting")))
    except EOFError:
        return False
