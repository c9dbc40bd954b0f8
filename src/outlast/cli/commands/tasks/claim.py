"""`claim` and `release`: lease a task, and give a task back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from outlast.console.plan_context import current_task_id, lease_with_token
from outlast.console.render.json import task_json
from outlast.console.render.output import Answer
from outlast.console.render.summary import next_json, next_line, numbered_name, summarize_plan
from outlast.console.values import task_reference

if TYPE_CHECKING:
    from outlast.console.call import Call
    from outlast.console.render.output import Json
    from outlast.plan.plan import Plan

_SECONDS: Final = 600


def claim(
    plan: Plan,
    call: Call,
    *,
    task: str | None = None,
    seconds: int = _SECONDS,
    token: int | None = None,
) -> Answer:
    """Start a task, or the next one, and claim it; with `token`, renew the claim."""
    if token is None:
        lease = plan.claim(None if task is None else task_reference(task), seconds)
    else:
        claimed_task = current_task_id(plan) if task is None else task
        lease = plan.renew(lease_with_token(plan, claimed_task, token), seconds)
    held = plan.task(lease.task)

    def as_json() -> Json:
        claimed = {"lease": asdict(lease), "task": task_json(held)}
        return {**claimed, **next_json(summarize_plan(plan))}

    def as_text() -> str:
        until = f"{lease.until.astimezone():%Y-%m-%d %H:%M}"
        facts = {
            "task": numbered_name(held),
            "number": held.id,
            "token": lease.token,
            "until": until,
        }
        return call.text("say_claimed", **facts)

    return Answer(as_json, as_text)


def release(plan: Plan, call: Call, *, task: str, token: int | None = None) -> Answer:
    """Return a task in progress to pending; a claimed one needs the token of its claim."""
    if token is None:
        released = plan.return_task(task_reference(task))
    else:
        lease = lease_with_token(plan, task, token)
        plan.release(lease)
        released = plan.task(lease.task)
    summary = summarize_plan(plan)

    def as_text() -> str:
        head = call.text("say_released", task=numbered_name(released))
        return f"{head}\n{next_line(summary, call)}"

    return Answer(lambda: {"task": task_json(released), **next_json(summary)}, as_text)
