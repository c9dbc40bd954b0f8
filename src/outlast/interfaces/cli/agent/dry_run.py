"""`run --dry-run`: only the plan at first; it is carried out once a person agrees."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import PlanExists
from outlast.formats.redact.engine import redact
from outlast.formats.redact.fast import without_secrets
from outlast.interfaces.cli.agent.person import is_somebody_there
from outlast.interfaces.cli.agent.run_result import closed, is_not_begun
from outlast.interfaces.cli.commands.show import drawn, labels_of
from outlast.interfaces.cli.render.next_command import again
from outlast.interfaces.cli.render.output import Answer, write
from outlast.interfaces.cli.render.summary import next_shape, standing
from outlast.texts import text
from outlast.wiring.plans import create_plan, open_plan

if TYPE_CHECKING:
    from outlast.interfaces.cli.agent.job import Job

_YES: Final = frozenset(("y", "yes", "是", "好"))


def planned(job: Job, goal: str) -> Answer | None:
    """Let the agent plan, show that and ask; None if it is to be carried out."""
    _begin(job, goal)
    asked = text("plan_only", job.asked.language, goal=goal)
    stopped = replace(job, only_planning=True).work(asked)
    with open_plan(job.home, job.key) as plan:
        if stopped.why != "answered" or is_not_begun(job.call, stopped):
            return closed(job.call, stopped, plan)
        call = job.call
        ended = {"why": "planned", "text": redact(stopped.text)}
        shape = {**ended, **next_shape(standing(plan)), "open": []}
        words = drawn(plan, call, labels_of(plan, call))
    if _agreed(job, words):
        return None
    command = again(call, "resume", key=job.key)
    closing = call.say("run_go_on_plan", command=command)
    return Answer(lambda: shape, lambda: closing)


def _begin(job: Job, goal: str) -> None:
    """Begin the plan, since what the agent is told now is not the goal."""
    try:
        create_plan(job.home, without_secrets(goal), job.key, actor=job.asked.actor).close()
    except PlanExists:  # it is planned further
        return


def _agreed(job: Job, words: str) -> bool:
    """Show the plan and ask whether it is to be carried out."""
    if not job.call.as_json:
        write(words, sys.stdout)
    if job.asked.yes:
        return True
    if not is_somebody_there(job.call):
        return False
    try:
        return input(job.call.say("ask_before_acting")).strip().lower() in _YES
    except EOFError:
        return False
