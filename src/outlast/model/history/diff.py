"""The differences between two states of a plan, task by task."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from outlast.model.model import Check, Phase, Progress, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from outlast.model.ledger import Notes
    from outlast.model.state import PlanState

T = TypeVar("T", int, str)
Kind = Literal["added", "removed", "moved", "changed"]
About = Literal["plan", "phase", "task"]
Value = str | int | Progress | tuple[int, ...] | tuple[str, ...] | tuple[Check, ...] | None
# Times say when something happened, not what is different; a phase is where a task has moved to.
_NOT_COMPARED: Final = ("id", "phase", "started_at", "ended_at", "alias", "extra")
TASK_FIELDS: Final = tuple(name for name in Task.__struct_fields__ if name not in _NOT_COMPARED)
PLAN_FIELDS: Final = ("id", "goal", "title", "order", "hold")
NOTE_FIELDS: Final = ("findings", "errors", "deliverable", "answer", "prose")
Item = TypeVar("Item")


class Difference(Struct, frozen=True, gc=False):
    """One thing that was added, removed, moved or changed between two revisions.

    `name` is the latest name of the task or phase. A moved item stands `after` another one of its
    phase now (0 or empty: at the front), or is in another `phase`. For findings and errors `old`
    and `new` are counts, for the deliverable and the answer characters, for prose lines.
    """

    kind: Kind
    about: About
    id: int | str = ""
    name: str = ""
    field: str = ""
    old: Value = None
    new: Value = None


def differences(old: PlanState, new: PlanState) -> list[Difference]:
    """Return what differs: the plan, its phases, its tasks in list order, its notes.

    If the second state is another plan, nothing is shared: equal numbers are different tasks.
    """
    same = old.id == new.id
    return [
        *_field_differences(Difference("changed", "plan"), old, new, PLAN_FIELDS),
        *_phase_differences(old, new, old.phases if same else {}),
        *_removals("phase", old.phases, new.phases if same else {}),
        *_task_differences(old, new, old.tasks if same else {}),
        *_removals(
            "task", {task.id: task for task in old.tasks_in_order()}, new.tasks if same else {}
        ),
        *_note_differences(old, new),
    ]


def _field_differences(
    base: Difference, old: object, new: object, fields: Iterable[str]
) -> Iterator[Difference]:
    """Yield a difference for each field that has changed."""
    for field in fields:
        was, now = getattr(old, field), getattr(new, field)
        if was != now:
            yield replace(base, field=field, old=was, new=now)


def _removals(
    about: About, old: Mapping[T, Phase] | Mapping[T, Task], new: Mapping[T, object]
) -> Iterator[Difference]:
    for key, value in old.items():
        if key not in new:
            yield Difference("removed", about, key, _name_of(value))


def _name_of(value: Phase | Task) -> str:
    return value.title if isinstance(value, Phase) else value.name


def _phase_differences(
    old: PlanState, new: PlanState, known: Mapping[str, Phase]
) -> Iterator[Difference]:
    before, after = _predecessors([*known], ""), _predecessors([*new.phases], "")
    shifted = moved_items(known, new.phases)
    for key, phase in new.phases.items():
        base = Difference("changed", "phase", key, phase.title)
        if key not in known:
            yield replace(base, kind="added")
        elif key in shifted:
            yield replace(base, kind="moved", field="after", old=before[key], new=after[key])
        was = known.get(key) or Phase(key, phase.title)
        yield from _field_differences(base, was, phase, ("title", "notes"))
        marks = old.ledger.phase_marks.get(key), new.ledger.phase_marks.get(key)
        if marks[0] != marks[1]:
            yield replace(base, field="marked", old=marks[0], new=marks[1])


def _task_differences(
    old: PlanState, new: PlanState, known: Mapping[int, Task]
) -> Iterator[Difference]:
    before, after = _tasks_by_phase(old), _tasks_by_phase(new)
    shifted = {
        task for phase, own in after.items() for task in moved_items(before.get(phase, ()), own)
    }
    places = _places_in_phase(before), _places_in_phase(after)
    for task in new.tasks_in_order():
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
        yield from _field_differences(base, was, task, TASK_FIELDS)


def _tasks_by_phase(state: PlanState) -> dict[str, list[int]]:
    """Return the tasks of each phase, in order."""
    by_phase: dict[str, list[int]] = {}
    for task in state.tasks_in_order():
        by_phase.setdefault(task.phase, []).append(task.id)
    return by_phase


def _places_in_phase(lists: Mapping[str, list[int]]) -> dict[int, int]:
    return {
        task: before for own in lists.values() for task, before in _predecessors(own, 0).items()
    }


def _predecessors(order: list[T], first: T) -> dict[T, T]:
    """Return what each item stands after."""
    return {item: order[place - 1] if place else first for place, item in enumerate(order)}


def _note_differences(old: PlanState, new: PlanState) -> Iterator[Difference]:
    for field in NOTE_FIELDS:
        if getattr(old.notes, field) != getattr(new.notes, field):
            was, now = _size_of(old.notes, field), _size_of(new.notes, field)
            yield Difference("changed", "plan", field=field, old=was, new=now)


def _size_of(notes: Notes, field: str) -> int:
    if field in ("findings", "errors"):
        return sum(note.count for note in getattr(notes, field).values())
    if field == "prose":
        return sum(len(prose.lines) for prose in notes.prose)
    return len(getattr(notes, field))


def drop_known(
    items: Iterable[Item], known: Iterable[str], name_of: Callable[[Item], str]
) -> list[Item]:
    """Return items without those whose names are known: each known name drops one item."""
    left, kept = Counter(known), list[Item]()
    for item in items:
        name = name_of(item)
        if left[name]:
            left[name] -= 1
        else:
            kept.append(item)
    return kept


def moved_items(before: Iterable[T], after: Iterable[T]) -> set[T]:
    """Return the items of both lists that have to move to get the order of `after`."""
    places = {item: place for place, item in enumerate(before)}
    common = [item for item in after if item in places]
    return set(common) - _longest_rising(common, [places[item] for item in common])


def _longest_rising(items: list[T], places: list[int]) -> set[T]:
    """Return the items of a longest increasing subsequence of places."""
    ends: list[int] = []  # by length, the lowest last place of a subsequence
    last: list[int] = []  # and its index
    before: list[int] = []
    for index, place in enumerate(places):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [index]
    items_kept: set[T] = set()
    index = last[-1] if last else -1
    while index >= 0:
        items_kept.add(items[index])
        index = before[index]
    return items_kept
