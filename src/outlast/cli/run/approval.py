"""Run an agent; while its plan needs approval it only plans, and a person is asked."""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.agent.events import Stopped
from outlast.agent.runtime.probes import find_pending_question
from outlast.cli.run.job import AgentJob, plan_layout
from outlast.cli.run.run_result import render_run_result
from outlast.console.call import OK, REFUSED, Answer, Call, Json
from outlast.console.command_index import load_command
from outlast.console.plan_context import live_lease, set_context
from outlast.console.render.output import write
from outlast.console.render.overview import draw_plan, load_proof_labels
from outlast.console.render.summary import numbered_name, summarize_plan
from outlast.language import visible, with_details
from outlast.model.commands import CreatePlan, RequireApproval
from outlast.model.execute import return_commit
from outlast.model.intents import classify_message, is_goal, is_same_goal, is_yes
from outlast.model.ledger import THINK
from outlast.model.model import PERSON, Check, Task, write_rule
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
    from outlast.model.state import PlanState
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
_SHOWN: Final = 5  # names in a line


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
        is_asked = job.call.is_interactive or job.approve
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
    with job.observe() as plan:
        if plan is not None and (plan.checks.unapproved() or plan.checks.unapproved_runs()):
            plan.core.commit((RequireApproval(),), return_commit)


def _write_outlook(job: AgentJob) -> None:
    """Say what will and will not be run again, if work on the plan has begun."""
    with job.observe() as plan:
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
            job.call.notices.extend(plan.notices)
        plans.make_current(job.key, is_new=True)


def _is_planned(job: AgentJob, message: str) -> bool:
    """Return whether a plan with tasks waits for approval, and the message adds nothing to it."""
    with job.observe() as plan:
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
    with job.observe() as plan:
        if plan is None or not plan.needs_approval or plan.status in ("completed", "failed"):
            return False
        return stopped.why == "answered" or (stopped.why == "limit" and plan.progress.total > 0)


def _ask_for_approval(
    job: AgentJob, plan: Plan, planned: Stopped | None, commands: _Commands
) -> bool:
    """Show the plan and its commands, and ask whether to carry it out; `--approve` answers that."""
    call, agent = job.call, job.spec.delegation
    can_ask = call.is_interactive
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
    options += [] if call.is_interactive else ["--approve"]
    approve = call.suggest("resume", *options)
    key = "run_continue_plan" if planned else "run_needs_approval"
    if call.asker != PERSON:
        key = "plan_needs_approval"
    lines = [call.text(key, command=approve)]
    stopped = planned or Stopped(plan.status, "paused", lines[0])
    if stopped.why == "limit":
        more = call.suggest("resume", "--dry-run")
        lines.insert(0, call.text("run_planning_limit"))
        lines.append(call.text("run_continue_planning", command=more))
    content: Json = {
        "why": _REASONS[stopped.why],
        "text": redact(stopped.text),
        "answer": redact(stopped.answer),
        **summarize_plan(plan).as_json(),
        "open": [],
    }
    words = "\n".join(lines)
    return Answer(lambda: content, lambda: words, OK if stopped.why == "answered" else REFUSED)


def _render_result(job: AgentJob, stopped: Stopped) -> Answer:
    with job.observe() as plan:
        return render_run_result(job.call, stopped, plan)


def outlook_lines(plan: Plan, call: Call) -> list[str]:
    """Return what is done, in doubt, begun and left; nothing before the first work on a plan."""
    groups = plan.core.read(group_tasks)
    if groups.keys() <= {"outlook_left"}:
        return []
    return list(_group_lines(groups, call))


def group_tasks(state: PlanState) -> dict[str, list[Task]]:
    """Return all tasks by the text that says what a run does with them, without empty groups."""
    groups: dict[str, list[Task]] = {
        "outlook_done": [],
        "outlook_failed": [],
        "outlook_in_doubt": [],
        "outlook_reported": [],
        "outlook_replanned": [],
        "outlook_asked": [],
        "outlook_answered": [],
        "outlook_begun": [],
        "outlook_left": [],
    }
    for task in state.tasks_in_order():
        groups[_group_of(task, state)].append(task)
    return {key: tasks for key, tasks in groups.items() if tasks}


def _group_of(task: Task, state: PlanState) -> str:
    if task.finished:
        return "outlook_done"
    if task.status == "in_progress":
        return _group_of_begun(task, state)
    return "outlook_failed" if task.status == "failed" else "outlook_left"


def _group_of_begun(task: Task, state: PlanState) -> str:
    attempts = state.ledger.attempts.values()
    if any(attempt.task == task.id and attempt.kind != THINK for attempt in attempts):
        return "outlook_in_doubt"
    question = find_pending_question(state, task)
    if question is not None:
        return "outlook_asked" if question.answer is None else "outlook_answered"
    report = state.ledger.reports.get(task.id)
    if report is None or (task.started_at is not None and report.at < task.started_at):
        return "outlook_begun"
    about = [each for each in state.ledger.decisions if each.attempt == report.attempt]
    if not about:
        return "outlook_reported"
    return "outlook_replanned" if about[-1].decision == "replan" else "outlook_begun"


def _group_lines(groups: dict[str, list[Task]], call: Call) -> Iterator[str]:
    for key, tasks in groups.items():
        names = [numbered_name(task) for task in tasks[:_SHOWN]]
        more = call.text("outlook_more", count=len(tasks) - _SHOWN)
        yield call.text(key, tasks=[*names, *([more] if len(tasks) > _SHOWN else [])])
