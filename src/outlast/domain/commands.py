"""Commands: requests to change a plan. `decide` turns one into changes or refuses it.

Fields with their default are omitted when a command is encoded, so that a field added later does
not change the digest of an old command.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct, field

from outlast.domain.budget import NO_LIMIT, NOTHING, Budget, Spend
from outlast.domain.changes import Change
from outlast.domain.model import (
    MAIN,
    Category,
    Check,
    Hold,
    How,
    LastRun,
    Order,
    Outcome,
    PauseReason,
    Phase,
    PhaseStatus,
    Proof,
    Prose,
    QuestionKind,
    Refuser,
    SettledBy,
    Task,
)
from outlast.domain.values import Value

TaskRef = int | str  # `3`, `"3"`, `step_3`, or the id it had elsewhere

# The plan as a whole


class CreatePlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Create a plan, possibly with imported tasks; must stand alone in a commit."""

    id: str
    goal: str
    key: str = ""
    title: str | None = None
    order: Order = "graph"
    phases: tuple[Phase, ...] = (MAIN,)
    tasks: tuple[Task, ...] = ()
    next_id: int = 1
    begun: bool = False
    hold: Hold = ""
    iteration_count: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None
    extra: str = ""
    budget: Budget = NO_LIMIT
    needs_approval: bool = False


class InitializePlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Give an empty plan its goal and tasks; a plan that has ended is replaced."""

    id: str
    goal: str
    tasks: tuple[NewTask, ...]
    budget: Budget = NO_LIMIT


class EditPlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Edit goal, title or order; None leaves a field unchanged."""

    goal: str | None = None
    title: str | None = None
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
    changes: tuple[Change, ...]


# Phases


class AddPhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Add a phase at the end or after another."""

    title: str
    notes: str = ""
    insert_after: str | None = field(default=None, name="after")


class EditPhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Edit a phase's title or notes."""

    phase: str
    title: str | None = None
    notes: str | None = None


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

    name: str
    phase: str | None = None
    needs: tuple[TaskRef, ...] = field(default=(), name="dependencies")
    peers: tuple[int, ...] = ()
    reasoning: str = ""
    description: str = ""
    active_form: str = ""
    kind: str = ""
    checks: tuple[Check, ...] = ()
    run: str = ""
    files: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    budget: Budget = NO_LIMIT


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


class EditTask(Struct, frozen=True, gc=False, omit_defaults=True):
    """Edit a task; None leaves a field unchanged. Only a finished task has a result to edit.

    `amend` is for people: it also edits a finished task, or one in progress except for its checks.
    """

    task: TaskRef
    name: str | None = None
    needs: tuple[TaskRef, ...] | None = field(default=None, name="dependencies")
    reasoning: str | None = None
    description: str | None = None
    active_form: str | None = None
    kind: str | None = None
    checks: tuple[Check, ...] | None = None
    run: str | None = None
    files: tuple[str, ...] | None = None
    protect: tuple[str, ...] | None = None
    amend: bool = False
    result: str | None = None


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


# Work on a task


class Start(Struct, frozen=True, gc=False, omit_defaults=True):
    """Start a task, or the next one."""

    actor: str
    task: TaskRef | None = None


class Complete(Struct, frozen=True, gc=False, omit_defaults=True):
    """Complete a task, and say how that is established; a task with checks needs a proof.

    A completion that was assumed is confirmed by completing the task again. `force` and `amend` are
    for people: `force` completes without proof, `amend` completes a task that is not ready.
    """

    task: TaskRef
    actor: str
    result: str | None = None
    how: How = "reported"
    token: int | None = None
    proof: Proof | None = None
    force: bool = False
    amend: bool = False


class Fail(Struct, frozen=True, gc=False, omit_defaults=True):
    """Report that a try of a task failed."""

    task: TaskRef
    actor: str
    error: str
    retry: bool = True
    token: int | None = None


class Skip(Struct, frozen=True, gc=False, omit_defaults=True):
    """Skip a task; its dependents can go on."""

    task: TaskRef
    reason: str = ""


class Reopen(Struct, frozen=True, gc=False, omit_defaults=True):
    """Reopen a failed or finished task."""

    task: TaskRef


class SetProgress(Struct, frozen=True, gc=False, omit_defaults=True):
    """Set the progress of a task."""

    task: TaskRef
    current: int
    total: int
    token: int | None = None


class Return(Struct, frozen=True, gc=False, omit_defaults=True):
    """Return a task in progress to pending, without an outcome."""

    task: TaskRef
    reason: str = ""
    token: int | None = None


# Claims and attempts


class Claim(Struct, frozen=True, gc=False, omit_defaults=True):
    """Start a task, or the next one, and lease it for some seconds."""

    actor: str
    task: TaskRef | None
    seconds: int


class ClaimPlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Lease the plan for some seconds, as the one runner that works on it."""

    actor: str
    seconds: int


class Renew(Struct, frozen=True, gc=False, omit_defaults=True):
    """Extend the lease of a task, or of the plan (0), to some seconds from now."""

    task: TaskRef
    token: int
    seconds: int


class Release(Struct, frozen=True, gc=False, omit_defaults=True):
    """Return a claimed task, or end the lease of the plan (0)."""

    task: TaskRef
    token: int


class Fence(Struct, frozen=True, gc=False, omit_defaults=True):
    """Change nothing, but refuse the commit if the claim is lost."""

    token: int
    task: TaskRef = 0


class BeginAttempt(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record an attempt before it starts; without a task, for the plan itself.

    `reserve` is its highest possible cost. It is refused if the budget does not cover that.
    """

    task: TaskRef | None
    kind: str
    what: str
    digest: str = ""
    token: int | None = None
    reserve: Spend = NOTHING


class EndAttempt(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record the outcome of an attempt, and how it is known if its end was not observed.

    `spent` is its cost; if that is unknown, the whole reservation counts. `planning` is the part
    that was spent on the plan itself.
    """

    attempt: str
    outcome: Outcome
    settled_by: SettledBy = ""
    note: str = ""
    token: int | None = None
    spent: Spend | None = None
    planning: Spend = NOTHING


# The loop: budgets, costs, conversation, counters


class SetBudget(Struct, frozen=True, gc=False, omit_defaults=True):
    """Set the total budget of the plan or of a task; also to raise it."""

    budget: Budget
    task: TaskRef | None = None


class Charge(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record a cost outside an attempt, such as one from before the plan existed.

    `planning` is the part that was spent on the plan itself. A `limited` cost is refused if the
    budget does not cover it.
    """

    spend: Spend
    task: TaskRef | None = None
    planning: Spend = NOTHING
    limited: bool = False


class AskQuestion(Struct, frozen=True, gc=False, omit_defaults=True):
    """Ask a person.

    `about` is the attempt to settle, the call to permit, the proposed goal, or the edits to confirm
    as JSON.
    """

    text: str
    kind: QuestionKind = "ask"
    about: str = ""
    task: TaskRef | None = None


class AnswerQuestion(Struct, frozen=True, gc=False, omit_defaults=True):
    """Answer a question; without a number, the oldest open one.

    Only a person answers a proposed goal or unconfirmed edits. A yes to a goal changes the goal.
    `by_asker`: the process that asked for a permission passes on what its person said. A yes
    counts only then, and a later no replaces it.
    """

    text: str
    actor: str
    question: int | None = None
    by_asker: bool = False


class Interject(Struct, frozen=True, gc=False, omit_defaults=True):
    """Send a message to the loop, which reads it before its next iteration.

    `heard` records a message that the loop has read already.
    """

    text: str
    actor: str
    heard: bool = False


class TakeInterjections(Struct, frozen=True, gc=False, omit_defaults=True):
    """Mark the interjections up to this number as read; later ones get a higher number.

    Those with the numbers `dropped` were commands to the loop: nobody has to remember them.
    """

    last: int
    dropped: tuple[int, ...] = ()


class NoteLoop(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record loop counters; None leaves one unchanged.

    `managed`: the model has managed this plan by tool or marker. `stops`: how often its stop was
    refused since a task last changed its status. `seen`: the revision up to which the model knows
    what people changed.
    """

    managed: bool | None = None
    stops: int | None = None
    seen: int | None = None


class Strike(Struct, frozen=True, gc=False, omit_defaults=True):
    """Refuse a tool with these parameters (a digest) until the strike is cleared."""

    tool: str
    params: str


class ClearStrikes(Struct, frozen=True, gc=False, omit_defaults=True):
    """Clear the strikes of one tool, or of all."""

    tool: str | None = None


class NoteRefusal(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record that a call was refused before it ran: `what` was called, and who or what refused."""

    what: str
    by: Refuser
    note: str = ""
    task: TaskRef | None = None


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
    title: str
    content: str
    source: str = ""
    actor: str = ""
    count: int = 1


class EditFinding(Struct, frozen=True, gc=False, omit_defaults=True):
    """Edit a finding; None leaves a field unchanged."""

    finding: int
    category: Category | None = None
    title: str | None = None
    content: str | None = None
    source: str | None = None


class ForgetFinding(Struct, frozen=True, gc=False, omit_defaults=True):
    """Remove a finding."""

    finding: int


class NoteError(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record an error of a tool, or count it again if it is known.

    `at` is when it occurred, if not now.
    """

    tool: str
    message: str
    params: str = ""
    stack: str = ""
    count: int = 1
    at: datetime | None = None


class ForgetErrors(Struct, frozen=True, gc=False, omit_defaults=True):
    """Remove errors by their keys; None removes all."""

    keys: tuple[str, ...] | None = None


class Deliver(Struct, frozen=True, gc=False, omit_defaults=True):
    """Set the deliverable, as Markdown; empty derives it from the answer and the tasks.

    With `answer` the text is the closing answer of a run instead.
    """

    text: str
    answer: bool = False


class KeepProse(Struct, frozen=True, gc=False, omit_defaults=True):
    """Replace the prose.

    If `known` is given, lines that were added since then stay.
    """

    prose: tuple[Prose, ...]
    known: tuple[Prose, ...] | None = None


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
