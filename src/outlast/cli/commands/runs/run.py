"""`run` and `resume`: let an agent work on the plan, on a goal, or on a plan in a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from outlast.cli.run.approval import run_job
from outlast.cli.run.job import AgentJob, observe_plan, plan_layout, read_job, require_commands
from outlast.console.call import Answer, Call
from outlast.console.document_file import unread_notice
from outlast.console.plan_context import live_lease, open_plan_for, plan_query, set_context
from outlast.console.render.output import print_notice
from outlast.console.render.summary import PlanSummary, answer_with_next, summarize_plan
from outlast.errors import (
    InvalidArgument,
    InvalidDocument,
    InvalidStatus,
    PlanExists,
    PlanNotFound,
    TaskClaimed,
    WrongUsage,
)
from outlast.language import text, visible
from outlast.model.commands import EditPlan
from outlast.model.execute import return_commit
from outlast.model.intents import classify_message, is_continue, is_goal, is_same_goal
from outlast.model.limits import check_name
from outlast.model.model import PLAN
from outlast.model.plan_choice import PlanQuery
from outlast.orchestrator.known_agents import SHELL, find_worker
from outlast.plan.home.find import find_workspace, load_settings, project_root, workspace_at
from outlast.plan.memory_plans import create_memory_plan
from outlast.plan.plans import Plans, open_plan
from outlast.system.workspace_root import current_directory
from outlast.transfer.plan_import import import_document, read_plan

if TYPE_CHECKING:
    from outlast.model.state import PlanState
    from outlast.plan.home.workspace import Workspace
    from outlast.plan.plan import Plan

_ENDINGS: Final = (".md", ".markdown")


def run(
    call: Call,
    *,
    goal: tuple[str, ...] = (),
    key: str | None = None,
    dry_run: bool = False,
    **_given: object,
) -> Answer:
    """Let an agent work towards a goal: on the plan with this goal, or on a new one.

    Without a goal it works on the current plan. With `--plan` the goal is a message to that plan.
    """
    message, home = " ".join(goal).strip(), project_root(current_directory())
    if key is not None and not message:
        raise InvalidArgument("name_blank", argument="goal")
    message, plan_goal = _choose_plan(call, home, goal, key)
    job = _read_job(call, home, message, dry_run=dry_run, resume=not goal)
    message = message or plan_goal or text("continue_word", job.spec.language)
    said, plan_goal = (None, "") if dry_run else _say_to_run(call, message)
    if said is not None and not _can_work(job):
        return said
    job.require_model()
    _report_other_layout(call, home)
    try:  # if the other run has died, this one continues the plan, and reads what was said
        return run_job(job, plan_goal or message)
    except TaskClaimed:
        answer = said or (None if dry_run else _say_to_run(call, message)[0])
        if answer is None:
            raise
        return answer


def _choose_plan(call: Call, home: str, goal: tuple[str, ...], key: str | None) -> tuple[str, str]:
    """Choose the plan of the call; return the message, and the plan's goal if that is not in it.

    With an agent the goal may be a file with a plan, or the key of a plan.
    """
    message, workspace, has_agent = " ".join(goal).strip(), workspace_at(home), _names_agent(call)
    if not has_agent:
        _refuse_plan_file(goal)
    file = _find_plan_file(goal) if has_agent else ""
    call.context.ignores_variable = bool(key or file) or bool(message and is_goal(message))
    if file:
        find_worker(read_job(call, None, home).spec)  # the agent must be able to work
        return _adopt_plan_file(call, home, file, key), ""
    if has_agent and key is None and message in workspace.plan_keys():
        set_context(call, workspace, message)
        with open_plan(home, message) as plan:
            return plan.goal, ""
    if key is None and (not message or is_continue(message)):
        return message, _find_current_plan(call)
    set_context(call, workspace, _choose_key(call, workspace, message, key))
    return message, ""


def _names_agent(call: Call) -> bool:
    """Return whether the command line or the settings name an agent for the tasks."""
    if call.values.keys() & {"agent", "mailbox"}:
        return True
    if "loop" in call.values:
        return False
    return bool(load_settings(current_directory()).settings.orchestrator.agent)


def _choose_key(call: Call, workspace: Workspace, message: str, new_key: str | None) -> str:
    """Return the key of the plan that a message is about; empty for a new plan without a key."""
    if new_key is not None:
        if workspace.has_plan(check_name(new_key, "key")):
            where = workspace.plan_directory(new_key)
            raise PlanExists("plan_exists_already", where=where, key=new_key)
        return new_key
    query = plan_query(call, workspace, message=message)
    key = Plans(workspace, notices=call.notices).choose(query)
    if not key:
        if not (is_goal(message) or message.startswith("/")):
            raise PlanNotFound("nothing_to_run", candidates=workspace.plan_keys())
    elif not workspace.has_plan(key):
        keys = workspace.plan_keys()
        text_key = "plan_to_tell_missing" if keys else "no_plan_yet"
        raise PlanNotFound(text_key, key=key, where=workspace.root, candidates=keys)
    return key


def _find_current_plan(call: Call) -> str:
    """Find the current plan; return its goal if it has open questions, else nothing.

    "Continue" would be an answer to a question, the goal is none.
    """
    try:
        with open_plan_for(call) as plan:
            return plan.goal if plan.questions.open() else ""
    except PlanNotFound as error:
        if error.text not in ("no_plan_yet", "no_open_plan"):
            raise
        workspace = find_workspace(current_directory())
        key = workspace.current_key() if workspace else ""
        if key:
            raise InvalidStatus("plan_over", key=key) from error
        raise PlanNotFound("nothing_to_run", **error.details) from error


def _say_to_run(call: Call, message: str) -> tuple[Answer | None, str]:
    """Leave a message for the run of the named plan, and return the plan's goal.

    The run is at work, or it has died: then the plan goes on with the message. Without such a run,
    or if the message is a phrase such as "continue", nothing is said.
    """
    if (
        call.plan is None
        or "key" in call.values
        or not classify_message(message, paused=True, question=False).words
    ):
        return None, ""
    try:
        with open_plan_for(call) as plan:
            has_run = plan.core.read(lambda state: PLAN in state.ledger.leases)
            if not has_run or is_same_goal(plan.goal, message):
                return None, ""
            plan.questions.say(message)
            words, progress = call.text("say_read_soon"), summarize_plan(plan).as_json()
            questions = [asdict(question) for question in plan.questions.open()]
            goal = plan.goal
    except InvalidDocument:  # there is nobody to say it to
        return None, ""
    content = {"why": "said", "text": words, "answer": "", **progress, "open": questions}
    return Answer(lambda: content, lambda: words), goal


def _report_other_layout(call: Call, home: str) -> None:
    """Add a notice if the plans of the key have another layout than the one asked for."""
    layout, key = plan_layout(call.values), call.context.key
    kept = workspace_at(home).known_layout(key) if layout and key else ""
    if kept not in ("", layout):
        details: dict[str, object] = {"key": key, "layout": kept, "other": layout}
        call.notices.append(("layout_kept", details))


def _read_job(call: Call, home: str, message: str, *, dry_run: bool, resume: bool) -> AgentJob:
    """Return a run on the plan of the call, which need not exist yet.

    Raises an error if the plan is not open to the message.
    """
    with observe_plan(home, call.context) as plan:
        if plan is not None:
            _check_message(call, plan, message)
        return read_job(call, plan, home, dry_run=dry_run, resume=resume)


def _check_message(call: Call, plan: Plan, message: str) -> None:
    """Refuse to cancel a run at work, to continue an ended plan, and to give it another goal.

    A run may have been killed right after it completed its plan; its goal then ends that run.
    """
    key, lease = call.context.key, live_lease(plan)
    intent = classify_message(message, paused=True, question=False)
    if "cancel" in (intent.kind, intent.command):
        if lease is not None:
            raise TaskClaimed("cancel_at_work", key=key, holder=visible(lease.holder))
    elif (is_goal(message) or is_continue(message)) and plan.core.read(
        lambda state: state.has_ended
    ):
        if not message or is_continue(message):
            raise InvalidStatus("plan_over", key=key)
        is_leased = plan.core.read(lambda state: 0 in state.ledger.leases)
        if not (is_leased and is_same_goal(plan.goal, message)):
            raise InvalidStatus("plan_over_new_goal", key=key, goal=message)


def resume(
    call: Call, *, words: tuple[str, ...] = (), dry_run: bool = False, **_given: object
) -> Answer:
    """Resume with an agent; only end the pause if no agent has worked here or there is no model."""
    home = project_root(current_directory())
    with open_plan_for(call) as plan:
        _check_message(call, plan, " ".join(words))
        job = read_job(call, plan, home, dry_run=dry_run, resume=True)
        has_worked = plan.core.read(_has_agent_worked)
        goal = plan.goal if plan.questions.open() else ""  # "continue" is no answer to them
        if plan.status == "idle" and not has_worked and not (call.values and _can_work(job)):
            raise _not_begun(call, plan)
        if not call.values and not (has_worked and _can_work(job)):
            return _with_model_hint(_resume_by_hand(plan, call), call, hint=has_worked)
    job.require_model()
    return run_job(job, " ".join(words) or goal or text("continue_word", job.spec.language))


def _not_begun(call: Call, plan: Plan) -> WrongUsage:
    """Return the refusal of a plan that no run has begun: it says how one begins."""
    unfinished = [task for task in plan.tasks() if not task.finished]
    if unfinished and all(task.run for task in unfinished):
        command = call.suggest("resume", "--agent", SHELL, key=plan.key)
        return WrongUsage("plan_not_begun", command=command)
    return WrongUsage("plan_not_begun_by_whom")


def _can_work(job: AgentJob) -> bool:
    """Return whether there is a model or an agent."""
    return job.spec.delegation is not None or bool(job.spec.settings.loop.model)


def _with_model_hint(answer: Answer, call: Call, *, hint: bool) -> Answer:
    """Add how the agent can go on, if one has worked here."""
    if not hint:
        return answer
    command = call.suggest("resume", "--model", "NAME")
    hinted = "\n".join((answer.as_text(), call.text("resume_without_model", command=command)))
    return Answer(answer.as_json, lambda: hinted, answer.code)


def _has_agent_worked(state: PlanState) -> bool:
    return bool(state.last_run or state.iteration_count or state.ledger.counters.spent)


def _resume_by_hand(plan: Plan, call: Call) -> Answer:
    """End the pause, without an agent."""
    plan.resume()

    def head(summary: PlanSummary) -> str:
        return call.text("say_resumed", **summary.facts)

    return answer_with_next(plan, call, dict, head)


def _find_plan_file(words: tuple[str, ...]) -> str:
    """Return the file that is given instead of a goal; empty if it is a goal."""
    if len(words) != 1 or not words[0].lower().endswith(_ENDINGS) or "\n" in words[0]:
        return ""
    path = words[0]
    if not os.path.lexists(path):
        if " " in path:
            return ""
        raise InvalidDocument("plan_file_missing", where=visible(path), file=visible(path))
    return path


def _refuse_plan_file(words: tuple[str, ...]) -> None:
    """Refuse a file as the goal of a run without an agent: its name is no goal."""
    if len(words) == 1 and words[0].lower().endswith(_ENDINGS) and Path(words[0]).is_file():
        raise WrongUsage("plan_file_needs_agent", file=visible(words[0]))


def _adopt_plan_file(call: Call, home: str, path: str, key: str | None) -> str:
    """Make the plan of a file the one of the call, and return its goal.

    An unfinished plan with the same goal goes on, such as one whose run was killed before it began;
    otherwise the file is imported. Of two runs at
    the same moment one imports it, and the other goes on with that plan. A file may come from a
    stranger: nothing of it runs before a person has approved it.
    """
    workspace, written = workspace_at(home), read_plan(path)
    if key is not None and workspace.has_plan(check_name(key, "key")):
        _refuse_other_plan(workspace, key, written.goal)
        _continue_plan(call, workspace, key, path)
        return written.goal
    can_continue = key is None and bool(written.goal)
    query, looking = PlanQuery(message=written.goal), Plans(workspace)
    if can_continue and (known := looking.choose(query)):
        call.notices.extend(looking.notices)
        _continue_plan(call, workspace, known, path)
        return written.goal
    if call.values.get("agent") == SHELL:
        require_commands(written.tasks)
    create_memory_plan(written)  # a refused plan leaves nothing
    with workspace.lock():
        plans = Plans(workspace, notices=call.notices)
        if can_continue and (known := plans.choose(query)):
            _continue_plan(call, workspace, known, path)
            return written.goal
        return _import_plan(call, workspace, path, key)


def _refuse_other_plan(workspace: Workspace, key: str, goal: str) -> None:
    """Refuse a key under which there is not the unfinished plan of the same goal."""
    with open_plan(workspace.root, key) as plan:
        if plan.goal == goal and not plan.core.read(lambda state: state.has_ended):
            return
    raise PlanExists("plan_exists_already", where=workspace.plan_directory(key), key=key)


def _continue_plan(call: Call, workspace: Workspace, key: str, path: str) -> None:
    """Make an unfinished plan the one of the call."""
    set_context(call, workspace, key)
    _tell_at_once(call, "plan_file_continued", key=key, file=visible(path))


def _tell_at_once(call: Call, notice: str, **facts: object) -> None:
    """Print a notice before the run, which may take hours; in JSON it is part of the answer."""
    if call.wants_json:
        call.notices.append((notice, facts))
    else:
        print_notice(call, (notice, facts))


def _import_plan(call: Call, workspace: Workspace, path: str, key: str | None) -> str:
    """Create the plan of a file, which needs approval, and return its goal."""
    plan, document = import_document(
        workspace.root,
        path,
        None,
        key,
        actor=call.asker,
        person=call.person,
        layout=plan_layout(call.values),
        needs_approval=True,
    )
    with plan:
        is_in_order = plan.order == "sequential"
        if is_in_order and (document.tells_needs or any(task.needs for task in plan.tasks())):
            plan.core.commit(
                (EditPlan(order="graph"),), return_commit
            )  # who writes needs means them
            is_in_order = False
        set_context(call, workspace, plan.key)
        Plans(workspace).make_current(plan.key, is_new=True)
        for notice, facts in plan.notices:
            _tell_at_once(call, notice, **facts)
        is_parallel = call.values.get("parallel", 1) > 1
        if is_in_order and is_parallel and plan.progress.total > 1:
            _tell_at_once(call, "plan_file_sequential", file=visible(path))
        for line in document.unread:
            call.notices.append(unread_notice(line))
        return plan.goal
