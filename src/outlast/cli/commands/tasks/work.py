"""`next`, `start`, `done`, `fail`, `claim` and `release`: work on tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from outlast.console.call import Answer, Call, Json
from outlast.console.plan_context import current_task_id, is_task_number, task_reference
from outlast.console.render.json import task_json
from outlast.console.render.summary import (
    PlanSummary,
    answer_with_next,
    numbered_name,
    summarize_plan,
)
from outlast.errors import WrongUsage
from outlast.language import visible
from outlast.model.model import LABEL_TEXTS, MAX_RETRIES, Label, Lease, Task
from outlast.plan.home.find import damage_error

if TYPE_CHECKING:
    from outlast.plan.plan import Plan

_SECONDS: Final = 600


def next_task(plan: Plan, call: Call, *, every: bool = False) -> Answer:
    """Show the first task that is ready, or with `every` all of them."""
    summary = summarize_plan(plan)
    is_unread = bool(plan.notices) and damage_error(plan.notices) is not None

    def as_json() -> Json:
        tasks = summary.ready if every else summary.ready[:1]
        return {**summary.as_json(), "ready": [task_json(task) for task in tasks]}

    def as_text() -> str:
        if is_unread and not summary.ready and not summary.current:
            return call.text("say_unreadable")
        if not every or not summary.ready:
            return summary.next_line(call)
        head = call.text("say_ready", count=len(summary.ready))
        return "\n".join([head, *(f"  {numbered_name(task)}" for task in summary.ready)])

    return Answer(as_json, as_text)


def start(plan: Plan, call: Call, *, task: str | None = None) -> Answer:
    """Start a task, or the next one."""
    started = plan.start(None if task is None else task_reference(task))
    is_green = bool(started.checks) and _is_green_before(plan, started)
    own = plan.current()
    is_first = own is not None and own.id == started.id  # the one that `done` alone completes

    def as_text() -> str:
        number = "" if is_first else f" {started.id}"
        head = call.text("say_started", task=numbered_name(started), number=number)
        return "\n".join([head, call.text("say_passed_before")]) if is_green else head

    return Answer(
        lambda: {**_task_json(started, summarize_plan(plan)), "green_before": is_green}, as_text
    )


def _is_green_before(plan: Plan, task: Task) -> bool:
    from outlast.proof.labels import is_green_at_start, task_proofs

    return plan.core.read(lambda state: is_green_at_start(task_proofs(state, task)))


def complete(  # noqa: PLR0913 - one keyword for each thing the command takes
    plan: Plan,
    call: Call,
    *,
    task: str | None = None,
    result: str | None = None,
    token: int | None = None,
    force: bool = False,
) -> Answer:
    """Complete a task, or the one that this actor has in progress."""
    task_id = current_task_id(plan) if task is None else task_reference(task)
    lease = None if token is None else _lease_with_token(plan, task_id, token)
    completed = plan.complete(task_id, result, lease=lease, force=force)
    summary, label = summarize_plan(plan), _proof_label(plan, completed)

    def as_text() -> str:
        key, known = (
            ("say_done_known", call.text(LABEL_TEXTS[label])) if label else ("say_done", "")
        )
        lines = _result_lines(call, key, completed, summary, known)
        if completed.how != "unproved":
            return lines
        head, rest = lines.split("\n", 1)
        return "\n".join([head, call.text("say_unproved"), rest])

    return Answer(
        lambda: {**_task_json(completed, summary), "proof": label or completed.how}, as_text
    )


def _proof_label(plan: Plan, task: Task) -> Label:
    """Return the label of a completion, if the task has checks or protected files."""
    return plan.checks.proof(task.id).label if task.checks or task.protect else ""


def fail(
    plan: Plan, call: Call, *, words: tuple[str, ...], final: bool = False, token: int | None = None
) -> Answer:
    """Record a failed try at a task, or at the one that this actor has in progress."""
    task_id, reason = _task_and_reason(plan, words)
    lease = None if token is None else _lease_with_token(plan, task_id, token)
    updated = plan.fail(task_id, reason, retry=not final, lease=lease)
    summary = summarize_plan(plan)

    def as_text() -> str:
        if updated.status == "failed":
            return _result_lines(call, "say_failed", updated, summary)
        head = call.text(
            "say_retried", task=numbered_name(updated), retry=updated.retry_count, limit=MAX_RETRIES
        )
        return f"{head}\n{summary.next_line(call)}"

    return Answer(
        lambda: {**_task_json(updated, summary), "will_retry": updated.status != "failed"}, as_text
    )


def _task_and_reason(plan: Plan, words: tuple[str, ...]) -> tuple[int | str, str]:
    first, *rest = words
    if not is_task_number(first):
        return current_task_id(plan), " ".join(words)
    if not rest:
        raise WrongUsage("reason_required", task=visible(first))
    return task_reference(first), " ".join(rest)


def _task_json(task: Task, summary: PlanSummary) -> Json:
    return {"task": task_json(task), **summary.as_json()}


def _result_lines(call: Call, key: str, task: Task, summary: PlanSummary, known: str = "") -> str:
    head = call.text(key, **summary.facts, task=numbered_name(task), known=known)
    return f"{head}\n{summary.next_line(call)}"


def _lease_with_token(plan: Plan, task: int | str, token: int) -> Lease:
    """Return the claim on a task with this fence token; the plan decides whether it is valid."""
    return Lease(plan.task(task_reference(str(task))).id, plan.actor, token, plan.core.now())


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
        lease = plan.renew(_lease_with_token(plan, claimed_task, token), seconds)
    held = plan.task(lease.task)

    def as_json() -> Json:
        claimed = {"lease": asdict(lease), "task": task_json(held)}
        return {**claimed, **summarize_plan(plan).as_json()}

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
        lease = _lease_with_token(plan, task, token)
        plan.release(lease)
        released = plan.task(lease.task)
    return answer_with_next(
        plan,
        call,
        lambda: {"task": task_json(released)},
        lambda _: call.text("say_released", task=numbered_name(released)),
    )
