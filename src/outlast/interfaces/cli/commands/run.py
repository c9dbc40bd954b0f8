"""Letting an agent work on the plan: `run` and `resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import InvalidArgument, PlanNotFound
from outlast.formats.redact.fast import without_secrets
from outlast.interfaces.cli.agent.job import Job
from outlast.interfaces.cli.agent.options import wanted
from outlast.interfaces.cli.agent.run_result import closed
from outlast.interfaces.cli.commands.plan import unpaused
from outlast.interfaces.cli.live.observer import Peek
from outlast.interfaces.cli.plan_context import here, opened
from outlast.interfaces.cli.render.next_command import again
from outlast.interfaces.cli.render.output import Answer
from outlast.system.slugs import new_key
from outlast.system.workspace_root import new_home
from outlast.texts import text
from outlast.wiring.plan_list import left_held
from outlast.wiring.plans import find_plan
from outlast.wiring.workspaces import project_of, workspace_at

if TYPE_CHECKING:
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call


def run(call: Call, *, goal: tuple[str, ...], dry_run: bool = False, **_given: object) -> Answer:
    """Let an agent work towards a goal; the same goal again goes on with its plan."""
    message = " ".join(goal)
    if not message.strip():
        raise InvalidArgument("name_blank", argument="goal")
    asked = wanted(call)
    asked.require_model()
    home = _home()
    job = Job(call, asked, home, _key(call, home, message))
    if dry_run:
        from outlast.interfaces.cli.agent.dry_run import planned

        planning = planned(job, message)
        if planning is not None:
            return planning
    return _worked(job, message)


def resume(call: Call, *, words: tuple[str, ...] = (), **_given: object) -> Answer:
    """Let the agent go on; where none has worked so far, or there is no model, end the pause."""
    asked = wanted(call)
    with opened(call) as plan:
        key, was_worked_on = plan.key, plan.read(_was_worked_on)
        goal = plan.goal if plan.questions() else ""  # to go on is no answer to them
        if not call.values and not (was_worked_on and asked.settings.loop.model):
            return _by_hand(unpaused(plan, call), call, hint=was_worked_on)
    asked.require_model()
    message = " ".join(words) or goal or text("continue_word", asked.language)
    return _worked(Job(call, asked, _home(), key), message)


def _by_hand(answer: Answer, call: Call, *, hint: bool) -> Answer:
    """Return an answer; where an agent has worked, with how it goes on."""
    if not hint:
        return answer
    command = again(call, "resume", "--model", "NAME")
    hinted = "\n".join((answer.words(), call.say("resume_without_model", command=command)))
    return Answer(answer.shape, lambda: hinted, answer.code)


def _was_worked_on(state: PlanState) -> bool:
    return bool(state.iteration_count or state.ledger.books.spent)


def _worked(job: Job, message: str) -> Answer:
    stopped = job.work(message)
    plan = Peek(job.home, job.key).fresh()
    if plan is None:
        return closed(job.call, stopped, None)
    with plan:
        return closed(job.call, stopped, plan)


def _home() -> str:
    """Return the directory that keeps the plans of this project, or will."""
    start = here()
    found = project_of(start)
    return new_home(start) if found is None else found.root


def _key(call: Call, home: str, goal: str) -> str:
    """Return the plan that is meant: the one that was named, the only open one, or a new one.

    A plan that was completed as its run was killed is no reason to do all of it again.
    """
    if call.plan is not None:
        return call.plan
    try:
        with find_plan(here()) as plan:
            return plan.key
    except PlanNotFound as error:
        if error.details.get("count"):
            raise
    return left_held(home, without_secrets(goal)) or _new_key(home, goal)


def _new_key(home: str, goal: str) -> str:
    """Return a key that no plan here has, so that whoever watches knows where to look."""
    taken = workspace_at(home).known()
    safe = without_secrets(goal)
    return next(key for key in iter(lambda: new_key(safe), "") if key not in taken)
