"""What is said when a loop has ended: how the plan stands, what came out, what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.domain.budget import NO_LIMIT
from outlast.formats.redact.engine import redact
from outlast.interfaces.cli.commands.answer import question_shape
from outlast.interfaces.cli.commands.show import agent_lines, glanced, labels_of
from outlast.interfaces.cli.render.next_command import BLANK, again
from outlast.interfaces.cli.render.output import OK, REFUSED, TROUBLE, Answer
from outlast.interfaces.cli.render.summary import next_shape, standing
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json
    from outlast.ports.events import Stopped, Why

INTERRUPTED: Final = 130
_CODES: Final[dict[Why, int]] = {
    "finished": OK,
    "answered": OK,
    "model_failed": TROUBLE,
    "cancelled": INTERRUPTED,
}
_NEXT: Final[dict[Why, str]] = {
    "budget": "run_go_on_budget",
    "waiting": "run_go_on_answer",
    "unsettled": "run_go_on_answer",
    "overtaken": "run_go_on_watch",
}
_ASKED: Final = ("waiting", "unsettled")
_NAME: Final = "NAME"  # of a plan that is to be, which people choose
_SHOWN: Final = 20  # lines of what came out


def closed(call: Call, stopped: Stopped, plan: Plan | None) -> Answer:
    """Return what is said at the end, without secrets; all of it while the plan is open."""
    stopped = replace(stopped, text=redact(stopped.text))
    unfinished = is_not_begun(call, stopped) or _is_let_go(call, stopped, plan)
    code = REFUSED if unfinished else _code(stopped)
    if call.as_json:
        shape = _shape(call, stopped, plan)
        return Answer(lambda: shape, str, code)
    words = "\n".join(_words(call, stopped, plan))
    return Answer(dict, lambda: words, code)


def is_not_begun(call: Call, stopped: Stopped) -> bool:
    """Tell whether a goal was only answered, beside a plan that is paused."""
    return _is_goal(call) and stopped.why == "answered" and stopped.status == "paused"


def _is_let_go(call: Call, stopped: Stopped, plan: Plan | None) -> bool:
    """Tell whether the model has stopped for good although there is something left to be done."""
    if plan is None or stopped.why != "answered" or stopped.status not in ("idle", "running"):
        return False
    return not _is_slash(call) and plan.read(lambda state: state.finished < len(state.tasks))


def _is_goal(call: Call) -> bool:
    """Tell whether it was a goal that was given, and no slash command."""
    return "goal" in call.values and not _is_slash(call)


def _is_slash(call: Call) -> bool:
    words = call.values.get("goal") or call.values.get("words") or ()
    return " ".join(words).lstrip().startswith("/")


def _code(stopped: Stopped) -> int:
    if stopped.why == "overtaken" and stopped.status == "completed":
        return OK
    code = _CODES.get(stopped.why, REFUSED)
    return REFUSED if code == OK and stopped.status == "failed" else code


def _shape(call: Call, stopped: Stopped, plan: Plan | None) -> Json:
    why = "not_begun" if is_not_begun(call, stopped) else stopped.why
    ended: Json = {"why": why, "text": stopped.text}
    if plan is None:
        return {**ended, "plan": None, "current": None, "next": None, "reason": None, "open": []}
    questions = [question_shape(one) for one in plan.questions()]
    return {**ended, **next_shape(standing(plan)), "open": questions}


def _words(call: Call, stopped: Stopped, plan: Plan | None) -> Iterator[str]:
    if stopped.text and not _is_told(call, stopped, plan):
        yield "\n".join(map(visible, stopped.text.splitlines()))
    if stopped.why == "answered" and not stopped.text.strip():
        yield call.say("run_said_nothing")
    if plan is None:
        if stopped.why != "answered":
            yield call.say(_NEXT.get(stopped.why, "run_go_on"), command=_anew(call, stopped))
        return
    yield glanced(plan, call, labels_of(plan, call))
    yield from _delivered(call, plan)
    yield from agent_lines(plan, call)
    if plan.status in ("completed", "failed"):
        yield _look(call, plan)
    elif is_not_begun(call, stopped):
        yield call.say("run_not_begun", key=plan.key, command=_apart(call))
        yield call.say("run_go_on_paused", key=plan.key, command=_command(call, stopped, plan))
    else:
        yield from _going_on(call, stopped, plan)


def _going_on(call: Call, stopped: Stopped, plan: Plan) -> Iterator[str]:
    """Say how a plan goes on, and how the budget of a task is raised that may be used up."""
    limited = _limited(plan) if stopped.why == "budget" else []
    for task in limited:
        command = again(call, "edit", str(task), "--budget", BLANK, key=plan.key)
        yield call.say("run_raise_of_task", task=task, command=command)
    if limited and plan.budget() == NO_LIMIT:
        yield call.say("run_go_on", command=again(call, "resume", key=plan.key))
    else:
        yield call.say(_NEXT.get(stopped.why, "run_go_on"), command=_command(call, stopped, plan))


def _limited(plan: Plan) -> list[int]:
    """Return the tasks under way that have budgets of their own, one of which may be used up."""
    return [task.id for task in plan.tasks("in_progress") if plan.budget(task.id) != NO_LIMIT]


def _is_told(call: Call, stopped: Stopped, plan: Plan | None) -> bool:
    """Tell whether people have read it already, or read it below in the plan or its questions."""
    if stopped.why == "finished":
        return stopped.status == "completed"
    if stopped.why == "answered":
        return not _is_slash(call)
    return plan is not None and stopped.why in _ASKED


def _delivered(call: Call, plan: Plan) -> Iterator[str]:
    text = plan.read(lambda state: state.notes.deliverable)
    if text:
        yield call.say("run_delivered", file="deliverable.md")
        yield from (f"  {visible(line)}" for line in text.strip().splitlines()[:_SHOWN])


def _command(call: Call, stopped: Stopped, plan: Plan) -> str:
    """Return the command that goes on, with what was said on this command line."""
    if stopped.why == "overtaken":
        return again(call, "watch", key=plan.key)
    return again(call, "resume", *_more(stopped), key=plan.key)


def _look(call: Call, plan: Plan) -> str:
    """Return how a plan that has ended is looked at."""
    show, log = again(call, "show", "--cost", key=plan.key), again(call, "log", key=plan.key)
    return call.say("run_look", show=show, log=log)


def _anew(call: Call, stopped: Stopped) -> str:
    """Return the command that tries once more where no plan was made."""
    goal = " ".join(call.values.get("goal", ()))
    return again(call, "run", goal, *_more(stopped))


def _apart(call: Call) -> str:
    """Return the command that begins a goal as a plan of its own."""
    named = () if call.plan is not None else ("--plan", _NAME)
    return again(call, "run", " ".join(call.values["goal"]), *named, key=_NAME)


def _more(stopped: Stopped) -> list[str]:
    return ["--budget", BLANK] if stopped.why == "budget" else []
