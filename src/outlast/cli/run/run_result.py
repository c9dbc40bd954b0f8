"""The answer at the end of a run: the plan, the deliverable, and the command to go on with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict, replace

from outlast.agent.loops.endings import describe_others
from outlast.cli.live.event_lines import without_resume_hint
from outlast.config.amounts import parse_budget
from outlast.console.call import BLANK, FAILURE, OK, REFUSED, Answer, Call, Json
from outlast.console.command_index import load_command
from outlast.console.render.overview import (
    agent_lines,
    deliverable_lines,
    doubled_limits,
    draw_glance,
    load_proof_labels,
)
from outlast.console.render.summary import summarize_plan
from outlast.language import visible
from outlast.model.budget import NO_LIMIT, Budget
from outlast.plan.archive import wait_until_dropped
from outlast.redact.secrets import redact
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.agent.events import Stopped, StopReason
    from outlast.plan.plan import Plan

INTERRUPTED: Final = 130
_CODES: Final[dict[StopReason, int]] = {
    "finished": OK,
    "answered": OK,
    "model_failed": FAILURE,
    "unavailable": FAILURE,
    "cancelled": INTERRUPTED,
}
_NEXT: Final[dict[StopReason, str]] = {
    "budget": "run_continue_budget",
    "waiting": "run_continue_answer",
    "unsettled": "run_continue_answer",
    "overtaken": "run_continue_watch",
}
_ASKED: Final = ("waiting", "unsettled")
_OWN_WORDS: Final = ("answered", "limit")  # how the replan loop ends with words of its own
_DROP_SECONDS: Final = 5.0  # in which a plan is archived after its run has stopped


def render_run_result(
    call: Call, stopped: Stopped, plan: Plan | None, *, wait_seconds: float = _DROP_SECONDS
) -> Answer:
    """Return the redacted answer to a run. It is rendered now, while the plan is open.

    A plan that a person drops is waited for until it is in the archive.
    """
    stopped = replace(stopped, text=redact(stopped.text), answer=redact(stopped.answer))
    if stopped.why == "dropped":
        name = wait_until_dropped(current_directory(), call.context.key, wait_seconds)
        if name:
            return _dropped_answer(call, stopped, name)
    code = REFUSED if _is_left_unfinished(call, stopped, plan) else _code(stopped)
    if call.wants_json:
        content = _result_json(stopped, plan)
        return Answer(lambda: content, str, code)
    words = "\n".join(_result_lines(call, stopped, plan))
    return Answer(dict, lambda: words, code, bare=plan is not None)


def _dropped_answer(call: Call, stopped: Stopped, name: str) -> Answer:
    """Return the answer to a run whose plan is in the archive now, and how to bring it back."""
    command = call.suggest("restore", name)
    words = "\n".join([stopped.text, call.text("run_restore", command=command)])
    content = {**_result_json(stopped, None), "archived": name}
    return Answer(lambda: content, lambda: words, _code(stopped), bare=True)


def _is_left_unfinished(call: Call, stopped: Stopped, plan: Plan | None) -> bool:
    """Return whether the model stopped for good with unfinished tasks left."""
    if plan is None or stopped.why != "answered" or stopped.status not in ("idle", "running"):
        return False
    return not _is_slash(call) and plan.core.read(
        lambda state: state.finished_count < len(state.tasks)
    )


def _is_slash(call: Call) -> bool:
    words = call.values.get("goal") or call.values.get("words") or ()
    return " ".join(words).lstrip().startswith("/")


def _code(stopped: Stopped) -> int:
    if stopped.why == "overtaken" and stopped.status == "completed":
        return OK
    code = _CODES.get(stopped.why, REFUSED)
    return REFUSED if code == OK and stopped.status == "failed" else code


def _result_json(stopped: Stopped, plan: Plan | None) -> Json:
    ended: Json = {"why": stopped.why, "text": stopped.text, "answer": stopped.answer}
    if plan is None:
        return {**ended, "plan": None, "current": None, "next": None, "reason": None, "open": []}
    questions = [asdict(question) for question in plan.questions.open()]
    return {**ended, **summarize_plan(plan).as_json(), "open": questions}


def _result_lines(call: Call, stopped: Stopped, plan: Plan | None) -> Iterator[str]:
    if stopped.why in _OWN_WORDS and _is_replanning(plan):  # nothing else has shown them
        yield "\n".join(map(visible, stopped.text.splitlines()))
    elif plan is not None and stopped.why == "limit":  # its own text says to type 'continue'
        progress = plan.progress
        yield call.text("run_limit", done=progress.current, total=progress.total)
    elif plan is not None and _waits_for_others(stopped):
        yield visible(describe_others(plan.tasks("in_progress"), call.language))
    elif stopped.text and not _is_already_shown(call, stopped, plan):
        yield "\n".join(map(visible, without_resume_hint(stopped.text).splitlines()))
    if stopped.why == "answered" and not stopped.text.strip():
        yield call.text("run_empty_answer")
    if plan is None:
        if stopped.why != "answered":
            key, command = _NEXT.get(stopped.why, "run_continue"), _retry_command(call, stopped)
            yield call.text(key, command=command)
        return
    yield draw_glance(plan, call, load_proof_labels(plan, call))
    yield from deliverable_lines(plan, call)
    yield from agent_lines(plan, call)
    if plan.status in ("completed", "failed"):
        if stopped.why == "cancelled":
            yield call.text("run_undo", command=call.suggest("undo", key=plan.key))
        yield _details_line(call, plan)
    else:
        yield from _next_step_lines(call, stopped, plan)


def _next_step_lines(call: Call, stopped: Stopped, plan: Plan) -> Iterator[str]:
    """Yield how to go on, and how to raise the budget of a task that may be used up."""
    if _waits_for_others(stopped):
        yield from _others_lines(call, plan)
        return
    limited = _limited_tasks(plan) if stopped.why == "budget" else []
    for task in limited:
        more = _budget_option(plan.budget.limits(task))
        command = call.suggest("edit", str(task), *more, key=plan.key)
        yield call.text("run_raise_of_task", task=task, command=command)
    if limited and plan.budget.limits() == NO_LIMIT:
        yield call.text("run_continue", command=call.suggest("resume", key=plan.key))
    else:
        is_only_answered = stopped.why == "answered" and plan.status == "paused"
        key = "run_still_paused" if is_only_answered else _NEXT.get(stopped.why, "run_continue")
        if stopped.why in _ASKED and not plan.questions.open():  # something else is in the way
            key = "run_continue"
        yield call.text(key, command=_continue_command(call, stopped, plan))


def _limited_tasks(plan: Plan) -> list[int]:
    """Return the tasks in progress that have budgets of their own."""
    return [
        task.id for task in plan.tasks("in_progress") if plan.budget.limits(task.id) != NO_LIMIT
    ]


def _is_already_shown(call: Call, stopped: Stopped, plan: Plan | None) -> bool:
    """Return whether the text was printed already or is part of the plan shown below."""
    if stopped.why == "finished":
        return stopped.status == "completed"
    if stopped.why == "answered":
        return not _is_slash(call)
    return plan is not None and stopped.why in _ASKED and bool(plan.questions.open())


def _is_replanning(plan: Plan | None) -> bool:
    """Return whether the last run of a plan was one of the replan loop."""
    last_run = None if plan is None else plan.last_run
    return last_run is not None and last_run.loop != "tools" and not last_run.agent


def _waits_for_others(stopped: Stopped) -> bool:
    """Return whether a run ended because others have tasks in progress: the plan is not paused."""
    return stopped.why == "waiting" and stopped.status == "running"


def _others_lines(call: Call, plan: Plan) -> Iterator[str]:
    """Yield how the tasks that others have in progress are completed or given back."""
    for task in plan.tasks("in_progress"):
        done = call.suggest("done", str(task.id), key=plan.key)
        release = call.suggest("release", str(task.id), key=plan.key)
        yield call.text("run_others", task=task.id, done=done, release=release)
    yield call.text("run_continue_then", command=call.suggest("resume", key=plan.key))


def _continue_command(call: Call, stopped: Stopped, plan: Plan) -> str:
    """Return the command that continues the plan, with the options of this call."""
    if stopped.why == "overtaken":
        return call.suggest("watch", key=plan.key)
    more = _budget_option(plan.budget.limits()) if stopped.why == "budget" else []
    return call.suggest("resume", *more, key=plan.key)


def _details_line(call: Call, plan: Plan) -> str:
    """Return the commands that show the details of an ended plan."""
    show = call.suggest("show", "--cost", key=plan.key)
    log = call.suggest("log", key=plan.key)
    if plan.last_run is None or not plan.last_run.agent:
        return call.text("run_details", show=show, log=log)
    report = call.suggest("report", "--html", "report.html", key=plan.key)
    return call.text("run_details_agents", report=report, log=log)


def _retry_command(call: Call, stopped: Stopped) -> str:
    """Return the command that runs the goal again with the same options; no plan was created."""
    values, more = call.values, [" ".join(call.values.get("goal", ()))]
    for option in load_command("run").options:
        value = values.get(option.name)
        if option.name == "budget" and stopped.why == "budget":
            more += _budget_option(NO_LIMIT if value is None else parse_budget(value))
        elif value is True:
            more.append(option.flags[0])
        elif value is not None:
            given = value if option.many else (value,)
            more += (word for each in given for word in (option.flags[0], str(each)))
    return call.suggest("run", *more, key="")


def _budget_option(limits: Budget) -> list[str]:
    """Return the option that doubles some limits."""
    return ["--budget", doubled_limits(limits) or BLANK]
