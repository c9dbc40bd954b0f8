"""`run` and `resume`: let an agent work on the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import InvalidArgument, PlanNotFound
from outlast.formats.redact.fast import redact_text
from outlast.interfaces.cli.agent.job import AgentJob
from outlast.interfaces.cli.agent.options import read_options
from outlast.interfaces.cli.agent.run_result import render_run_result
from outlast.interfaces.cli.live.observer import PlanObserver
from outlast.interfaces.cli.plan_context import open_plan_for
from outlast.interfaces.cli.render.next_command import suggest_command
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import next_json, next_line, summarize_plan
from outlast.system.keys import new_key
from outlast.system.workspace_root import current_directory
from outlast.texts import text, visible
from outlast.wiring.plan_list import find_leased_plan
from outlast.wiring.plans import find_plan
from outlast.wiring.workspaces import project_root, workspace_at

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call


def run(call: Call, *, goal: tuple[str, ...], dry_run: bool = False, **_given: object) -> Answer:
    """Let an agent work towards a goal; the same goal again continues its plan."""
    message = " ".join(goal)
    if not message.strip():
        raise InvalidArgument("name_blank", argument="goal")
    options = read_options(call)
    options.require_model()
    home = project_root(current_directory())
    job = AgentJob(call, options, home, _choose_key(call, home, message))
    if dry_run:
        from outlast.interfaces.cli.agent.dry_run import plan_only

        answer = plan_only(job, message)
        if answer is not None:
            return answer
    return _run_job(job, message)


def resume(call: Call, *, words: tuple[str, ...] = (), **_given: object) -> Answer:
    """Resume with an agent; only end the pause if no agent has worked here or there is no model."""
    options = read_options(call)
    with open_plan_for(call) as plan:
        key, has_worked = plan.key, plan.core.read(_has_agent_worked)
        goal = plan.goal if plan.questions.open() else ""  # "continue" is no answer to them
        if not call.values and not (has_worked and options.settings.loop.model):
            return _with_model_hint(_resume_by_hand(plan, call), call, hint=has_worked)
    options.require_model()
    message = " ".join(words) or goal or text("continue_word", options.language)
    return _run_job(AgentJob(call, options, project_root(current_directory()), key), message)


def _with_model_hint(answer: Answer, call: Call, *, hint: bool) -> Answer:
    """Add how the agent can go on, if one has worked here."""
    if not hint:
        return answer
    command = suggest_command(call, "resume", "--model", "NAME")
    hinted = "\n".join((answer.as_text(), call.text("resume_without_model", command=command)))
    return Answer(answer.as_json, lambda: hinted, answer.code)


def _has_agent_worked(state: PlanState) -> bool:
    return bool(state.iteration_count or state.ledger.counters.spent)


def _run_job(job: AgentJob, message: str) -> Answer:
    stopped = job.run(message)
    plan = PlanObserver(job.home, job.key).open_now()
    if plan is None:
        return render_run_result(job.call, stopped, None)
    with plan:
        return render_run_result(job.call, stopped, plan)


def _choose_key(call: Call, home: str, goal: str) -> str:
    """Return the plan's key: the one given, the only open plan, a plan still leased, or a new one.

    A plan stays leased if its run was killed right after completing it. Its goal is not run again.
    """
    if call.plan is not None:
        return call.plan
    try:
        with find_plan(current_directory(), actor=call.actor) as plan:
            return plan.key
    except PlanNotFound as error:
        if error.details.get("count"):
            raise
    stored_goal = redact_text(goal)
    return find_leased_plan(home, stored_goal) or _new_key(home, stored_goal)


def _new_key(home: str, goal: str) -> str:
    """Return an unused key, chosen now so that the display knows which plan to watch."""
    taken = workspace_at(home).plan_keys()
    return next(key for key in iter(lambda: new_key(goal), "") if key not in taken)


def _resume_by_hand(plan: Plan, call: Call) -> Answer:
    """End the pause, without an agent."""
    plan.resume()
    summary = summarize_plan(plan)

    def as_text() -> str:
        head = call.text(
            "say_resumed", key=visible(summary.key), done=summary.done, total=summary.total
        )
        return f"{head}\n{next_line(summary, call)}"

    return Answer(lambda: next_json(summary), as_text)
