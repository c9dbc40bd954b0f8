"""Commands: requests to change a plan. `decide` turns one into changes or refuses it.

Fields with their default are omitted when a command is encoded, so that a field added later does
not change the digest of an old command.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct, field

from outlast.model.budget import NO_LIMIT, NOTHING, Budget, Spend
from outlast.model.changes import Change
from outlast.model.model import (
    MAIN,
    MAX_RETRIES,
    Category,
    Check,
    Decision,
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
    ReportStatus,
    SettledBy,
    Task,
)
from outlast.model.replan_position import Observation, ReplanPosition
from outlast.model.values import Value
from outlast.redact.text_fields import JsonText, Stored, Subject, Text

TaskRef = int | str  # `3`, `"3"`, `step_3`, or the id it had elsewhere

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
    """Add a phase at the end or after another; without an `id` it gets one made from its title."""

    title: Text
    notes: Text = ""
    insert_after: str | None = field(default=None, name="after")
    id: str = ""


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

    `budget` is the total budget of the task, `alias` the id that it has elsewhere.
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
    alias: str = ""


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
    result: Text | None = None
    how: How = "reported"
    token: int | None = None
    proof: Proof | None = None
    force: bool = False
    amend: bool = False


class Fail(Struct, frozen=True, gc=False, omit_defaults=True):
    """Report that a try of a task failed; after `retries` more tries the task has failed."""

    task: TaskRef
    actor: str
    error: Text
    retry: bool = True
    token: int | None = None
    retries: int = MAX_RETRIES


class Skip(Struct, frozen=True, gc=False, omit_defaults=True):
    """Skip a task; its dependents can go on."""

    task: TaskRef
    reason: Text = ""


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
    reason: Text = ""
    token: int | None = None


# Claims and attempts


class Claim(Struct, frozen=True, gc=False, omit_defaults=True):
    """Start a task, or the next one, and lease it for some seconds."""

    actor: str
    task: TaskRef | None
    seconds: int


class ClaimPlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Lease the plan for some seconds, as the one runner that works on it.

    `process` is the one that renews the lease. The lease with the token `ended` is taken over
    though its time is not over: its process has ended. That with the token `running` holds though
    its time may seem over: its process runs, and the clock may have jumped.
    """

    actor: str
    seconds: int
    process: str = ""
    ended: int = 0
    running: int = 0


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
    that was spent on the plan itself. `said` is what a reply of the model says about the task.
    """

    attempt: str
    outcome: Outcome
    settled_by: SettledBy = ""
    note: Text = ""
    token: int | None = None
    spent: Spend | None = None
    planning: Spend = NOTHING
    said: Text = ""


# Agents: what they report, and what is decided about it


class NoteReport(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record what an agent reports about an attempt of a task."""

    attempt: str
    agent: str
    status: ReportStatus
    session: str = ""
    results: Text = ""
    pitfalls: Text = ""
    next_steps: Text = ""
    late: Text = ""
    denied: tuple[Text, ...] = ()


class NoteDecision(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record what was decided after an attempt of a task, and why; `by` is who decided."""

    attempt: str
    decision: Decision
    reason: Text
    by: str
    advice: Text = ""


class NoteSession(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record in which session an agent works on an attempt of a task."""

    attempt: str
    agent: str
    session: str


class NoteFootprint(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record the git commits before and after an attempt of a task, and what it changed.

    `outside` are files that the task does not name: the first of `count`. If it is `shared`, others
    worked at the same time.
    """

    attempt: str
    before: str = ""
    after: str = ""
    outside: tuple[Text, ...] = ()
    count: int = 0
    shared: bool = False


class EndSession(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record that a session of an agent needs no further command."""

    session: str


class MoveReplan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Record where the replan loop stands, and what a tool run gave that led there.

    The items behind the cursor become the open tasks of the plan, as the commands before leave
    them.
    """

    position: ReplanPosition
    observation: Observation | None = None


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

    `about` is the attempt that it asks about, the call to permit, the proposed goal, or as JSON the
    edits to confirm, the checks to approve, or the tasks to replace those not started.
    """

    text: Text
    kind: QuestionKind = "ask"
    about: Subject = ""
    task: TaskRef | None = None


class AnswerQuestion(Struct, frozen=True, gc=False, omit_defaults=True):
    """Answer a question; without a number, the oldest open one.

    Only a person answers a proposed goal or unconfirmed edits. A yes to a goal changes the goal.
    `by_asker`: the process that asked for a permission passes on what its person said. A yes
    counts only then, and a later no replaces it.
    """

    text: Text
    actor: str
    question: int | None = None
    by_asker: bool = False


class Interject(Struct, frozen=True, gc=False, omit_defaults=True):
    """Send a message to the loop, which reads it before its next iteration.

    `heard` records a message that the loop has read already.
    """

    text: Text
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
    note: Text = ""
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
