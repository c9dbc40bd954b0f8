"""Changes: what has happened to a plan, as a closed union of small frozen values.

`apply` folds a change into the plan's state. Each change but `PlanCreated` has an inverse
(`invert`), which rolls a refused commit back or undoes one that was made. Leases, attempts and
notes are facts: their inverse is nothing. A change carries no time of its own; its commit does.
"""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

from datetime import datetime

from msgspec import Struct, field

from outlast.domain.budget import NOTHING, Budget, Spend
from outlast.domain.ledger import Conversation, LoopCounters
from outlast.domain.model import (
    Check,
    ErrorRecord,
    Finding,
    Hold,
    How,
    Interjection,
    Order,
    Outcome,
    PauseReason,
    Phase,
    PhaseStatus,
    Progress,
    Proof,
    Prose,
    Question,
    SettledBy,
    Task,
    TaskStatus,
)

# The plan as a whole: its fields, its phases, its status, its counters


class PlanCreated(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanCreated"):
    """A plan was created."""

    id: str
    goal: str
    created_at: datetime
    updated_at: datetime
    key: str = ""
    title: str = ""
    order: Order = "graph"
    phases: tuple[Phase, ...] = ()
    next_id: int = 1
    begun: bool = False
    hold: Hold = ""
    iteration_count: int = 0
    extra: str = ""


class PlanEdited(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanEdited"):
    """Goal, title or order changed; None is unchanged."""

    goal: str | None = None
    title: str | None = None
    order: Order | None = None


class PhaseAdded(Struct, frozen=True, gc=False, omit_defaults=True, tag="PhaseAdded"):
    """A phase was added at this place among the phases."""

    phase: Phase
    place: int


class PhaseEdited(Struct, frozen=True, gc=False, omit_defaults=True, tag="PhaseEdited"):
    """A phase got another title or other notes."""

    phase: Phase


class PhaseMoved(Struct, frozen=True, gc=False, omit_defaults=True, tag="PhaseMoved"):
    """A phase moved to this place among the phases."""

    id: str
    place: int


class PhaseRemoved(Struct, frozen=True, gc=False, omit_defaults=True, tag="PhaseRemoved"):
    """A phase was removed."""

    id: str


class PlanBegun(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanBegun"):
    """Work on the plan began."""


class PlanPaused(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanPaused"):
    """The plan was paused."""

    why: PauseReason = ""


class PlanResumed(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanResumed"):
    """The plan was resumed."""


class PlanAborted(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanAborted"):
    """The plan was aborted."""


class PlanReset(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanReset"):
    """Every task was reset to pending."""


class PlanRestored(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanRestored"):
    """The status of the plan was restored: the inverse of beginning, pausing and so on."""

    begun: bool
    hold: Hold


class IterationCounted(Struct, frozen=True, gc=False, omit_defaults=True, tag="IterationCounted"):
    """One more iteration was spent; `total` is the count after it."""

    total: int
    task: int = 0


class IdsSkipped(Struct, frozen=True, gc=False, omit_defaults=True, tag="NumbersPassed"):
    """Ids continue after these; lower ones may still be in use or on disk."""

    attempts: int
    token: int
    findings: int = 0
    errors: int = 0


class Undone(Struct, frozen=True, gc=False, omit_defaults=True, tag="Undone"):
    """The changes that follow in the commit undo the commit of this revision."""

    revision: int


# The list of tasks, and the work on them


class TaskAdded(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskAdded"):
    """A task was added at the end of its phase, or after `after` (0: at the front)."""

    task: Task
    after: int | None = None


class TaskRemoved(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskRemoved"):
    """A task was removed; its id is not reused."""

    id: int


class TaskEdited(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskEdited"):
    """Fields of a task changed; None is unchanged."""

    id: int
    name: str | None = None
    needs: tuple[int, ...] | None = field(default=None, name="dependencies")
    reasoning: str | None = None
    active_form: str | None = None
    kind: str | None = None
    checks: tuple[Check, ...] | None = None
    run: str | None = None
    files: tuple[str, ...] | None = None
    protect: tuple[str, ...] | None = None


class TaskMoved(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskMoved"):
    """A task moved to this phase, after the task `after` (0: at the front of the list)."""

    id: int
    phase: str
    after: int


class TaskStarted(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskStarted"):
    """An actor started a task."""

    id: int
    actor: str


class TaskCompleted(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskCompleted"):
    """A task was completed."""

    id: int
    result: str | None = None
    how: How = "reported"


class TaskRetried(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskRetried"):
    """A try failed, and the task is pending again."""

    id: int
    error: str
    retry_count: int


class TaskFailed(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskFailed"):
    """A task failed for good."""

    id: int
    error: str


class TaskSkipped(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskSkipped"):
    """A task was skipped."""

    id: int
    reason: str = ""


class TaskReopened(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskReopened"):
    """A task that had ended is pending again."""

    id: int


class TaskReturned(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskReturned"):
    """A task in progress is pending again, without an outcome."""

    id: int


class TaskProgressed(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskProgressed"):
    """A task made progress."""

    id: int
    progress: Progress | None


class TaskRestored(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskRestored"):
    """The work state of a task was restored: the inverse of every change to its work."""

    id: int
    status: TaskStatus = "pending"
    result: str | None = None
    error: str | None = None
    retry_count: int = 0
    progress: Progress | None = None
    how: How = ""
    actor: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None


# Leases and attempts: facts, which are never undone


class TaskLeased(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskLeased"):
    """An actor leased a task in progress, or the plan itself (0)."""

    id: int
    holder: str
    token: int
    until: datetime


class LeaseRenewed(Struct, frozen=True, gc=False, omit_defaults=True, tag="LeaseRenewed"):
    """A lease was extended."""

    id: int
    until: datetime


class LeaseEnded(Struct, frozen=True, gc=False, omit_defaults=True, tag="LeaseEnded"):
    """The lease of the plan itself (0) ended."""

    id: int


class AttemptBegan(Struct, frozen=True, gc=False, omit_defaults=True, tag="AttemptBegan"):
    """An attempt began for a task, or for the plan itself (0)."""

    id: str
    task: int
    kind: str
    what: str
    digest: str = ""
    token: int = 0
    reserve: Spend = NOTHING


class AttemptEnded(Struct, frozen=True, gc=False, omit_defaults=True, tag="AttemptEnded"):
    """An attempt ended with this outcome."""

    id: str
    outcome: Outcome
    settled_by: SettledBy = ""
    note: str = ""
    spent: Spend = NOTHING
    planning: Spend = NOTHING


# Budgets, costs, conversation and counters of a loop: facts, too


class BudgetSet(Struct, frozen=True, gc=False, omit_defaults=True, tag="BudgetSet"):
    """The budget of the plan (task 0) or of a task was set."""

    budget: Budget
    task: int = 0


class Charged(Struct, frozen=True, gc=False, omit_defaults=True, tag="Charged"):
    """A cost outside an attempt was recorded."""

    spend: Spend
    task: int = 0
    planning: Spend = NOTHING


class QuestionAsked(Struct, frozen=True, gc=False, omit_defaults=True, tag="QuestionAsked"):
    """A person was asked."""

    question: Question


class QuestionAnswered(Struct, frozen=True, gc=False, omit_defaults=True, tag="QuestionAnswered"):
    """A person answered."""

    id: int
    answer: str
    by: str


class Interjected(Struct, frozen=True, gc=False, omit_defaults=True, tag="Interjected"):
    """A person sent a message to the loop."""

    interjection: Interjection = field(name="said")


class InterjectionsTaken(
    Struct, frozen=True, gc=False, omit_defaults=True, tag="InterjectionsTaken"
):
    """The loop has read the interjections up to this number."""

    last: int


class LoopNoted(Struct, frozen=True, gc=False, omit_defaults=True, tag="LoopNoted"):
    """Loop counters changed; None is unchanged."""

    managed: bool | None = None
    stops: int | None = None


class StruckOut(Struct, frozen=True, gc=False, omit_defaults=True, tag="StruckOut"):
    """A tool is refused with these parameters."""

    tool: str
    params: str


class StrikesCleared(Struct, frozen=True, gc=False, omit_defaults=True, tag="StrikesCleared"):
    """The strikes of a tool, or of all tools, were cleared."""

    tool: str | None = None


class LoopRestored(Struct, frozen=True, gc=False, omit_defaults=True, tag="LoopRetold"):
    """Counters, conversation and strikes were restored from a snapshot."""

    counters: LoopCounters = field(name="books")
    conversation: Conversation = field(name="talk")
    strikes: dict[str, tuple[str, ...]] = field(default_factory=dict, name="struck")


LoopChange = (
    BudgetSet
    | Charged
    | QuestionAsked
    | QuestionAnswered
    | Interjected
    | InterjectionsTaken
    | LoopNoted
    | StruckOut
    | StrikesCleared
    | LoopRestored
)


# Notes beside the tasks: facts, too


class ProofNoted(Struct, frozen=True, gc=False, omit_defaults=True, tag="ProofNoted"):
    """The checks of a task were run, or its protected files were digested."""

    proof: Proof


class CheckConfirmed(Struct, frozen=True, gc=False, omit_defaults=True, tag="CheckConfirmed"):
    """A person confirmed a check of a task."""

    id: int
    check: Check
    by: str


class PhaseMarked(Struct, frozen=True, gc=False, omit_defaults=True, tag="PhaseMarked"):
    """The status of a phase was set until one of its tasks changes; None removes the mark."""

    id: str
    status: PhaseStatus | None = None


class FindingNoted(Struct, frozen=True, gc=False, omit_defaults=True, tag="FindingNoted"):
    """A finding was added or edited."""

    finding: Finding


class FindingForgotten(Struct, frozen=True, gc=False, omit_defaults=True, tag="FindingForgotten"):
    """A finding was removed; its id is not reused."""

    id: int


class ErrorNoted(Struct, frozen=True, gc=False, omit_defaults=True, tag="ErrorNoted"):
    """An error was added, or counted again."""

    key: str
    error: ErrorRecord


class ErrorsForgotten(Struct, frozen=True, gc=False, omit_defaults=True, tag="ErrorsForgotten"):
    """Errors were removed, and their strikes with them."""

    keys: tuple[str, ...]


class Delivered(Struct, frozen=True, gc=False, omit_defaults=True, tag="Delivered"):
    """The deliverable was set."""

    text: str


class ProseKept(Struct, frozen=True, gc=False, omit_defaults=True, tag="ProseKept"):
    """The prose was replaced."""

    prose: tuple[Prose, ...]


NoteChange = (
    ProofNoted
    | CheckConfirmed
    | PhaseMarked
    | FindingNoted
    | FindingForgotten
    | ErrorNoted
    | ErrorsForgotten
    | Delivered
    | ProseKept
)


# Together

Change = (
    PlanCreated
    | PlanEdited
    | PhaseAdded
    | PhaseEdited
    | PhaseMoved
    | PhaseRemoved
    | PlanBegun
    | PlanPaused
    | PlanResumed
    | PlanAborted
    | PlanReset
    | PlanRestored
    | IterationCounted
    | IdsSkipped
    | Undone
    | TaskAdded
    | TaskRemoved
    | TaskEdited
    | TaskMoved
    | TaskStarted
    | TaskCompleted
    | TaskRetried
    | TaskFailed
    | TaskSkipped
    | TaskReopened
    | TaskReturned
    | TaskProgressed
    | TaskRestored
    | TaskLeased
    | LeaseRenewed
    | LeaseEnded
    | AttemptBegan
    | AttemptEnded
    | LoopChange
    | NoteChange
)


class Commit(Struct, frozen=True, gc=False, omit_defaults=True):
    """Changes that were made together: when, by whom, why.

    `key` makes the request idempotent; `request_digest` is the digest of the request made under it.
    """

    revision: int
    at: datetime
    author: str
    changes: tuple[Change, ...]
    reason: str = ""
    key: str = ""
    request_digest: str = field(default="", name="asked")
