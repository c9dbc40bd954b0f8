"""What two states of a plan do not have in common, task by task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from outlast.domain.list_diff import moved
from outlast.domain.model import Check, Phase, Progress, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from outlast.domain.notes import Notes
    from outlast.domain.state import PlanState

T = TypeVar("T", int, str)
Kind = Literal["added", "removed", "moved", "changed"]
About = Literal["plan", "phase", "task"]
Value = str | int | Progress | tuple[int, ...] | tuple[str, ...] | tuple[Check, ...] | None

# Times say when something happened, not what is different; a phase is where a task has moved to.
_NOT_COMPARED: Final = ("id", "phase", "started_at", "ended_at", "alias", "extra")
TASK_FIELDS: Final = tuple(one for one in Task.__struct_fields__ if one not in _NOT_COMPARED)
PLAN_FIELDS: Final = ("id", "goal", "title", "order", "hold")
NOTED: Final = ("findings", "errors", "deliverable", "prose")


class Difference(Struct, frozen=True, gc=False):
    """One thing that has come, gone, moved or changed between two revisions.

    `name` is what the task or phase is called now, or was called last. What has moved stands
    `after` another of its phase now (0 or empty: at the front), or is in another `phase`. Findings
    and errors are counted, of texts the characters, of people's own lines the lines.
    """

    kind: Kind
    about: About
    id: int | str = ""
    name: str = ""
    field: str = ""
    old: Value = None
    new: Value = None


def differences(old: PlanState, new: PlanState) -> list[Difference]:
    """Return what is different: the plan, its phases, its tasks in list order, what is noted.

    Where another plan followed, everything is: the same number does not mean the same task.
    """
    same = old.id == new.id
    return [
        *_each(Difference("changed", "plan"), old, new, PLAN_FIELDS),
        *_phases(old, new, old.phases if same else {}),
        *_gone("phase", old.phases, new.phases if same else {}),
        *_tasks(old, new, old.tasks if same else {}),
        *_gone("task", {task.id: task for task in old.in_order()}, new.tasks if same else {}),
        *_noted(old, new),
    ]


def _each(
    base: Difference, old: object, new: object, fields: Iterable[str]
) -> Iterator[Difference]:
    """Yield a difference for each field that has changed."""
    for field in fields:
        was, now = getattr(old, field), getattr(new, field)
        if was != now:
            yield replace(base, field=field, old=was, new=now)


def _gone(
    about: About, old: Mapping[T, Phase] | Mapping[T, Task], new: Mapping[T, object]
) -> Iterator[Difference]:
    for one, value in old.items():
        if one not in new:
            yield Difference("removed", about, one, _called(value))


def _called(value: Phase | Task) -> str:
    return value.title if isinstance(value, Phase) else value.name


def _phases(old: PlanState, new: PlanState, known: Mapping[str, Phase]) -> Iterator[Difference]:
    before, after = _behind([*known], ""), _behind([*new.phases], "")
    shifted = moved(known, new.phases)
    for one, phase in new.phases.items():
        base = Difference("changed", "phase", one, phase.title)
        if one not in known:
            yield replace(base, kind="added")
        elif one in shifted:
            yield replace(base, kind="moved", field="after", old=before[one], new=after[one])
        was = known.get(one) or Phase(one, phase.title)
        yield from _each(base, was, phase, ("title", "notes"))
        marks = old.ledger.marked.get(one), new.ledger.marked.get(one)
        if marks[0] != marks[1]:
            yield replace(base, field="marked", old=marks[0], new=marks[1])


def _tasks(old: PlanState, new: PlanState, known: Mapping[int, Task]) -> Iterator[Difference]:
    before, after = _lists(old), _lists(new)
    shifted = {one for phase, own in after.items() for one in moved(before.get(phase, ()), own)}
    places = _places(before), _places(after)
    for task in new.in_order():
        base = Difference("changed", "task", task.id, task.name)
        was = known.get(task.id)
        if was is None:
            was = Task(task.id, task.name)
            yield replace(base, kind="added", field="phase", new=task.phase)
        elif was.phase != task.phase:
            yield replace(base, kind="moved", field="phase", old=was.phase, new=task.phase)
        elif task.id in shifted:
            old_place, new_place = (place[task.id] for place in places)
            yield replace(base, kind="moved", field="after", old=old_place, new=new_place)
        yield from _each(base, was, task, TASK_FIELDS)


def _lists(state: PlanState) -> dict[str, list[int]]:
    """Return the tasks of each phase, in order."""
    found: dict[str, list[int]] = {}
    for task in state.in_order():
        found.setdefault(task.phase, []).append(task.id)
    return found


def _places(lists: Mapping[str, list[int]]) -> dict[int, int]:
    return {one: before for own in lists.values() for one, before in _behind(own, 0).items()}


def _behind(order: list[T], first: T) -> dict[T, T]:
    """Return what each one stands behind."""
    return {one: order[place - 1] if place else first for place, one in enumerate(order)}


def _noted(old: PlanState, new: PlanState) -> Iterator[Difference]:
    for field in NOTED:
        if getattr(old.notes, field) != getattr(new.notes, field):
            was, now = _counted(old.notes, field), _counted(new.notes, field)
            yield Difference("changed", "plan", field=field, old=was, new=now)


def _counted(notes: Notes, field: str) -> int:
    if field == "errors":
        return sum(error.count for error in notes.errors.values())
    if field == "prose":
        return sum(len(one.lines) for one in notes.prose)
    return len(getattr(notes, field))
