"""Advice on tasks with a doubtful proof or unapproved checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.model.model import PERSON

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from outlast.console.call import Call
    from outlast.model.model import Label, Task
    from outlast.plan.plan import Plan

ADVICE_KEYS: Final[dict[Label, str]] = {
    "stale": "advice_stale",
    "tampered": "advice_tampered",
    "forged": "not_proved_here",
    "fails now": "advice_fails",
    "unproved, fails now": "advice_fails",
    "not approved": "advice_not_approved",
}


def advice_lines(call: Call, labels: Mapping[int, Label]) -> Iterator[str]:
    """Yield a line for each label that needs attention, with its tasks."""
    for label in ADVICE_KEYS:
        tasks = [task for task, current in labels.items() if current == label]
        if tasks:
            yield advice_line(call, label, tasks)


def approval_advice(plan: Plan, call: Call, tasks: Collection[Task]) -> list[str]:
    """Return advice on tasks with unapproved checks, for an actor who may not approve them."""
    if plan.actor == PERSON or not any(task.checks for task in tasks):
        return []
    unapproved = plan.checks.unapproved()
    return [
        *advice_lines(call, {task.id: "not approved" for task in tasks if task.id in unapproved})
    ]


def advice_line(call: Call, label: Label, tasks: list[int]) -> str:
    """Return the advice on a label; the commands in it are about its tasks."""
    return call.text(ADVICE_KEYS[label], **advice_details(tasks))


def advice_details(tasks: list[int]) -> dict[str, object]:
    """Return what the advice on some tasks says; only a single one is named to `check`."""
    number = f" {tasks[0]}" if len(tasks) == 1 else ""
    return {"tasks": tasks, "number": number, "first": tasks[0]}
