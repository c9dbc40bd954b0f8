"""`run` and `resume`: let an agent work on the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from outlast.domain.intents import classify_message
from outlast.errors import InvalidArgument, InvalidDocument, PlanNotFound, TaskClaimed
from outlast.formats.redact.fast import redact_text
from outlast.interfaces.cli.agent.job import AgentJob
from outlast.interfaces.cli.agent.options import read_options
from outlast.interfaces.cli.agent.run_result import render_run_result
from outlast.interfaces.cli.live.observer import PlanObserver
from outlast.interfaces.cli.plan_context import live_lease, open_plan_for
from outlast.interfaces.cli.render.next_command import suggest_command
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import next_json, next_line, summarize_plan
from outlast.system.keys import new_key
from outlast.system.workspace_root import current_directory
from outlast.texts import text, visible
from outlast.wiring.plan_list import find_leased_plan, list_plans
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
    said, plan_goal = (None, "") if dry_run else _say_to_run(call, message)
    if said is not None and not options.settings.loop.model:
        return said
    options.require_model()
    home = project_root(current_directory())
    key = _choose_key(call, home, message)
    _report_other_layout(call, home, key)
    job = AgentJob(call, options, home, key)
    if dry_run:
        from outlast.interfaces.cli.agent.dry_run import plan_only

        answer = plan_only(job, message)
        if answer is not None:
            return answer
    try:  # if the other run has died, this one continues the plan, and reads what was said
        return _run_job(job, plan_goal or message)
    except TaskClaimed:
        answer = said or _say_to_run(call, message)[0]
        if answer is None:
            raise
        return answer


def _say_to_run(call: Call, message: str) -> tuple[Answer | None, str]:
    """Leave a message for the run that is at work on the named plan, and return the plan's goal.

    Without such a run, or if the message is a phrase such as "continue", nothing is said.
    """
    if call.plan is None or not classify_message(message, paused=True, question=False).words:
        return None, ""
    try:
        with open_plan_for(call) as plan:
            if live_lease(plan) is None or plan.goal.strip() == message.strip():
                return None, ""
            plan.questions.say(message)
            words, progress = call.text("say_read_soon"), next_json(summarize_plan(plan))
            questions = [asdict(question) for question in plan.questions.open()]
            goal = plan.goal
    except (PlanNotFound, InvalidDocument):  # there is nobody to say it to
        return None, ""
    content = {"why": "said", "text": words, "answer": "", **progress, "open": questions}
    return Answer(lambda: content, lambda: words), goal


def _report_other_layout(call: Call, home: str, key: str) -> None:
    """Add a notice if the plans of the key have another layout than the one asked for."""
    layout = call.values.get("layout")
    kept = workspace_at(home).known_layout(key) if layout else ""
    if kept not in ("", layout):
        details = {"key": key, "layout": kept, "other": layout}
        call.notices.append(("layout_kept", details))


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
    home = project_root(current_directory())
    return _run_job(AgentJob(call, options, home, key, resume=True), message)


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
    A phrase such as "continue" goes to the plan that was worked on last, though it has ended.
    """
    if call.plan is not None:
        return call.plan
    try:
        with find_plan(current_directory(), actor=call.actor) as plan:
            return plan.key
    except PlanNotFound as error:
        if error.details.get("count"):
            raise
    except InvalidDocument as error:  # no plan but a broken file of another program
        call.notices.append((error.text, error.details))
    stored_goal = redact_text(goal)
    if classify_message(goal, paused=True, question=False).kind != "message":
        return _latest_key(home) or _new_key(home, stored_goal)
    return find_leased_plan(home, stored_goal) or _new_key(home, stored_goal)


def _latest_key(home: str) -> str:
    """Return the key of the plan that was changed last; empty if there is none."""
    changed = {plan.updated_at: plan.key for plan in list_plans(home) if plan.updated_at}
    return changed[max(changed)] if changed else ""


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
