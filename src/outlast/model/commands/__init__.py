"""Commands: requests to change a plan. `decide` turns one into changes or refuses it.

Fields with their default are omitted when a command is encoded, so that a field added later does
not change the digest of an old command.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct, field

from outlast.model.budget import NO_LIMIT, Budget
from outlast.model.changes import Change
from outlast.model.commands.execution import (
    AnswerQuestion,
    AskQuestion,
    BeginAttempt,
    Charge,
    Claim,
    ClaimPlan,
    ClearStrikes,
    Complete,
    EndAttempt,
    EndSession,
    Fail,
    Fence,
    Interject,
    MoveReplan,
    NoteDecision,
    NoteFootprint,
    NoteLoop,
    NoteRefusal,
    NoteReport,
    NoteSession,
    Release,
    Renew,
    Reopen,
    Return,
    SetBudget,
    SetProgress,
    Skip,
    Start,
    Strike,
    TakeInterjections,
    TaskRef,
)
from outlast.model.model import (
    MAIN,
    Category,
    Check,
    Hold,
    LastRun,
    Order,
    PauseReason,
    Phase,
    PhaseStatus,
    Proof,
    Prose,
    Task,
)
from outlast.model.values import Value
from outlast.redact.text_fields import JsonText, Stored, Text

# The plan as a whole


class CreatePlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Create a plan, possibly with imported tasks; must stand alone in a commit."""

    id: str
    goal: Text
    key: str = ""
    title: Text | None = None
    order: Order = "graph"
    phases: tuple[Phase, ...] = (MAIN,)
    tasks: tuple[Task, ...] = ()
    next_id: int = 1
    begun: bool = False
    hold: Hold = ""
    iteration_count: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None
    extra: JsonText = ""
    budget: Budget = NO_LIMIT
    needs_approval: bool = False


class InitializePlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Give an empty plan its goal and tasks; a plan that has ended is replaced."""

    id: str
    goal: Text
    tasks: tuple[NewTask, ...]
    budget: Budget = NO_LIMIT


class EditPlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Edit goal, title or order; None leaves a field unchanged."""

    goal: Text | None = None
    title: Text | None = None
    order: Order | None = None


class Pause(Struct, frozen=True, gc=False, omit_defaults=True):
    """Pause the plan; `why` is the reason if it was not a person."""

    why: PauseReason = ""


class Resume(Struct, frozen=True, gc=False, omit_defaults=True):
    """Resume a paused plan."""


class Abort(Struct, frozen=True, gc=False, omit_defaults=True):
    """Abort the plan."""


class Reset(Struct, frozen=True, gc=False, omit_defaults=True):
    """Reset every task to pending, as if nothing had been done."""


class CountIteration(Struct, frozen=True, gc=False, omit_defaults=True):
    """Count one more iteration of the plan, and of a task in progress."""

    task: TaskRef | None = None


class RememberRun(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record what a run works with, for the next one."""

    run: LastRun


class RequireApproval(Struct, frozen=True, gc=False, omit_defaults=True):
    """Let agents only plan until a person approves the plan."""


class ApprovePlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Approve, as a person, that the plan is carried out."""

    actor: str


class Undo(Struct, frozen=True, gc=False, omit_defaults=True):
    """Undo the commit `of`, given the plan at revision `at`; must stand alone in a commit."""

    of: int
    at: int
    changes: Stored[tuple[Change, ...]]


# Phases


class AddPhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Add a phase at the end or after another."""

    title: Text
    notes: Text = ""
    insert_after: str | None = field(default=None, name="after")


class EditPhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Edit a phase's title or notes."""

    phase: str
    title: Text | None = None
    notes: Text | None = None


class MovePhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Move a phase after another, or to the front."""

    phase: str
    insert_after: str | None = field(default=None, name="after")


class RemovePhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Remove a phase that has no tasks."""

    phase: str


class MarkPhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Set the status of a phase until one of its tasks changes; None removes the mark."""

    phase: str
    status: PhaseStatus | None


# The list of tasks


class NewTask(Value, frozen=True, gc=False, omit_defaults=True):
    """A task to add; `peers` are needs by 1-based position in the same command.

    `budget` is the total budget of the task.
    """

    name: Text
    phase: str | None = None
    needs: tuple[TaskRef, ...] = field(default=(), name="dependencies")
    peers: tuple[int, ...] = ()
    reasoning: Text = ""
    description: Text = ""
    active_form: Text = ""
    kind: str = ""
    checks: tuple[Check, ...] = ()
    run: str = ""
    files: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    budget: Budget = NO_LIMIT
    constraints: Text = ""
    expected: Text = ""


class AddTasks(Struct, frozen=True, gc=False, omit_defaults=True):
    """Add tasks at the end of their phases, or in a row after the task `insert_after`.

    With `last_phase`, tasks that name no phase go into the last one. `once` skips tasks that the
    plan has, and reopens one whose completion was only assumed. `cost` is charged if a task is
    added after work has begun; it is refused if the budget does not cover it.
    """

    tasks: tuple[NewTask, ...]
    insert_after: TaskRef | None = field(default=None, name="after")
    once: bool = False
    cost: Charge | None = None
    last_phase: bool = False


class Replan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Replace the pending tasks by a new list; those of the same name stay, with their ids.

    With `only`, tasks with other ids stay as they are, behind the new list. `cost` is charged if
    work has begun; it is refused if the budget does not cover it.
    """

    tasks: tuple[NewTask, ...]
    cost: Charge | None = None
    only: tuple[int, ...] | None = None


class EditTask(Struct, frozen=True, gc=False, omit_defaults=True):
    """Edit a task; None leaves a field unchanged. Only a finished task has a result to edit.

    `amend` is for people: it also edits a finished task, or one in progress; its checks only
    while no attempt of it is open.
    """

    task: TaskRef
    name: Text | None = None
    needs: tuple[TaskRef, ...] | None = field(default=None, name="dependencies")
    reasoning: Text | None = None
    description: Text | None = None
    active_form: Text | None = None
    kind: str | None = None
    checks: tuple[Check, ...] | None = None
    run: str | None = None
    files: tuple[str, ...] | None = None
    protect: tuple[str, ...] | None = None
    amend: bool = False
    result: Text | None = None
    constraints: Text | None = None
    expected: Text | None = None


class MoveTask(Struct, frozen=True, gc=False, omit_defaults=True):
    """Move a task after another, else to the end or the front of its phase or a named one."""

    task: TaskRef
    phase: str | None = None
    insert_after: TaskRef | None = field(default=None, name="after")
    first: bool = False


class RemoveTask(Struct, frozen=True, gc=False, omit_defaults=True):
    """Remove a pending task that no task needs.

    `amend` is for people: it also removes a task that has ended, and removes it from the needs of
    others.
    """

    task: TaskRef
    amend: bool = False


# Notes beside the tasks: proof, findings, errors, prose


class NoteProof(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record what the checks of a task showed; `Complete` carries its own proof."""

    proof: Proof


class Confirm(Struct, frozen=True, gc=False, omit_defaults=True):
    """Confirm, as a person, a check of an unfinished task."""

    task: TaskRef
    check: Check
    actor: str


class NoteFinding(Struct, frozen=True, gc=False, omit_defaults=True):
    """Add a finding, or count one with the same category, title and content again."""

    category: Category
    title: Text
    content: Text
    source: Text = ""
    actor: str = ""
    count: int = 1


class EditFinding(Struct, frozen=True, gc=False, omit_defaults=True):
    """Edit a finding; None leaves a field unchanged."""

    finding: int
    category: Category | None = None
    title: Text | None = None
    content: Text | None = None
    source: Text | None = None


class ForgetFinding(Struct, frozen=True, gc=False, omit_defaults=True):
    """Remove a finding."""

    finding: int


class NoteError(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record an error of a tool, or count it again if it is known.

    `at` is when it occurred, if not now.
    """

    tool: Text
    message: Text
    params: JsonText = ""
    stack: Text = ""
    count: int = 1
    at: datetime | None = None


class ForgetErrors(Struct, frozen=True, gc=False, omit_defaults=True):
    """Remove errors by their keys; None removes all."""

    keys: tuple[str, ...] | None = None


class Deliver(Struct, frozen=True, gc=False, omit_defaults=True):
    """Set the deliverable, as Markdown; empty derives it from the answer and the tasks.

    With `answer` the text is the closing answer of a run instead.
    """

    text: Text
    answer: bool = False


class KeepProse(Struct, frozen=True, gc=False, omit_defaults=True):
    """Replace the prose.

    If `known` is given, lines that were added since then stay.
    """

    prose: tuple[Prose, ...]
    known: Stored[tuple[Prose, ...]] | None = None


# Together

Command = (
    CreatePlan
    | InitializePlan
    | EditPlan
    | Pause
    | Resume
    | Abort
    | Reset
    | CountIteration
    | RememberRun
    | Replan
    | NoteReport
    | NoteDecision
    | NoteSession
    | NoteFootprint
    | EndSession
    | MoveReplan
    | RequireApproval
    | ApprovePlan
    | Undo
    | AddPhase
    | EditPhase
    | MovePhase
    | RemovePhase
    | MarkPhase
    | AddTasks
    | EditTask
    | MoveTask
    | RemoveTask
    | Start
    | Complete
    | Fail
    | Skip
    | Reopen
    | SetProgress
    | Return
    | Claim
    | ClaimPlan
    | Renew
    | Release
    | Fence
    | BeginAttempt
    | EndAttempt
    | SetBudget
    | Charge
    | AskQuestion
    | AnswerQuestion
    | Interject
    | TakeInterjections
    | NoteLoop
    | Strike
    | ClearStrikes
    | NoteRefusal
    | NoteProof
    | Confirm
    | NoteFinding
    | EditFinding
    | ForgetFinding
    | NoteError
    | ForgetErrors
    | Deliver
    | KeepProse
)
