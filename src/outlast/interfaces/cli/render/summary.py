"""Where a plan stands after a command, and what comes next: the end of most answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from outlast.domain.model import Task
from outlast.errors import OutlastError
from outlast.texts import explain, visible

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


class Standing(Struct, frozen=True):
    """One moment of a plan, as its next worker needs it."""

    key: str
    title: str
    status: str
    done: int
    total: int
    current: Task | None
    ready: tuple[Task, ...]
    hindrance: OutlastError | None


def standing(plan: Plan) -> Standing:
    """Ask a plan where it stands."""
    return plan.read(lambda state: _standing(state, plan.actor))


def _standing(state: PlanState, actor: str) -> Standing:
    hindrance = _hindrance(state)
    ready = () if hindrance else tuple(map(state.tasks.__getitem__, state.executable()))
    return Standing(
        state.key,
        state.title,
        state.status,
        state.finished,
        len(state.tasks),
        state.tasks.get(state.current(actor) or 0),
        ready,
        hindrance,
    )


def _hindrance(state: PlanState) -> OutlastError | None:
    """Return why no task can be started now, if so: the refusal that starting one would meet."""
    if state.tasks and not state.hold and state.next_executable() is not None:
        return None
    from outlast.domain.decide.work import nothing_ready, require_active

    try:
        require_active(state)
    except OutlastError as error:
        return error
    return nothing_ready(state)


def task_words(task: Task) -> str:
    """Return a task as it is named in an answer."""
    return f"{task.id} {visible(task.name)}"


def following(now: Standing, call: Call) -> str:
    """Return the line that says what to do next."""
    if now.current:
        return call.say("say_current", task=task_words(now.current))
    if not now.hindrance:
        more = len(now.ready) - 1
        key = "say_next_more" if more else "say_next"
        return call.say(key, task=task_words(now.ready[0]), more=more)
    if now.status == "completed":
        return call.say("say_finished", total=now.total, key=visible(now.key))
    return visible(explain(now.hindrance, call.language))


def next_shape(now: Standing) -> Json:
    """Return, for programs, where the plan stands and which task may be started next."""
    from outlast.interfaces.cli.render.json import task_shape

    return {
        "plan": {
            "key": now.key,
            "title": now.title,
            "status": now.status,
            "done": now.done,
            "total": now.total,
        },
        "current": task_shape(now.current) if now.current else None,
        "next": task_shape(now.ready[0]) if now.ready else None,
        "reason": now.hindrance.details.get("reason") if now.hindrance else None,
    }
