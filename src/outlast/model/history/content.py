"""The content of a plan, as a value: what can be undone. Its fields, its phases, its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.model import changes as c
from outlast.model.changes.tasks import work_state
from outlast.model.model import Hold, Order, Phase, Question, Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.model.state import PlanState

Subject = tuple[str, int | str]  # ("plan", ""), ("phases", "main"), ("tasks", 3)
Path = tuple[str, int | str, str]  # a thing and a part of it: ("tasks", 3, "name")

PLAN: Final = "plan"
PHASES: Final = "phases"
TASKS: Final = "tasks"
ITSELF: Final = ""  # whether the phase or the task exists
WORK: Final = "status"  # everything that work on a task changes is one part
RESET_PARTS: Final = (WORK, "hold")
PHASE: Final = "phase"
PLACE: Final = "place"
NEEDS: Final = "needs"
EDITABLE: Final = tuple(
    field for field in c.TaskEdited.__struct_fields__ if field not in ("id", "result")
)  # the result is part of the work
_FIELDS: Final = ("goal", "title", "order", "hold")


class PlanContent(Struct, frozen=True):
    """A plan without its facts; phases and tasks are in their order."""

    goal: str
    title: str
    order: Order
    hold: Hold
    begun: bool
    phases: dict[str, Phase]
    tasks: dict[int, Task]


def content_of(state: PlanState) -> PlanContent:
    """Return the content of a plan as it is now."""
    return PlanContent(
        state.goal,
        state.title,
        state.order,
        state.hold,
        state.begun,
        dict(state.phases),
        {task.id: task for task in state.tasks_in_order()},
    )


def format_path(path: Path) -> str:
    """Return a path as it is shown: `goal`, `tasks[3].name`, `tasks[3]`."""
    kind, key, part = path
    if kind == PLAN:
        return part
    return f"{kind}[{key}].{part}" if part else f"{kind}[{key}]"


def differing_paths(old: PlanContent, new: PlanContent) -> list[Path]:
    """Return the paths that differ, except for places and whether work has begun."""
    paths: list[Path] = []
    for thing in _changed_subjects(old, new):
        before, after = parts_of(old, thing), parts_of(new, thing)
        paths += [
            (*thing, part)
            for part in before | after
            if part not in before or part not in after or before[part] != after[part]
        ]
    return paths


def _changed_subjects(old: PlanContent, new: PlanContent) -> list[Subject]:
    """Return the things that may differ; a thing that never changed is the same object."""
    phases = old.phases | new.phases
    tasks = old.tasks | new.tasks
    return [
        (PLAN, ""),
        *((PHASES, key) for key in phases if old.phases.get(key) is not new.phases.get(key)),
        *((TASKS, key) for key in tasks if old.tasks.get(key) is not new.tasks.get(key)),
    ]


def subject_of(change: c.Change) -> Subject:
    """Return what a change is about; the plan itself if it is about the whole plan."""
    match change:
        case c.TaskAdded():
            return TASKS, change.task.id
        case c.PhaseAdded() | c.PhaseEdited():
            return PHASES, change.phase.id
    about = getattr(change, "id", "")
    return (TASKS if isinstance(about, int) else PHASES, about) if about else (PLAN, "")


def concerns_task(change: c.Change, questions: Mapping[int, Question], task_id: int) -> bool:
    """Return whether a change belongs to the history of a task, given what was asked before it."""
    match change:
        case c.LeaseRenewed():
            return False
        case c.ProofNoted():
            return change.proof.task == task_id
        case c.BudgetSet():
            return change.task == task_id
        case c.QuestionAsked():
            return change.question.task == task_id
        case c.QuestionAnswered():
            question = questions.get(change.id)
            return question is not None and question.task == task_id
    return subject_of(change) == (TASKS, task_id)


def parts_of(plan: PlanContent | PlanState, thing: Subject) -> dict[str, object]:
    """Return the parts of the plan itself, a phase or a task; none if it does not exist."""
    kind, key = thing
    if kind == PLAN:
        return {field: getattr(plan, field) for field in _FIELDS}
    value = getattr(plan, kind).get(key)
    if value is None:
        return {}
    return _phase_parts(value) if kind == PHASES else _task_parts(value)


def _phase_parts(phase: Phase) -> dict[str, object]:
    return {ITSELF: True, "title": phase.title, "notes": phase.notes}


def _task_parts(task: Task) -> dict[str, object]:
    edited = {field: getattr(task, field) for field in EDITABLE}
    return {ITSELF: True, PHASE: task.phase, WORK: work_state(task), **edited}
