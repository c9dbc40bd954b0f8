"""What somebody wants done to a plan. `decide` turns a command into changes or refuses it.

A field that has its default is left out where a command is written, so that a field added later
does not make the same command look like another one.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct, field

from outlast.domain.budget import NO_LIMIT, NOTHING, Budget, Spend
from outlast.domain.changes import Change
from outlast.domain.loop_commands import Charge, LoopCommand
from outlast.domain.model import (
    MAIN,
    Check,
    Hold,
    How,
    Order,
    Outcome,
    PauseWhy,
    Phase,
    Proof,
    SettledBy,
    Task,
)
from outlast.domain.note_commands import NoteCommand

TaskRef = int | str


class NewTask(Struct, frozen=True, gc=False, omit_defaults=True):
    """A task to be added; `peers` are dependencies by 1-based position in the same command.

    `budget` is what the task may cost in all.
    """

    name: str
    phase: str | None = None
    needs: tuple[TaskRef, ...] = field(default=(), name="dependencies")
    peers: tuple[int, ...] = ()
    reasoning: str = ""
    active_form: str = ""
    kind: str = ""
    checks: tuple[Check, ...] = ()
    run: str = ""
    files: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    budget: Budget = NO_LIMIT


class CreatePlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Begin a plan, possibly with tasks that it has from elsewhere; it stands alone in a commit."""

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


class InitializePlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Give an empty plan its goal and tasks; a plan that has ended is followed by a new one."""

    id: str
    goal: str
    tasks: tuple[NewTask, ...]
    budget: Budget = NO_LIMIT


class EditPlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Change what the plan is called, is for, or is ordered by; None leaves a field alone."""

    goal: str | None = None
    title: str | None = None
    order: Order | None = None


class AddPhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Add a phase, at the end or behind another."""

    title: str
    notes: str = ""
    insert_after: str | None = field(default=None, name="after")


class EditPhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Change a phase's title or notes."""

    phase: str
    title: str | None = None
    notes: str | None = None


class MovePhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Move a phase behind another, or to the front."""

    phase: str
    insert_after: str | None = field(default=None, name="after")


class RemovePhase(Struct, frozen=True, gc=False, omit_defaults=True):
    """Remove a phase that has no tasks."""

    phase: str


class AddTasks(Struct, frozen=True, gc=False, omit_defaults=True):
    """Add tasks at the end of their phases, or behind one another behind the task `after`.

    With `once` those are left out that have the name of an unfinished task. `cost` is charged if
    any is added in the midst of work, which is refused where the budget does not hold that much.
    """

    tasks: tuple[NewTask, ...]
    insert_after: TaskRef | None = field(default=None, name="after")
    once: bool = False
    cost: Charge | None = None


class EditTask(Struct, frozen=True, gc=False, omit_defaults=True):
    """Change what a task is; None leaves a field alone.

    `amend` is a person's: it also changes a task that somebody works on, but for its checks, or
    that is finished.
    """

    task: TaskRef
    name: str | None = None
    needs: tuple[TaskRef, ...] | None = field(default=None, name="dependencies")
    reasoning: str | None = None
    active_form: str | None = None
    kind: str | None = None
    checks: tuple[Check, ...] | None = None
    run: str | None = None
    files: tuple[str, ...] | None = None
    protect: tuple[str, ...] | None = None
    amend: bool = False


class MoveTask(Struct, frozen=True, gc=False, omit_defaults=True):
    """Move a task behind another, else to the end of its phase or a named one, or its front."""

    task: TaskRef
    phase: str | None = None
    insert_after: TaskRef | None = field(default=None, name="after")
    first: bool = False


class RemoveTask(Struct, frozen=True, gc=False, omit_defaults=True):
    """Remove a task that has not been worked on and that nothing depends on.

    `amend` is a person's: it also removes one that has ended, and what depended on it no longer
    does.
    """

    task: TaskRef
    amend: bool = False


class Start(Struct, frozen=True, gc=False, omit_defaults=True):
    """Begin work on a task, or on the next one."""

    actor: str
    task: TaskRef | None = None


class Complete(Struct, frozen=True, gc=False, omit_defaults=True):
    """Say that a task is done, and how that is known; one with checks needs their proof.

    `force` is a person's, who takes the task for done without proof; so is `amend`, which does not
    ask whether it was the task's turn.
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
    """Say that an attempt at a task failed."""

    task: TaskRef
    actor: str
    error: str
    retry: bool = True
    token: int | None = None


class Skip(Struct, frozen=True, gc=False, omit_defaults=True):
    """Leave a task out; what depends on it may go on."""

    task: TaskRef
    reason: str = ""


class Reopen(Struct, frozen=True, gc=False, omit_defaults=True):
    """Take a failed or finished task up again."""

    task: TaskRef


class SetProgress(Struct, frozen=True, gc=False, omit_defaults=True):
    """Say how far a task has come."""

    task: TaskRef
    current: int
    total: int
    token: int | None = None


class Return(Struct, frozen=True, gc=False, omit_defaults=True):
    """Put a task in progress back to pending, without an outcome."""

    task: TaskRef
    reason: str = ""
    token: int | None = None


class Claim(Struct, frozen=True, gc=False, omit_defaults=True):
    """Begin a task, or the next one, and hold it for some seconds against everybody else."""

    actor: str
    task: TaskRef | None
    seconds: int


class ClaimPlan(Struct, frozen=True, gc=False, omit_defaults=True):
    """Hold the plan itself for some seconds, as the one runner that works on it."""

    actor: str
    seconds: int


class Renew(Struct, frozen=True, gc=False, omit_defaults=True):
    """Hold a claimed task, or the plan itself (0), for some seconds from now."""

    task: TaskRef
    token: int
    seconds: int


class Release(Struct, frozen=True, gc=False, omit_defaults=True):
    """Give a claimed task back, or the plan itself (0)."""

    task: TaskRef
    token: int


class Fence(Struct, frozen=True, gc=False, omit_defaults=True):
    """Change nothing, but let the commit it stands in be refused once the claim is lost."""

    token: int
    task: TaskRef = 0


class BeginAttempt(Struct, frozen=True, gc=False, omit_defaults=True):
    """Say what is going to be tried, before it is; without a task, for the plan itself.

    `reserve` is what it can cost at most: it is refused if the budget does not hold that much.
    """

    task: TaskRef | None
    kind: str
    what: str
    digest: str = ""
    token: int | None = None
    reserve: Spend = NOTHING


class EndAttempt(Struct, frozen=True, gc=False, omit_defaults=True):
    """Say how an attempt came out, and how that is known where nobody watched it end.

    `spent` is what it has cost; where that is not known, all that was set aside for it. `planning`
    is the part of it that was spent on the plan itself.
    """

    attempt: str
    outcome: Outcome
    settled_by: SettledBy = ""
    note: str = ""
    token: int | None = None
    spent: Spend | None = None
    planning: Spend = NOTHING


class Undo(Struct, frozen=True, gc=False, omit_defaults=True):
    """Take the commit `of` back on the plan as it is at the revision `at`, alone in a commit."""

    of: int
    at: int
    changes: tuple[Change, ...]


class Pause(Struct, frozen=True, gc=False, omit_defaults=True):
    """Stop work on the plan for now; `why` names what stopped it, if it was not a person."""

    why: PauseWhy = ""


class Resume(Struct, frozen=True, gc=False, omit_defaults=True):
    """Go on with a paused plan."""


class Abort(Struct, frozen=True, gc=False, omit_defaults=True):
    """Give the plan up."""


class Reset(Struct, frozen=True, gc=False, omit_defaults=True):
    """Put every task back to pending, as if nothing had been done."""


class CountIteration(Struct, frozen=True, gc=False, omit_defaults=True):
    """Add one to the iterations that have been spent on the plan, and on a task in progress."""

    task: TaskRef | None = None


Command = (
    CreatePlan
    | InitializePlan
    | EditPlan
    | AddPhase
    | EditPhase
    | MovePhase
    | RemovePhase
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
    | Undo
    | Pause
    | Resume
    | Abort
    | Reset
    | CountIteration
    | NoteCommand
    | LoopCommand
)
