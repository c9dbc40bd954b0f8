"""Working on tasks: `next`, `start`, `done`, `fail`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.model import MAX_RETRIES, Lease
from outlast.errors import InvalidStatus, WrongUsage
from outlast.interfaces.cli.parser.task_refs import is_number, reference
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import following, next_shape, standing, task_words
from outlast.texts import visible
from outlast.wiring.workspaces import damage

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.application.proof.labels import Label
    from outlast.domain.model import Task
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json
    from outlast.interfaces.cli.render.summary import Standing


def upcoming(plan: Plan, call: Call, *, every: bool = False) -> Answer:
    """Show what may be started: the first such task, or all of them."""
    now = standing(plan)
    unread = bool(plan.notices) and damage(plan.notices) is not None

    def shape() -> Json:
        from outlast.interfaces.cli.render.json import task_shape

        shown = now.ready if every else now.ready[:1]
        return {**next_shape(now), "ready": [task_shape(one) for one in shown]}

    def words() -> str:
        if unread and not now.ready and not now.current:
            return call.say("say_unread")
        if not every or not now.ready:
            return following(now, call)
        head = call.say("say_ready", count=len(now.ready))
        return "\n".join([head, *(f"  {task_words(task)}" for task in now.ready)])

    return Answer(shape, words)


def start(plan: Plan, call: Call, *, task: str | None = None) -> Answer:
    """Begin a task, or the next one."""
    begun = plan.start(None if task is None else reference(task))
    green = bool(begun.checks) and _is_green(plan, begun)

    def words() -> str:
        head = call.say("say_started", task=task_words(begun))
        return "\n".join([head, call.say("say_green_before")]) if green else head

    return Answer(lambda: {**_shape(begun, standing(plan)), "green_before": green}, words)


def _is_green(plan: Plan, begun: Task) -> bool:
    from outlast.application.proof.labels import is_green_before, known_of

    return plan.read(lambda state: is_green_before(known_of(state, begun)[1]))


def done(  # noqa: PLR0913 - one keyword for each thing the command takes
    plan: Plan,
    call: Call,
    *,
    task: str | None = None,
    result: str | None = None,
    token: int | None = None,
    force: bool = False,
) -> Answer:
    """Finish a task, or the one that this actor has in progress."""
    meant = own_task(plan) if task is None else reference(task)
    lease = None if token is None else lease_of(plan, meant, token)
    ended = plan.complete(meant, result, lease=lease, force=force)
    now, label = standing(plan), _known_by(plan, ended)

    def words() -> str:
        key = "say_done_known" if label else "say_done"
        said = _two_lines(call, key, ended, now, _label_words(call, label))
        if ended.how != "unproved":
            return said
        head, rest = said.split("\n", 1)
        return "\n".join([head, call.say("say_unproved"), rest])

    return Answer(lambda: {**_shape(ended, now), "proof": label or ended.how}, words)


def _known_by(plan: Plan, task: Task) -> Label:
    """Return by what a task that has checks is known to be done."""
    return plan.proof(task.id).label if task.checks or task.protect else ""


def _label_words(call: Call, label: Label) -> str:
    if not label:
        return ""
    from outlast.application.proof.labels import LABEL_TEXTS

    return call.say(LABEL_TEXTS[label])


def fail(
    plan: Plan,
    call: Call,
    *,
    words: tuple[str, ...],
    final: bool = False,
    token: int | None = None,
) -> Answer:
    """Note that an attempt failed: at a task, or at the one that this actor has in progress."""
    task, reason = _task_and_reason(plan, words)
    lease = None if token is None else lease_of(plan, task, token)
    ended = plan.fail(task, reason, retry=not final, lease=lease)
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
        return own_task(plan), " ".join(words)
    if not rest:
        raise WrongUsage("reason_left_out", task=visible(first))
    return reference(first), " ".join(rest)


def lease_of(plan: Plan, task: int | str, token: int) -> Lease:
    """Return the claim on a task that has this number; whether it holds is for the plan to say."""
    return Lease(plan.task(reference(str(task))).id, plan.actor, token, plan.now())


def own_task(plan: Plan) -> int:
    """Return the task that this actor has in progress."""
    current = plan.current()
    if current is None:
        raise InvalidStatus("no_own_task", actor=plan.actor)
    return current.id


def _shape(task: Task, now: Standing) -> Json:
    from outlast.interfaces.cli.render.json import task_shape

    return {"task": task_shape(task), **next_shape(now)}


def _two_lines(call: Call, key: str, task: Task, now: Standing, known: str = "") -> str:
    facts = {"task": task_words(task), "known": known, "done": now.done, "total": now.total}
    head = call.say(key, **facts)
    return f"{head}\n{following(now, call)}"
