"""What to do about tasks whose proof does not hold, or whose checks nobody has allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.model import PERSON

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from outlast.application.plan.plan import Plan
    from outlast.application.proof.labels import Label
    from outlast.domain.model import Task
    from outlast.interfaces.cli.call import Call

ADVICE: Final[dict[Label, str]] = {
    "stale": "advice_stale",
    "tampered": "advice_tampered",
    "forged": "not_proved_here",
    "fails now": "advice_fails",
    "unproved, fails now": "advice_fails",
    "not approved": "advice_not_approved",
}


def advised(call: Call, labels: Mapping[int, Label]) -> Iterator[str]:
    """Yield a line for each label that somebody has to see to, with the tasks that have it."""
    for label in ADVICE:
        tasks = [task for task, found in labels.items() if found == label]
        if tasks:
            yield advice(call, label, tasks)


def unallowed(plan: Plan, call: Call, tasks: Collection[Task]) -> list[str]:
    """Return what to do about the checks of somebody who may not allow them."""
    if plan.actor == PERSON or not any(task.checks for task in tasks):
        return []
    waiting = plan.unapproved()
    return [*advised(call, {task.id: "not approved" for task in tasks if task.id in waiting})]


def advice(call: Call, label: Label, tasks: list[int]) -> str:
    """Return what to do about tasks; a single one is named in the command."""
    number = tasks[0] if len(tasks) == 1 else "N"
    every = f"outlast check {number}" if len(tasks) == 1 else "outlast check"
    return call.say(ADVICE[label], tasks=tasks, number=number, check=every)
