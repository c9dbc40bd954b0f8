"""Run an agent; while its plan needs approval it only plans, and a person is asked."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.agent.events import Stopped
from outlast.cli.live.observer import PlanObserver
from outlast.cli.run.options import plan_layout
from outlast.cli.run.outlook import outlook_lines
from outlast.cli.run.run_result import render_run_result
from outlast.console.call import is_interactive
from outlast.console.command_index import load_command
from outlast.console.plan_context import live_lease, set_context
from outlast.console.render.next_command import suggest_command
from outlast.console.render.output import OK, REFUSED, Answer, write
from outlast.console.render.overview import draw_plan, load_proof_labels
from outlast.console.render.summary import next_json, numbered_name, summarize_plan
from outlast.language import visible, with_details
from outlast.model.check_rules import write_rule
from outlast.model.commands import CreatePlan, RequireApproval
from outlast.model.execute import return_commit
from outlast.model.intents import classify_message, is_goal, is_same_goal, is_yes
from outlast.model.model import PERSON, Check
from outlast.model.plan_choice import PlanQuery
from outlast.orchestrator.known_agents import HUMAN, WITHOUT_LEVELS
from outlast.plan.home.find import workspace_at
from outlast.plan.plans import Plans, open_plan
from outlast.redact.secrets import redact
from outlast.system.caller import person_name
from outlast.system.clock import new_plan_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.agent.agent_spec import Delegation
    from outlast.cli.run.job import AgentJob
    from outlast.console.call import Call
    from outlast.console.render.output import Json
    from outlast.plan.plan import Plan

_CHOOSE_AGENT: Final = (
    "agent",
    "parallel",
    "permissions",
    "timeout",
    "mailbox",
    "layout",
    "sessions",
    "review",
    "loop",
    "model",
)
_LEVELS: Final = {"read": "agent_may_read", "edit": "agent_may_edit", "full": "agent_may_full"}
_REASONS: Final = {"answered": "planned", "limit": "limit", "paused": "needs_approval"}


class _Commands(Struct, frozen=True):
    """The commands and checks that nobody had approved when a person was shown them, by task."""

    runs: dict[int, str] = {}
    checks: dict[int, tuple[Check, ...]] = {}

    @classmethod
    def of_plan(cls, plan: Plan) -> _Commands:
        return cls(plan.checks.unapproved_runs(), plan.checks.unapproved())

    def all(self) -> Iterator[Check]:
        yield from (Check("command", run) for run in self.runs.values())
        yield from chain.from_iterable(self.checks.values())


def run_job(job: AgentJob, message: str) -> Answer:
    """Run the agent on a message, and return the answer.

    A plan that needs approval is shown once it is planned, and a person is asked. Only after a yes
    it is carried out.
    """
    if job.spec.dry_run:
        _create_plan(job, message, needs_approval=True)
    elif job.spec.delegation is not None:
        job.require_work()
        is_asked = is_interactive(job.call) or job.approve
        _create_plan(job, message, needs_approval=is_asked)
        _require_approval(job)
        _write_outlook(job)
    planned = None
    if job.spec.dry_run or not _is_planned(job, message):
        planned = job.run(message)
        if not _can_be_approved(job, message, planned):
            return _render_result(job, planned)
    with open_plan(job.home, job.key, actor=PERSON) as plan:
        commands = _Commands() if job.spec.delegation is None else _Commands.of_plan(plan)
        if not _ask_for_approval(job, plan, planned, commands):
            return _render_planned(job.call, plan, planned)
        by_person = plan.acting_as(PERSON, person=person_name())
        if job.spec.delegation is not None:  # what would run was shown in full
            by_person.checks.approve_shown(commands.all())
        by_person.approve()
        goal = plan.goal
    approved = replace(job, spec=replace(job.spec, dry_run=False), resume=True)
    return _render_result(job, approved.run(goal))


def _require_approval(job: AgentJob) -> None:
    """Let a person approve a plan whose commands nobody has approved; they may be a stranger's."""
    with _observe(job) as plan:
        if plan is not None and (plan.checks.unapproved() or plan.checks.unapproved_runs()):
            plan.core.commit((RequireApproval(),), return_commit)


def _write_outlook(job: AgentJob) -> None:
    """Say what will and will not be run again, if work on the plan has begun."""
    with _observe(job) as plan:
        if (
            plan is not None
            and not job.call.wants_json
            and live_lease(plan) is None
            and (lines := outlook_lines(plan, job.call))
        ):
            write("\n".join(lines), sys.stdout)


def _create_plan(job: AgentJob, goal: str, *, needs_approval: bool) -> None:
    """Create the plan first, so that planning has one whether or not the model calls a tool.

    Of two runs with the same goal at the same moment one creates it.
    """
    workspace = workspace_at(job.home)
    if job.key and workspace.has_plan(job.key):  # planning goes on
        return
    layout, actor = plan_layout(job.call.values), job.spec.actor
    command = CreatePlan(new_plan_id(), goal, needs_approval=needs_approval)
    with workspace.lock():
        plans = Plans.of_project(job.home, actor)
        is_new_goal = is_goal(goal) and not job.key
        if is_new_goal and (known := plans.choose(PlanQuery(message=goal))):
            set_context(job.call, workspace, known)
            return
        language = job.call.language
        with plans.create(command, job.key or None, layout=layout, language=language) as plan:
            set_context(job.call, workspace, plan.key)
        plans.make_current(job.key, is_new=True)


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


def _ask_for_approval(
    job: AgentJob, plan: Plan, planned: Stopped | None, commands: _Commands
) -> bool:
    """Show the plan and its commands, and ask whether to carry it out; `--approve` answers that."""
    call, agent = job.call, job.spec.delegation
    can_ask = is_interactive(call)
    if not call.wants_json and (planned or can_ask or job.approve or agent):
        write(draw_plan(plan, call, load_proof_labels(plan, call)), sys.stdout)
        if lines := _command_lines(plan, call, commands):
            write("\n".join(lines), sys.stdout)
    if job.approve or not can_ask:
        return job.approve
    try:
        return is_yes(input(_approval_question(call, agent)))
    except EOFError:
        return False


def _approval_question(call: Call, agent: Delegation | None) -> str:
    """Return the question whether to carry out a plan; it names who would, and what they may."""
    if agent is None:
        return call.text("ask_before_acting")
    if agent.agent_name == HUMAN:
        return call.text("ask_before_human")
    name = visible(agent.agent_name)
    if agent.agent_name not in WITHOUT_LEVELS:
        name = with_details(name, call.text(_LEVELS[agent.permissions]), call.language)
    key = "ask_before_agents" if agent.parallel > 1 else "ask_before_agent"
    return call.text(key, agent=name, count=agent.parallel)


def _command_lines(plan: Plan, call: Call, commands: _Commands) -> list[str]:
    """Return the lines that show commands and checks in full."""
    runs, checks = commands.runs, commands.checks
    lines = []
    for task in plan.tasks():
        rules = [f"- run: {runs[task.id]}"] if task.id in runs else []
        rules += [f"- {write_rule(check)}" for check in checks.get(task.id, ())]
        if rules:
            lines += [f"  {numbered_name(task)}", *(f"    {visible(rule)}" for rule in rules)]
    return [call.text("commands_to_approve"), *lines] if lines else []


def _agent_words(call: Call) -> list[str]:
    """Return the options of a command line that chose the agent: nothing remembers them yet."""
    words = []
    for option in load_command("resume").options:
        value = call.values.get(option.name)
        is_usable = not option.choices or value in option.choices
        if option.name in _CHOOSE_AGENT and value is not None and is_usable:
            words += [option.flags[0], *([] if value is True else [str(value)])]
    return words


def _render_planned(call: Call, plan: Plan, planned: Stopped | None) -> Answer:
    """Return the answer for a plan that is not carried out: how a person approves it."""
    is_remembered = planned is not None and not call.values.keys() & {"agent", "mailbox"}
    options = [] if is_remembered else _agent_words(call)
    options += [] if is_interactive(call) else ["--approve"]
    approve = suggest_command(call, "resume", *options)
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
