"""Every kind of command of a loop once: what it may cost, asks, is told and counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain import commands as c
from outlast.domain import loop_commands as loop
from outlast.domain.budget import Budget, Spend
from outlast.domain.model import PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator


def looping(task: int, attempts: int) -> Iterator[tuple[c.Command, ...]]:
    """Yield what to commit to a plan with a task that may run; so many attempts were begun."""
    yield from _paying(task, attempts)
    yield from _talking(task, attempts + 2)
    yield (loop.NoteLoop(managed=True),)
    yield (loop.Strike("sh", "0a1b"), loop.Strike("sh", "2c3d"), loop.Strike("fetch", "4e"))
    yield (loop.ClearStrikes("fetch"),)
    yield (c.Start("ann", task), c.CountIteration(task), loop.NoteLoop(stops=2))
    yield (c.CountIteration(task),)
    yield (c.Pause("budget"),)


def _paying(task: int, attempts: int) -> Iterator[tuple[c.Command, ...]]:
    yield (loop.SetBudget(Budget(9, 1_000, 1.5, 60.0, 5, 1)),)
    yield (loop.SetBudget(Budget(tokens=500), task),)
    yield (loop.Charge(Spend(1, 10, 0.1, 0.5, 1, 1), task, Spend(tokens=4)),)
    yield (c.BeginAttempt(None, "think", "think", reserve=Spend(1, 100, 0.2, 9.0)),)
    spent = Spend(1, 90, 0.2, 2.5)
    yield (
        c.EndAttempt(f"0#{attempts + 1}", "done", spent=spent, planning=Spend(tokens=20)),
        loop.SetBudget(Budget(), task),
    )


def _talking(task: int, attempt: int) -> Iterator[tuple[c.Command, ...]]:
    yield (c.BeginAttempt(None, "tool", "look", reserve=Spend(tool_calls=1)),)
    yield (loop.AskQuestion("Was it done?", "settle", f"0#{attempt}"),)
    yield (loop.AskQuestion("这样可以吗？", task=task),)  # noqa: RUF001 - as it is typed
    yield (loop.AnswerQuestion("yes", "ann"),)
    yield (loop.AnswerQuestion("五", PERSON, 2), loop.AskQuestion("And this?", "permit", "rm"))
    yield (loop.Interject("stop \u2028 \x00", "ann"), loop.Interject("go on", PERSON))
    yield (loop.TakeInterjections(1),)
