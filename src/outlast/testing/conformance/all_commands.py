"""Every kind of command once, in an order that a plan accepts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from outlast.model import commands as c
from outlast.model.budget import Budget, Spend
from outlast.model.changes import PlanEdited
from outlast.model.model import PERSON, Check, Evidence, LastRun, Proof, Prose, Stage
from outlast.model.replan_position import Observation, PlannedAction, ReplanPosition

if TYPE_CHECKING:
    from collections.abc import Iterator


_AT: Final = datetime(2024, 1, 1, tzinfo=UTC)
_LOOK: Final = Check("person", "look")
_RUN: Final = Check("command", "make test")
_LAST_RUN: Final = LastRun("ollama:五", "ann", "zh", 20)
_AWKWARD_TEXT: Final = "五 \u2028 \x00 \x1f \U0001f600 \\ \" ' \r\n\t"
_TASKS: Final = c.AddTasks(
    (
        c.NewTask("one", reasoning=_AWKWARD_TEXT, description=_AWKWARD_TEXT),
        c.NewTask("two", peers=(1,), checks=(Check("file", "*.py"),)),
        c.NewTask("three", active_form="Doing three", kind="test"),
        c.NewTask("four", "later"),
    )
)


def all_commands() -> Iterator[tuple[c.Command, ...]]:
    """Yield what to commit to a new plan with a title of its own; each commit changes it."""
    yield from ((c.AddPhase("Later"),), (_TASKS,), (c.EditPlan(title="Another title"),))
    yield (c.Undo(4, 4, (PlanEdited(title="Title"),)),)
    yield from _plan_and_task_commands()
    yield from _work_commands()
    yield from _claim_commands()
    yield from _proof_commands()
    yield from _note_commands()
    yield from loop_commands(2, 2)
    yield (c.NoteRefusal("sh: rm -r x", "hook", "ours:deny", 2), c.NoteRefusal("sh", "permission"))
    yield (c.RememberRun(_LAST_RUN), c.RequireApproval())
    yield (
        c.NoteReport("1#1", "claude-code", "PARTIAL_SUCCESS", "s-1", _AWKWARD_TEXT, "pits", "more"),
        c.NoteDecision("1#1", "retry", _AWKWARD_TEXT, "agent", "try again"),
    )
    yield (c.NoteSession("1#1", "codex", "s-2"), c.EndSession("s-1"))
    position = ReplanPosition((1, 2), 1, is_planned=True, needs_replan=True, steps=3)
    yield (c.MoveReplan(position.decide("look", PlannedAction("sh", _AWKWARD_TEXT, 3))),)
    yield (c.MoveReplan(position, Observation("sh", "ls", ok=True, result=_AWKWARD_TEXT)),)
    commits = ("0a" * 20, "0b" * 20)
    yield (c.NoteFootprint("1#1", *commits, ("a b", "ü"), 3, shared=True),)
    yield (c.ApprovePlan(PERSON),)
    yield from ((c.Resume(),), (c.CountIteration(),), (c.Reset(),))
    yield (c.Replan((c.NewTask("drei", description="d"), c.NewTask("another", peers=(1,)))),)
    yield (c.Abort(),)
    yield (c.InitializePlan("plan_next", "The next goal", (c.NewTask("first"),)),)


def _plan_and_task_commands() -> Iterator[tuple[c.Command, ...]]:
    yield (c.EditPhase("later", title="At last", notes=_AWKWARD_TEXT),)
    yield (c.MovePhase("later"),)
    yield (c.AddPhase("Not needed", insert_after="main"), c.EditPlan(order="sequential"))
    yield (c.RemovePhase("not-needed"), c.EditPlan(order="graph"))
    yield (c.EditTask(3, name="drei", needs=(1,), description="d\n3", checks=(_LOOK,)),)
    yield (c.MoveTask(4, "main"),)
    yield (c.RemoveTask(4),)


def _work_commands() -> Iterator[tuple[c.Command, ...]]:
    yield (c.Start("ann"),)
    yield (c.SetProgress(1, 1, 2),)
    yield (c.Complete(1, "ann", _AWKWARD_TEXT),)
    yield (c.Reopen(1), c.SetProgress(1, 2, 2), c.Complete(1, "ann", how="assumed"))
    yield (c.Complete(1, "ann", "confirmed"),)
    yield (c.Start("bob", 2), c.Fail(2, "bob", "no luck"))
    yield (c.Skip(3, "not needed"),)
    yield (c.Reopen(3),)
    yield (c.Start("ann", 3), c.Return(3, "no time"))
    yield (c.Fail(3, "ann", "no use", retry=False),)


def _claim_commands() -> Iterator[tuple[c.Command, ...]]:
    """Yield claims and attempts; tokens and attempt numbers start at 1."""
    yield (c.Claim("bob", 2, 60),)
    yield (c.Renew(2, 1, 90),)
    yield (c.Fence(1, 2), c.BeginAttempt(2, "command", "make", "digest", 1))
    yield (c.EndAttempt("2#1", "done", "check", "seen", 1),)
    yield (c.Release(2, 1),)
    yield (c.ClaimPlan("ann", 60),)
    yield (c.BeginAttempt(None, "tool", "look", token=2),)
    yield (c.Release(0, 2),)


def _proof_commands() -> Iterator[tuple[c.Command, ...]]:
    """Yield a task with checks, its proofs, and what people may do beyond that."""
    guarded = c.NewTask("five", checks=(_LOOK, _RUN), run="make", files=("src/**",), protect=("t",))
    yield (c.AddTasks((guarded, c.NewTask("six", peers=(1,)))),)
    yield (c.NoteProof(_proof("before", ok=False)),)
    yield (c.Confirm(5, _LOOK, PERSON),)
    yield (c.NoteProof(_proof("later", ok=False)),)
    yield (c.Complete(5, "ann", "seen", proof=_proof("done", ok=True)),)
    yield (c.EditTask(5, name="fünf", files=(), amend=True, result="seen twice"),)
    yield (c.RemoveTask(5, amend=True),)
    yield (c.EditTask(6, checks=(_RUN,)),)
    yield (c.Complete(6, PERSON, force=True, amend=True),)


def _proof(stage: Stage, *, ok: bool) -> Proof:
    evidence = (Evidence(_LOOK, ok), Evidence(_RUN, ok, "says", _AWKWARD_TEXT, "digest", 0, "red"))
    return Proof(5, stage, _AT, evidence, "protected", "files", "seal")


def _note_commands() -> Iterator[tuple[c.Command, ...]]:
    yield (c.MarkPhase("later", "blocked"),)
    yield (
        c.NoteFinding("code", "one", _AWKWARD_TEXT, "a book", "ann"),
        c.NoteFinding("issue", "two", ""),
    )
    yield (c.EditFinding(1, "insight", "eins", source=""),)
    yield (c.ForgetFinding(2),)
    yield (
        c.NoteError("sh", f"exit 1 {_AWKWARD_TEXT}", '{"a":1}', _AWKWARD_TEXT),
        c.NoteError("sh", "exit 2"),
    )
    yield (c.NoteError("sh", "exit 3", count=2),)
    yield (c.ForgetErrors(("sh:exit N",)),)
    yield (c.Deliver(_AWKWARD_TEXT), c.Deliver("All done.", answer=True))
    yield (c.KeepProse((Prose("top", ("by hand", "", "  五")), Prose("task:1", ()))),)


def loop_commands(task: int, attempts: int) -> Iterator[tuple[c.Command, ...]]:
    """Yield what to commit to a plan with a ready task and this many past attempts."""
    yield from _cost_commands(task, attempts)
    yield from _conversation_commands(task, attempts + 2)
    yield (c.NoteLoop(managed=True),)
    yield (c.Strike("sh", "0a1b"), c.Strike("sh", "2c3d"), c.Strike("fetch", "4e"))
    yield (c.ClearStrikes("fetch"),)
    yield (c.Start("ann", task), c.CountIteration(task), c.NoteLoop(stops=2, seen=3))
    yield (c.CountIteration(task),)
    yield (c.Pause("budget"),)


def _cost_commands(task: int, attempts: int) -> Iterator[tuple[c.Command, ...]]:
    yield (c.SetBudget(Budget(9, 1_000, 1.5, 60.0, 5, 1)),)
    yield (c.SetBudget(Budget(tokens=500), task),)
    yield (c.Charge(Spend(1, 10, 0.1, 0.5, 1, 1), task, Spend(tokens=4)),)
    yield (c.BeginAttempt(None, "think", "think", reserve=Spend(1, 100, 0.2, 9.0)),)
    spent = Spend(1, 90, 0.2, 2.5)
    yield (
        c.EndAttempt(f"0#{attempts + 1}", "done", spent=spent, planning=Spend(tokens=20)),
        c.SetBudget(Budget(), task),
    )


def _conversation_commands(task: int, attempt: int) -> Iterator[tuple[c.Command, ...]]:
    yield (c.BeginAttempt(None, "tool", "look", reserve=Spend(tool_calls=1)),)
    yield (c.AskQuestion("Was it done?", "settle", f"0#{attempt}"),)
    yield (c.AskQuestion("这样可以吗？", task=task),)
    yield (c.AnswerQuestion("yes", "ann"),)
    yield (c.AnswerQuestion("五", PERSON, 2), c.AskQuestion("And this?", "permit", "rm"))
    yield (c.Interject("stop \u2028 \x00", "ann"), c.Interject("go on", PERSON))
    yield (c.TakeInterjections(1), c.Interject("五", PERSON, heard=True))
    yield (
        c.AskQuestion("Another goal?", "goal", "Another goal\n五"),
        c.AskQuestion("Is this yours?", "edit", '{"ticked":[5]}'),
    )
    yield (c.AnswerQuestion("yes", PERSON, 4), c.AnswerQuestion("no", PERSON, 5))
