"""Every kind of command once, in an order in which a plan takes them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain import commands as c
from outlast.domain.changes import PlanEdited
from outlast.domain.model import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

_HARD: Final = "五 \u2028 \x00 \x1f \U0001f600 \\ \" ' \r\n\t"
_TASKS: Final = c.AddTasks(
    (
        c.NewTask("one", reasoning=_HARD),
        c.NewTask("two", peers=(1,), checks=(Check("file", "*.py"),)),
        c.NewTask("three", active_form="Doing three", kind="test"),
        c.NewTask("four", "later"),
    )
)


def everything() -> Iterator[tuple[c.Command, ...]]:
    """Yield what to commit after a plan with a title of its own was begun; each changes it."""
    yield from ((c.AddPhase("Later"),), (_TASKS,), (c.EditPlan(title="Another title"),))
    yield (c.Undo(4, 4, (PlanEdited(title="Title"),)),)
    yield from _shaping()
    yield from _working()
    yield from _holding()
    yield from ((c.CountIteration(),), (c.Pause(),), (c.Resume(),), (c.Reset(),), (c.Abort(),))
    yield (c.InitializePlan("plan_next", "The next goal", (c.NewTask("first"),)),)


def _shaping() -> Iterator[tuple[c.Command, ...]]:
    yield (c.EditPhase("later", title="At last", notes=_HARD),)
    yield (c.MovePhase("later"),)
    yield (c.AddPhase("Not needed", after="main"), c.EditPlan(order="sequential"))
    yield (c.RemovePhase("not-needed"), c.EditPlan(order="graph"))
    yield (c.EditTask(3, name="drei", dependencies=(1,), checks=(Check("person", "look"),)),)
    yield (c.MoveTask(4, "main"),)
    yield (c.RemoveTask(4),)


def _working() -> Iterator[tuple[c.Command, ...]]:
    yield (c.Start("ann"),)
    yield (c.SetProgress(1, 1, 2),)
    yield (c.Complete(1, "ann", _HARD),)
    yield (c.Start("bob", 2), c.Fail(2, "bob", "no luck"))
    yield (c.Skip(3, "not needed"),)
    yield (c.Reopen(3),)
    yield (c.Start("ann", 3), c.Return(3, "no time"))
    yield (c.Fail(3, "ann", "no use", retry=False),)


def _holding() -> Iterator[tuple[c.Command, ...]]:
    """Yield claims and attempts; tokens and attempts are counted from 1."""
    yield (c.Claim("bob", 2, 60),)
    yield (c.Renew(2, 1, 90),)
    yield (c.Fence(1, 2), c.BeginAttempt(2, "command", "make", "digest", 1))
    yield (c.EndAttempt("2#1", "done", "check", "seen", 1),)
    yield (c.Release(2, 1),)
    yield (c.ClaimPlan("ann", 60),)
    yield (c.BeginAttempt(None, "tool", "look", token=2),)
    yield (c.Release(0, 2),)
