"""What somebody wants done to a plan. `decide` turns a command into changes or refuses it."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from outlast.domain.model import MAIN, Check, Hold, How, Order, Phase, Task

TaskRef = int | str


class NewTask(Struct, frozen=True, gc=False):
    """A task to be added; `peers` are dependencies by 1-based position in the same command."""

    name: str
    phase: str | None = None
    dependencies: tuple[TaskRef, ...] = ()
    peers: tuple[int, ...] = ()
    reasoning: str = ""
    active_form: str = ""
    kind: str = ""
    checks: tuple[Check, ...] = ()


class CreatePlan(Struct, frozen=True, gc=False):
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


class InitializePlan(Struct, frozen=True, gc=False):
    """Give an empty plan its goal and tasks; a plan that has ended is followed by a new one."""

    id: str
    goal: str
    tasks: tuple[NewTask, ...]


class EditPlan(Struct, frozen=True, gc=False):
    """Change what the plan is called, is for, or is ordered by; None leaves a field alone."""

    goal: str | None = None
    title: str | None = None
    order: Order | None = None


class AddPhase(Struct, frozen=True, gc=False):
    """Add a phase, at the end or behind another."""

    title: str
    notes: str = ""
    after: str | None = None


class EditPhase(Struct, frozen=True, gc=False):
    """Change a phase's title or notes."""

    phase: str
    title: str | None = None
    notes: str | None = None


class MovePhase(Struct, frozen=True, gc=False):
    """Move a phase behind another, or to the front."""

    phase: str
    after: str | None = None


class RemovePhase(Struct, frozen=True, gc=False):
    """Remove a phase that has no tasks."""

    phase: str


class AddTasks(Struct, frozen=True, gc=False):
    """Add tasks at the end of their phases, or behind one another behind the task `after`."""

    tasks: tuple[NewTask, ...]
    after: TaskRef | None = None


class EditTask(Struct, frozen=True, gc=False):
    """Change what a task is; None leaves a field alone."""

    task: TaskRef
    name: str | None = None
    dependencies: tuple[TaskRef, ...] | None = None
    reasoning: str | None = None
    active_form: str | None = None
    kind: str | None = None
    checks: tuple[Check, ...] | None = None


class MoveTask(Struct, frozen=True, gc=False):
    """Move a task behind another, else to the end of its phase or a named one, or its front."""

    task: TaskRef
    phase: str | None = None
    after: TaskRef | None = None
    first: bool = False


class RemoveTask(Struct, frozen=True, gc=False):
    """Remove a task that has not been worked on and that nothing depends on."""

    task: TaskRef


class Start(Struct, frozen=True, gc=False):
    """Begin work on a task, or on the next one."""

    actor: str
    task: TaskRef | None = None


class Complete(Struct, frozen=True, gc=False):
    """Say that a task is done, and how that is known."""

    task: TaskRef
    actor: str
    result: str | None = None
    how: How = "reported"


class Fail(Struct, frozen=True, gc=False):
    """Say that an attempt at a task failed."""

    task: TaskRef
    actor: str
    error: str
    retry: bool = True


class Skip(Struct, frozen=True, gc=False):
    """Leave a task out; what depends on it may go on."""

    task: TaskRef
    reason: str = ""


class Reopen(Struct, frozen=True, gc=False):
    """Take a failed or finished task up again."""

    task: TaskRef


class SetProgress(Struct, frozen=True, gc=False):
    """Say how far a task has come."""

    task: TaskRef
    current: int
    total: int


class Pause(Struct, frozen=True, gc=False):
    """Stop work on the plan for now."""


class Resume(Struct, frozen=True, gc=False):
    """Go on with a paused plan."""


class Abort(Struct, frozen=True, gc=False):
    """Give the plan up."""


class Reset(Struct, frozen=True, gc=False):
    """Put every task back to pending, as if nothing had been done."""


class CountIteration(Struct, frozen=True, gc=False):
    """Add one to the iterations that have been spent on the plan."""


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
    | Pause
    | Resume
    | Abort
    | Reset
    | CountIteration
)
