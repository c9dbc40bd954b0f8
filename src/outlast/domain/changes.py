"""What has happened to a plan: a closed union of small frozen values, folded by `apply`.

Each but the first has an inverse (`outlast.domain.invert`), with which a commit that is refused
half-way is rolled back, or one that was made is undone. Leases and attempts are facts: what takes
them back is nothing. A change carries no time of its own; its commit does.
"""

# No annotations as text here: making a decoder would take it several times as long to read them.

from datetime import datetime

from msgspec import Struct, field

from outlast.domain.budget import NOTHING, Spend
from outlast.domain.loop_changes import LoopChange
from outlast.domain.model import (
    Check,
    Hold,
    How,
    Order,
    Outcome,
    PauseWhy,
    Phase,
    Progress,
    SettledBy,
    Task,
    TaskStatus,
)
from outlast.domain.note_changes import NoteChange


class PlanCreated(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanCreated"):
    """A plan has begun."""

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
    """Goal, title or order are different now; None was left alone."""

    goal: str | None = None
    title: str | None = None
    order: Order | None = None


class PhaseAdded(Struct, frozen=True, gc=False, omit_defaults=True, tag="PhaseAdded"):
    """A phase stands at this place among the phases."""

    phase: Phase
    place: int


class PhaseEdited(Struct, frozen=True, gc=False, omit_defaults=True, tag="PhaseEdited"):
    """A phase has another title or other notes."""

    phase: Phase


class PhaseMoved(Struct, frozen=True, gc=False, omit_defaults=True, tag="PhaseMoved"):
    """A phase has moved to this place among the phases."""

    id: str
    place: int


class PhaseRemoved(Struct, frozen=True, gc=False, omit_defaults=True, tag="PhaseRemoved"):
    """A phase is gone."""

    id: str


class TaskAdded(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskAdded"):
    """A task is there, at the end of its phase or behind the task `after` (0: at the front)."""

    task: Task
    after: int | None = None


class TaskRemoved(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskRemoved"):
    """A task is gone; its id is not given again."""

    id: int


class TaskEdited(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskEdited"):
    """Fields of a task are different now; None was left alone."""

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
    """A task stands in this phase, behind the task `after` (0: at the very front)."""

    id: int
    phase: str
    after: int


class TaskStarted(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskStarted"):
    """An actor has begun work on a task."""

    id: int
    actor: str


class TaskCompleted(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskCompleted"):
    """A task is done."""

    id: int
    result: str | None = None
    how: How = "reported"


class TaskRetried(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskRetried"):
    """An attempt failed and the task is pending again."""

    id: int
    error: str
    retry_count: int


class TaskFailed(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskFailed"):
    """A task has failed for good."""

    id: int
    error: str


class TaskSkipped(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskSkipped"):
    """A task is left out."""

    id: int
    reason: str = ""


class TaskReopened(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskReopened"):
    """A task that had ended is pending again."""

    id: int


class TaskProgressed(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskProgressed"):
    """A task has come this far."""

    id: int
    progress: Progress | None


class TaskRestored(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskRestored"):
    """A task stands where it stood before: the inverse of all that happens to its work."""

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


class PlanBegun(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanBegun"):
    """Work on the plan has begun."""


class PlanPaused(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanPaused"):
    """Work on the plan rests."""

    why: PauseWhy = ""


class PlanResumed(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanResumed"):
    """Nothing holds the plan back any more."""


class PlanAborted(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanAborted"):
    """The plan has been given up."""


class PlanReset(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanReset"):
    """Every task is pending as if nothing had been done."""


class PlanRestored(Struct, frozen=True, gc=False, omit_defaults=True, tag="PlanRestored"):
    """The plan stands where it stood before: the inverse of beginning, pausing and so on."""

    begun: bool
    hold: Hold


class TaskReturned(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskReturned"):
    """A task in progress is pending again, without an outcome."""

    id: int


class TaskLeased(Struct, frozen=True, gc=False, omit_defaults=True, tag="TaskLeased"):
    """Somebody holds a task in progress, or the plan itself (0); the token proves it."""

    id: int
    holder: str
    token: int
    until: datetime


class LeaseRenewed(Struct, frozen=True, gc=False, omit_defaults=True, tag="LeaseRenewed"):
    """A task, or the plan itself (0), is held until then."""

    id: int
    until: datetime


class LeaseEnded(Struct, frozen=True, gc=False, omit_defaults=True, tag="LeaseEnded"):
    """Nobody holds the plan itself (0) any more."""

    id: int


class AttemptBegan(Struct, frozen=True, gc=False, omit_defaults=True, tag="AttemptBegan"):
    """Something is going to be tried for a task, or for the plan itself (0)."""

    id: str
    task: int
    kind: str
    what: str
    digest: str = ""
    token: int = 0
    reserve: Spend = NOTHING


class AttemptEnded(Struct, frozen=True, gc=False, omit_defaults=True, tag="AttemptEnded"):
    """The outcome of an attempt is known."""

    id: str
    outcome: Outcome
    settled_by: SettledBy = ""
    note: str = ""
    spent: Spend = NOTHING
    planning: Spend = NOTHING


class NumbersPassed(Struct, frozen=True, gc=False, omit_defaults=True, tag="NumbersPassed"):
    """Numbers go on from here: lower ones may be in somebody's hands, or in what was written."""

    attempts: int
    token: int
    findings: int = 0
    errors: int = 0


class Undone(Struct, frozen=True, gc=False, omit_defaults=True, tag="Undone"):
    """What follows in the commit takes the commit of this revision back."""

    revision: int


class IterationCounted(Struct, frozen=True, gc=False, omit_defaults=True, tag="IterationCounted"):
    """One more iteration has been spent, so many in all."""

    total: int
    task: int = 0


Change = (
    PlanCreated
    | PlanEdited
    | PhaseAdded
    | PhaseEdited
    | PhaseMoved
    | PhaseRemoved
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
    | TaskProgressed
    | TaskRestored
    | PlanBegun
    | PlanPaused
    | PlanResumed
    | PlanAborted
    | PlanReset
    | PlanRestored
    | TaskReturned
    | TaskLeased
    | LeaseRenewed
    | LeaseEnded
    | AttemptBegan
    | AttemptEnded
    | NumbersPassed
    | Undone
    | IterationCounted
    | NoteChange
    | LoopChange
)


class Commit(Struct, frozen=True, gc=False, omit_defaults=True):
    """Changes that were made together: when, by whom, why.

    `key` makes asking twice harmless; `asked` tells what was asked for under it.
    """

    revision: int
    at: datetime
    author: str
    changes: tuple[Change, ...]
    reason: str = ""
    key: str = ""
    asked: str = ""
