"""Holding a task against everybody else: `claim` and `release`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import WrongUsage
from outlast.interfaces.cli.commands.work import lease_of, own_task
from outlast.interfaces.cli.parser.task_refs import reference
from outlast.interfaces.cli.render.json import task_shape
from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import following, next_shape, standing, task_words

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Lease
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json

_SECONDS: Final = 600


def claim(
    plan: Plan,
    call: Call,
    *,
    task: str | None = None,
    seconds: int = _SECONDS,
    token: int | None = None,
) -> Answer:
    """Begin a task, or the next one, and hold it; with the claim's token hold it longer."""
    if token is None:
        lease = plan.claim(None if task is None else reference(task), seconds)
    else:
        meant = own_task(plan) if task is None else task
        lease = plan.renew(lease_of(plan, meant, token), seconds)
    held = plan.task(lease.task)

    def shape() -> Json:
        claimed = {"lease": _lease_shape(lease), "task": task_shape(held)}
        return {**claimed, **next_shape(standing(plan))}

    def words() -> str:
        until = f"{lease.until.astimezone():%Y-%m-%d %H:%M}"
        facts = {"task": task_words(held), "number": held.id, "token": lease.token, "until": until}
        return call.say("say_claimed", **facts)

    return Answer(shape, words)


def _lease_shape(lease: Lease) -> Json:
    return {name: getattr(lease, name) for name in lease.__struct_fields__}


def release(plan: Plan, call: Call, *, task: str, token: int | None = None) -> Answer:
    """Give a claimed task back."""
    if token is None:
        raise WrongUsage("token_left_out", task=reference(task))
    lease = lease_of(plan, task, token)
    plan.release(lease)
    freed, now = plan.task(lease.task), standing(plan)

    def words() -> str:
        head = call.say("say_released", task=task_words(freed))
        return f"{head}\n{following(now, call)}"

    return Answer(lambda: {"task": task_shape(freed), **next_shape(now)}, words)
