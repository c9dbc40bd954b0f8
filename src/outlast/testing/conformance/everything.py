"""Every kind of command once, in an order in which a plan takes them all."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from outlast.domain import commands as c
from outlast.domain import note_commands as n
from outlast.domain.changes import PlanEdited
from outlast.domain.model import PERSON, Check, Evidence, Proof, Prose
from outlast.testing.conformance.looping import looping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.domain.model import Stage

_AT: Final = datetime(2024, 1, 1, tzinfo=UTC)
_LOOK: Final = Check("person", "look")
_RUN: Final = Check("command", "make test")
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
    yield from _proving()
    yield from _noting()
    yield from looping(2, 2)
    yield from ((c.Resume(),), (c.CountIteration(),), (c.Reset(),), (c.Abort(),))
    yield (c.InitializePlan("plan_next", "The next goal", (c.NewTask("first"),)),)


def _shaping() -> Iterator[tuple[c.Command, ...]]:
    yield (c.EditPhase("later", title="At last", notes=_HARD),)
    yield (c.MovePhase("later"),)
    yield (c.AddPhase("Not needed", insert_after="main"), c.EditPlan(order="sequential"))
    yield (c.RemovePhase("not-needed"), c.EditPlan(order="graph"))
    yield (c.EditTask(3, name="drei", needs=(1,), checks=(Check("person", "look"),)),)
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


def _proving() -> Iterator[tuple[c.Command, ...]]:
    """Yield a task with checks, the proofs that it is done, and what people may do beyond that."""
    guarded = c.NewTask("five", checks=(_LOOK, _RUN), run="make", files=("src/**",), protect=("t",))
    yield (c.AddTasks((guarded, c.NewTask("six", peers=(1,)))),)
    yield (n.NoteProof(_proof("before", ok=False)),)
    yield (n.Confirm(5, _LOOK, PERSON),)
    yield (n.NoteProof(_proof("later", ok=False)),)
    yield (c.Complete(5, "ann", "seen", proof=_proof("done", ok=True)),)
    yield (c.EditTask(5, name="fünf", files=(), amend=True),)
    yield (c.RemoveTask(5, amend=True),)
    yield (c.EditTask(6, checks=(_RUN,)),)
    yield (c.Complete(6, PERSON, force=True, amend=True),)


def _proof(stage: Stage, *, ok: bool) -> Proof:
    evidence = (Evidence(_LOOK, ok), Evidence(_RUN, ok, "says", _HARD, "digest", 0, "red"))
    return Proof(5, stage, _AT, evidence, "protected", "files", "seal")


def _noting() -> Iterator[tuple[c.Command, ...]]:
    yield (n.MarkPhase("later", "blocked"),)
    yield (n.NoteFinding("code", "one", _HARD, "a book", "ann"), n.NoteFinding("issue", "two", ""))
    yield (n.EditFinding(1, "insight", "eins", source=""),)
    yield (n.ForgetFinding(2),)
    yield (n.NoteError("sh", f"exit 1 {_HARD}", '{"a":1}', _HARD), n.NoteError("sh", "exit 2"))
    yield (n.NoteError("sh", "exit 3", count=2),)
    yield (n.ForgetErrors(("sh:exit N",)),)
    yield (n.Deliver(_HARD),)
    yield (
        n.KeepProse(
            (
                Prose(
                    "top",
                    ("by hand", "", "  五"),
                ),
                Prose("task:1", ()),
            )
        ),
    )
