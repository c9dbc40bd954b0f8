"""Working on tasks: `next`, `start`, `done`, `fail`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.model import MAX_RETRIES
from outlast.errors import InvalidStatus, WrongUsage
from outlast.interfaces.cli.output import Answer
from outlast.interfaces.cli.references import is_number, reference
from outlast.interfaces.cli.standing import following, next_shape, standing, task_words
from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.application.planning import Plan
    from outlast.domain.model import Task
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.output import Json
    from outlast.interfaces.cli.standing import Standing


def upcoming(plan: Plan, call: Call, *, every: bool = False) -> Answer:
    """Show what may be started: the first such task, or all of them."""
    now = standing(plan)

    def shape() -> Json:
        from outlast.interfaces.cli.shapes import task_shape

        shown = now.ready if every else now.ready[:1]
        return {**next_shape(now), "ready": [task_shape(one) for one in shown]}

    def words() -> str:
        if not every or not now.ready:
            return following(now, call)
        head = call.say("say_ready", count=len(now.ready))
        return "\n".join([head, *(f"  {task_words(task)}" for task in now.ready)])

    return Answer(shape, words)


def start(plan: Plan, call: Call, *, task: str | None = None) -> Answer:
    """Begin a task, or the next one."""
    begun = plan.start(None if task is None else reference(task))

    def words() -> str:
        return call.say("say_started", task=task_words(begun))

    return Answer(lambda: _shape(begun, standing(plan)), words)


def done(plan: Plan, call: Call, *, task: str | None = None, result: str | None = None) -> Answer:
    """Finish a task, or the one that this actor has in progress."""
    ended = plan.complete(_own(plan) if task is None else reference(task), result)
    now = standing(plan)

    def words() -> str:
        return _two_lines(call, "say_done", ended, now)

    return Answer(lambda: _shape(ended, now), words)


def fail(plan: Plan, call: Call, *, words: tuple[str, ...], final: bool = False) -> Answer:
    """Note that an attempt failed: at a task, or at the one that this actor has in progress."""
    task, reason = _task_and_reason(plan, words)
    ended = plan.fail(task, reason, retry=not final)
    now = standing(plan)

    def said() -> str:
        if ended.status == "failed":
            return _two_lines(call, "say_failed", ended, now)
        head = call.say(
            "say_retried", task=task_words(ended), retry=ended.retry_count, limit=MAX_RETRIES
        )
        return f"{head}\n{following(now, call)}"

    return Answer(lambda: {**_shape(ended, now), "will_retry": ended.status != "failed"}, said)


def _task_and_reason(plan: Plan, words: tuple[str, ...]) -> tuple[int | str, str]:
    first, *rest = words
    if not is_number(first):
        return _own(plan), " ".join(words)
    if not rest:
        raise WrongUsage("reason_left_out", task=visible(first))
    return reference(first), " ".join(rest)


def _own(plan: Plan) -> int:
    """Return the task that this actor has in progress."""
    current = plan.current()
    if current is None:
        raise InvalidStatus("no_own_task", actor=plan.actor)
    return current.id


def _shape(task: Task, now: Standing) -> Json:
    from outlast.interfaces.cli.shapes import task_shape

    return {"task": task_shape(task), **next_shape(now)}


def _two_lines(call: Call, key: str, task: Task, now: Standing) -> str:
    head = call.say(key, task=task_words(task), done=now.done, total=now.total)
    return f"{head}\n{following(now, call)}"
