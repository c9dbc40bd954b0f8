"""The answer at the end of a run: the plan, the deliverable, and the command to go on with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict, replace

from outlast.domain.budget import NO_LIMIT
from outlast.formats.redact.secrets import redact
from outlast.interfaces.cli.live.event_lines import without_resume_hint
from outlast.interfaces.cli.render.next_command import BLANK, suggest_command
from outlast.interfaces.cli.render.output import FAILURE, OK, REFUSED, Answer
from outlast.interfaces.cli.render.overview import (
    agent_lines,
    deliverable_lines,
    draw_glance,
    load_proof_labels,
)
from outlast.interfaces.cli.render.summary import next_json, summarize_plan
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json
    from outlast.ports.events import Stopped, StopReason

INTERRUPTED: Final = 130
_CODES: Final[dict[StopReason, int]] = {
    "finished": OK,
    "answered": OK,
    "model_failed": FAILURE,
    "cancelled": INTERRUPTED,
}
_NEXT: Final[dict[StopReason, str]] = {
    "budget": "run_continue_budget",
    "waiting": "run_continue_answer",
    "unsettled": "run_continue_answer",
    "overtaken": "run_continue_watch",
}
_ASKED: Final = ("waiting", "unsettled")
_NAME: Final = "NAME"  # of a new plan; people choose it


def render_run_result(call: Call, stopped: Stopped, plan: Plan | None) -> Answer:
    """Return the redacted answer to a run. It is rendered now, while the plan is open."""
    stopped = replace(stopped, text=redact(stopped.text), answer=redact(stopped.answer))
    unfinished = is_goal_not_started(call, stopped) or _is_left_unfinished(call, stopped, plan)
    code = REFUSED if unfinished else _code(stopped)
    if call.wants_json:
        content = _result_json(call, stopped, plan)
        return Answer(lambda: content, str, code)
    words = "\n".join(_result_lines(call, stopped, plan))
    return Answer(dict, lambda: words, code)


def is_goal_not_started(call: Call, stopped: Stopped) -> bool:
    """Return whether the model only answered a new goal because another plan is paused."""
    return _is_goal(call) and stopped.why == "answered" and stopped.status == "paused"


def _is_left_unfinished(call: Call, stopped: Stopped, plan: Plan | None) -> bool:
    """Return whether the model stopped for good with unfinished tasks left."""
    if plan is None or stopped.why != "answered" or stopped.status not in ("idle", "running"):
        return False
    return not _is_slash(call) and plan.core.read(
        lambda state: state.finished_count < len(state.tasks)
    )


def _is_goal(call: Call) -> bool:
    """Return whether the call has a goal: neither a command nor a message to a named plan."""
    return "goal" in call.values and call.plan is None and not _is_slash(call)


def _is_slash(call: Call) -> bool:
    words = call.values.get("goal") or call.values.get("words") or ()
    return " ".join(words).lstrip().startswith("/")


def _code(stopped: Stopped) -> int:
    if stopped.why == "overtaken" and stopped.status == "completed":
        return OK
    code = _CODES.get(stopped.why, REFUSED)
    return REFUSED if code == OK and stopped.status == "failed" else code


def _result_json(call: Call, stopped: Stopped, plan: Plan | None) -> Json:
    why = "not_begun" if is_goal_not_started(call, stopped) else stopped.why
    ended: Json = {"why": why, "text": stopped.text, "answer": stopped.answer}
    if plan is None:
        return {**ended, "plan": None, "current": None, "next": None, "reason": None, "open": []}
    questions = [asdict(question) for question in plan.questions.open()]
    return {**ended, **next_json(summarize_plan(plan)), "open": questions}


def _result_lines(call: Call, stopped: Stopped, plan: Plan | None) -> Iterator[str]:
    if plan is not None and stopped.why == "limit":  # its own text says to type 'continue'
        progress = plan.progress
        yield call.text("run_limit", done=progress.current, total=progress.total)
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
        yield _details_line(call, plan)
    elif is_goal_not_started(call, stopped):
        yield call.text("run_not_started", key=plan.key, command=_separate_plan_command(call))
        command = _continue_command(call, stopped, plan)
        yield call.text("run_continue_paused", key=plan.key, command=command)
    else:
        yield from _next_step_lines(call, stopped, plan)


def _next_step_lines(call: Call, stopped: Stopped, plan: Plan) -> Iterator[str]:
    """Yield how to go on, and how to raise the budget of a task that may be used up."""
    limited = _limited_tasks(plan) if stopped.why == "budget" else []
    for task in limited:
        command = suggest_command(call, "edit", str(task), "--budget", BLANK, key=plan.key)
        yield call.text("run_raise_of_task", task=task, command=command)
    if limited and plan.budget.limits() == NO_LIMIT:
        yield call.text("run_continue", command=suggest_command(call, "resume", key=plan.key))
    else:
        command = _continue_command(call, stopped, plan)
        yield call.text(_NEXT.get(stopped.why, "run_continue"), command=command)


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
    return plan is not None and stopped.why in _ASKED


def _continue_command(call: Call, stopped: Stopped, plan: Plan) -> str:
    """Return the command that continues the plan, with the options of this call."""
    if stopped.why == "overtaken":
        return suggest_command(call, "watch", key=plan.key)
    return suggest_command(call, "resume", *_extra_options(stopped), key=plan.key)


def _details_line(call: Call, plan: Plan) -> str:
    """Return the commands that show the details of an ended plan."""
    show = suggest_command(call, "show", "--cost", key=plan.key)
    log = suggest_command(call, "log", key=plan.key)
    return call.text("run_details", show=show, log=log)


def _retry_command(call: Call, stopped: Stopped) -> str:
    """Return the command that runs the goal again, when no plan was created."""
    goal = " ".join(call.values.get("goal", ()))
    return suggest_command(call, "run", goal, *_extra_options(stopped))


def _separate_plan_command(call: Call) -> str:
    """Return the command that runs the goal as a plan of its own."""
    named = () if call.plan is not None else ("--plan", _NAME)
    return suggest_command(call, "run", " ".join(call.values["goal"]), *named, key=_NAME)


def _extra_options(stopped: Stopped) -> list[str]:
    return ["--budget", BLANK] if stopped.why == "budget" else []
