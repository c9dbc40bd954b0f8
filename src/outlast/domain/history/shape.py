"""What of a plan can be taken back, as a value: its fields, its phases, its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.domain import changes as c
from outlast.domain.apply import standing
from outlast.domain.model import Hold, Order, Phase, Task

if TYPE_CHECKING:
    from outlast.domain.state import PlanState

Thing = tuple[str, int | str]  # ("plan", ""), ("phases", "main"), ("tasks", 3)
Path = tuple[str, int | str, str]  # and a part of it, such as ("tasks", 3, "name")

PLAN: Final = "plan"
PHASES: Final = "phases"
TASKS: Final = "tasks"
ITSELF: Final = ""  # that a phase or a task is there at all
WORK: Final = "status"  # all that work on a task changes goes together
RESET: Final = (WORK, "hold")
PHASE: Final = "phase"
PLACE: Final = "place"
DEPENDENCIES: Final = "needs"
EDITED: Final = c.TaskEdited.__struct_fields__[1:]
_FIELDS: Final = ("goal", "title", "order", "hold")


class Shape(Struct, frozen=True):
    """A plan without its facts; phases and tasks stand in their order."""

    goal: str
    title: str
    order: Order
    hold: Hold
    begun: bool
    phases: dict[str, Phase]
    tasks: dict[int, Task]


def shape_of(state: PlanState) -> Shape:
    """Return the shape of a plan as it is now."""
    return Shape(
        state.goal,
        state.title,
        state.order,
        state.hold,
        state.begun,
        dict(state.phases),
        {task.id: task for task in state.in_order()},
    )


def spelled(path: Path) -> str:
    """Return a path as people and programs are shown it: `goal`, `tasks[3].name`, `tasks[3]`."""
    kind, one, part = path
    if kind == PLAN:
        return part
    return f"{kind}[{one}].{part}" if part else f"{kind}[{one}]"


def differing(old: Shape, new: Shape) -> list[Path]:
    """Return the paths of all that is different but for places and whether work has begun."""
    found: list[Path] = []
    for thing in _things(old, new):
        before, after = parts(old, thing), parts(new, thing)
        found += [
            (*thing, part)
            for part in before | after
            if part not in before or part not in after or before[part] != after[part]
        ]
    return found


def _things(old: Shape, new: Shape) -> list[Thing]:
    """Return what is not the same value any more; one that never changed is the same object."""
    phases = old.phases | new.phases
    tasks = old.tasks | new.tasks
    return [
        (PLAN, ""),
        *((PHASES, one) for one in phases if old.phases.get(one) is not new.phases.get(one)),
        *((TASKS, one) for one in tasks if old.tasks.get(one) is not new.tasks.get(one)),
    ]


def thing_of(change: c.Change) -> Thing:
    """Return what a change is about; of what concerns all of the plan, the plan itself."""
    match change:
        case c.TaskAdded():
            return TASKS, change.task.id
        case c.PhaseAdded() | c.PhaseEdited():
            return PHASES, change.phase.id
    about = getattr(change, "id", "")
    return (TASKS if isinstance(about, int) else PHASES, about) if about else (PLAN, "")


def parts(plan: Shape | PlanState, thing: Thing) -> dict[str, object]:
    """Return what makes up the plan itself, a phase or a task; nothing if it is not there."""
    kind, one = thing
    if kind == PLAN:
        return {field: getattr(plan, field) for field in _FIELDS}
    found = getattr(plan, kind).get(one)
    if found is None:
        return {}
    return _phase_parts(found) if kind == PHASES else _task_parts(found)


def _phase_parts(phase: Phase) -> dict[str, object]:
    return {ITSELF: True, "title": phase.title, "notes": phase.notes}


def _task_parts(task: Task) -> dict[str, object]:
    edited = {field: getattr(task, field) for field in EDITED}
    return {ITSELF: True, PHASE: task.phase, WORK: standing(task), **edited}
