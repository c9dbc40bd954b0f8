"""The names of the Plan Agent document as thin, synchronous faces (R1.14)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from msgspec import structs

from outlast.agent.effects import Checked
from outlast.agent.work import AT_WORK, TIMED_OUT, Agent, Report, is_session_id
from outlast.config.parse import check_value
from outlast.config.settings import Settings
from outlast.context.chat_model import Message, Model
from outlast.documents.contracts.contract import parse_contract
from outlast.errors import InvalidArgument, InvalidDocument, ModelFailed, StoreError
from outlast.model.commands import CreatePlan
from outlast.model.limits import check_choice
from outlast.model.model import PERSON, REPORT_STATUSES, Decision, Task, TaskReport
from outlast.model.plan_choice import PlanQuery
from outlast.orchestrator.agents.mailbox.agent import PATIENCE, POLL_SECONDS, MailboxAgent
from outlast.orchestrator.agents.mailbox.folder import Folder
from outlast.orchestrator.agents.mailbox.mailbox import COMMANDS, REPORTS, Mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import (
    AUTO,
    CommandFile,
    is_command_id,
    parse_report,
)
from outlast.orchestrator.evaluation import Evaluation
from outlast.orchestrator.model_requests import evaluation_messages
from outlast.orchestrator.orchestrator_loop import OrchestratorLoop
from outlast.plan.home.find import workspace_at
from outlast.plan.plans import Plans, open_plan
from outlast.system.clock import new_plan_id, now
from outlast.system.disk import describe_error
from outlast.system.threads import run_coroutine

if TYPE_CHECKING:
    from outlast.plan.plan import Plan

Json = dict[str, Any]
_PREFIX: Final = "task-"
_REPORT_KEYS: Final = ("status", "session_id", "results", "pitfalls", "next_steps", "content")
_ANSWERS: Final = 3  # of a model, until one fits the contract


class LLM:
    """A model that answers one message."""

    def __init__(self, model: Model | str, *, settings: Settings | None = None) -> None:
        """Take a model, or the name of one such as `anthropic:NAME`."""
        if isinstance(model, str):
            from outlast.agent.models.choice import find_model

            model = find_model(model, settings or Settings())
        self.model = model

    def call(self, system_prompt: str, user_message: str) -> str:
        """Return the model's answer as text."""
        return self.answer((Message("system", system_prompt), Message("user", user_message)))

    def answer(self, messages: tuple[Message, ...]) -> str:
        """Return the model's answer to a conversation."""
        return run_coroutine(self.model.think(messages, ())).text


class CodingBridge:
    """Orders to a coding agent and its reports, as files below a directory."""

    def __init__(
        self,
        base: str | os.PathLike[str] = "volumes",
        *,
        commands: str = COMMANDS,
        reports: str = REPORTS,
        poll: float = POLL_SECONDS,
    ) -> None:
        """Use two directories below `base` for what waits; create what is missing."""
        places = {"commands": commands, "reports": reports, "poll_seconds": poll}
        for name, value in places.items():
            check_value(f"mailbox.{name}", value, name)
        root = os.path.abspath(os.fspath(base))  # noqa: PTH100 - a URL stays none
        self.mailbox = Mailbox(root, "zh", commands=commands, reports=reports)
        self.agent = MailboxAgent(self.mailbox, poll=poll)

    def send_task(
        self,
        task_id: str,
        description: str,
        session_id: str | None = None,
        command_type: Literal["new", "continue", "end"] = "new",
    ) -> str:
        """Write a command, and return its path. `task_id` is new for every command."""
        check_choice(command_type, "command_type", ("new", "continue", "end"))
        session = session_id or AUTO
        if not is_session_id(session):
            raise InvalidArgument("not_a_session_id", argument="session_id")
        command = CommandFile(
            _command_id(task_id), now(), description, session_id=session, command_type=command_type
        )
        return self.mailbox.send(command)

    def wait_for_report(self, task_id: str, timeout: float = PATIENCE) -> Json:
        """Wait for the report about a command; raise `TimeoutError` if none comes in time."""
        command = _command_id(task_id)
        result = run_coroutine(self.agent.wait(command, timeout))
        if result.code in (TIMED_OUT, AT_WORK):
            raise TimeoutError(result.error)
        if result.report is None:
            raise InvalidDocument("report_unusable", where=command, problem=result.error)
        return _report_dict(command, result.report)

    def parse_report(self, filepath: str | os.PathLike[str]) -> Json:
        """Read a report file."""
        directory, name = os.path.split(os.path.abspath(os.fspath(filepath)))  # noqa: PTH100 - as above
        try:
            content = Folder(directory, ()).read(name).text(name)
        except (FileNotFoundError, StoreError) as error:
            cause = error.__cause__ if isinstance(error, StoreError) else error
            problem = describe_error(cause if isinstance(cause, OSError) else error)
            raise InvalidDocument("report_unusable", where=name, problem=problem) from error
        command = name.removeprefix("report-").removesuffix(".md")
        return _report_dict(_with_prefix(command), parse_report(content, name))


class Verdict(str):  # noqa: SLOT000 - a reason beside the word
    """A decision, equal to its word: next, retry, replan or abort."""

    reason: str
    advice: str

    def __new__(cls, decision: Decision, reason: str = "", advice: str = "") -> Self:
        """Return the word with its reason, and advice for the next attempt."""
        verdict = super().__new__(cls, decision)
        verdict.reason, verdict.advice = reason, advice
        return verdict


class Orchestrator:
    """Plans a goal, lets an agent carry out the steps, judges its reports, and sums up.

    The agent is the given one, else the one behind the `bridge`. The plan is stored in `workdir`,
    so that `run` with the same goal goes on after any interruption. Nobody is asked whether the
    plan is good; with `approve_checks` its checks may run.
    """

    def __init__(
        self,
        llm: LLM | Model | str,
        *,
        bridge: CodingBridge | None = None,
        agent: Agent | None = None,
        workdir: str | os.PathLike[str] = ".",
        approve_checks: bool = False,
        **options: Any,  # noqa: ANN401 - the keywords of another class
    ) -> None:
        """Take a model and an agent; `options` are keywords of `OrchestratorLoop`."""
        chosen = agent if bridge is None else bridge.agent
        if chosen is None or (agent is not None and bridge is not None):
            raise InvalidArgument("agent_or_bridge", argument="agent")
        self._llm = llm if isinstance(llm, LLM) else LLM(llm)
        self._agent = chosen
        self._workspace, self._options = workspace_at(workdir), options
        self._approve_checks, self._key = approve_checks, ""
        self._summary = ""

    def run(self, goal: str) -> str:
        """Plan the goal, carry it out, and return the summary."""
        self.plan(goal)
        self.execute_loop()
        return self.summarize()

    def plan(self, goal: str) -> list[Json]:
        """Split the goal into steps, unless that was done before."""
        plans = Plans(self._workspace)
        self._key = plans.choose(PlanQuery(message=goal))
        if not self._key:
            with plans.create(CreatePlan(new_plan_id(), goal)) as plan:
                self._key = plan.key
        plans.make_current(self._key)
        self._work(goal, plan_only=True)
        if not self.steps:
            raise ModelFailed("plan_unreadable")
        if self._approve_checks:
            with self._open() as plan:
                plan.acting_as(PERSON).checks.approve()
        return self.steps

    def execute_loop(self) -> None:
        """Carry out the steps until the plan has ended or a person has to decide."""
        with self._open() as plan:
            goal = plan.goal
        self._summary = self._work(goal, plan_only=False)

    def evaluate(self, report: Json) -> Verdict:
        """Let the model judge a report about the current step."""
        status = check_choice(report.get("status"), "status", REPORT_STATUSES)
        names = ("results", "pitfalls", "next_steps")
        results, pitfalls, next_steps = (str(report.get(name) or "") for name in names)
        with self._open() as plan:
            goal, task = plan.goal, _current(plan)
        attempt = f"{task.id}#0"
        about = TaskReport(attempt, "agent", status, now(), "", results, pitfalls, next_steps)
        messages = evaluation_messages(goal, task, about, Checked(), "en")
        for _ in range(_ANSWERS):
            said = self._llm.answer(messages)
            parsed = parse_contract(said, Evaluation)
            if parsed.value is not None:
                value = parsed.value
                return Verdict(value.decision, value.reason, value.advice or "")
            repair = Message("user", parsed.repair_request("en"))
            messages = (*messages, Message("assistant", said), repair)
        raise ModelFailed("verdict_unreadable")

    def summarize(self) -> str:
        """Return the summary of the plan."""
        return self._summary

    @property
    def steps(self) -> list[Json]:
        """The tasks in list order, as dictionaries."""
        with self._open() as plan:
            return [structs.asdict(task) for task in plan.tasks()]

    @property
    def current_step(self) -> int:
        """The position of the current step: the one in progress, else the first unfinished one."""
        with self._open() as plan:
            tasks = plan.tasks()
            current = _find_current(tasks)
            return len(tasks) if current is None else tasks.index(current)

    @property
    def session_id(self) -> str | None:
        """The agent's session about the current step, if there is one."""
        with self._open() as plan:
            task = _find_current(plan.tasks())
            reports = plan.core.read(lambda state: dict(state.ledger.reports))
        report = reports.get(task.id) if task else None
        return (report.session or None) if report else None

    @property
    def retry_count(self) -> int:
        """How often the current step has failed."""
        with self._open() as plan:
            task = _find_current(plan.tasks())
            return task.retry_count if task else 0

    def _open(self) -> Plan:
        if not self._key:
            raise InvalidArgument("no_goal_yet", argument="goal")
        return open_plan(self._workspace.root, self._key)

    def _work(self, goal: str, *, plan_only: bool) -> str:
        loop = OrchestratorLoop(
            agent=self._agent,
            model=self._llm.model,
            workdir=self._workspace.root,
            key=self._key,
            plan_only=plan_only,
            **self._options,
        )
        return run_coroutine(loop.run(goal, resume=True)).answer


def _current(plan: Plan) -> Task:
    task = _find_current(plan.tasks())
    if task is None:
        raise InvalidArgument("no_step_left", argument="report")
    return task


def _find_current(tasks: tuple[Task, ...]) -> Task | None:
    begun = (task for task in tasks if task.status == "in_progress")
    left = (task for task in tasks if not task.finished)
    return next(begun, None) or next(left, None)


def _with_prefix(task_id: str) -> str:
    return task_id if task_id.startswith(_PREFIX) else f"{_PREFIX}{task_id}"


def _command_id(task_id: str) -> str:
    command = _with_prefix(str(task_id).lower())
    if not is_command_id(command):
        raise InvalidArgument("not_a_command_id", argument="task_id")
    return command


def _report_dict(command: str, report: Report) -> Json:
    return {"id": command, **{name: getattr(report, name) for name in _REPORT_KEYS}}
