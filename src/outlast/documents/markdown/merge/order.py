"""Merge the order of tasks: moved lines and new lines."""

from __future__ import annotations

from itertools import groupby, takewhile
from typing import TYPE_CHECKING

from msgspec import Struct

from outlast.documents.markdown.document import Item
from outlast.documents.markdown.elements import shown_status
from outlast.documents.markdown.merge.edits import MergeContext, status_commands, task_placeholder
from outlast.model.commands import AddTasks, MoveTask, NewTask
from outlast.model.history.diff import moved_items
from outlast.model.phase_status import phase_tasks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from outlast.model.state import PlanState


def arrange_tasks(context: MergeContext, lines: Sequence[TaskPosition]) -> None:
    """Move tasks to where their lines are, and add new ones.

    Tasks that go down are moved from the last to the first, then those that go up from the first
    to the last. So no task passes one that it needs, or that needs it, on the way.
    """
    movers = _movers(context, lines)
    stable = _stable(context, lines, movers)
    down, up = _directions(context, lines, movers, stable)
    before = _neighbours(lines, stable)
    for line in reversed(down):
        _move(context, line, before[line.line])
    before = _neighbours(lines, stable | movers)
    for line in up:
        _move(context, line, before[line.line])
    occupied = {line.phase for line in lines if not line.is_new}
    occupied |= {task.phase for task in context.current.tasks.values()}
    for phase, group in groupby(lines, lambda line: line.phase if line.is_new else None):
        if phase is not None:
            together = [*group]
            _add(context, together, before[together[0].line], is_empty=phase not in occupied)


def add_new_tasks(context: MergeContext, items: Sequence[Item], phase: str | None) -> None:
    """Add new tasks at the end of a phase, with the status that their lines show."""
    numbers = tuple(item.line for item in items)
    new = tuple(_new_task(item, phase) for item in items)
    sources = (number for item in items for number in item.all_lines())
    location = context.task_location(task_placeholder(numbers[0]), *sources)
    context.add_edit("new", location, AddTasks(new), new=numbers)
    for item in items:
        task, status = task_placeholder(item.line), shown_status(item)
        if status != "pending":
            location = context.task_location(task, item.line)
            context.add_edit("status", location, *status_commands(task, "pending", status))


def _movers(context: MergeContext, lines: Sequence[TaskPosition]) -> set[int]:
    """Return the tasks to be moved; reject moves of tasks that moved elsewhere since."""
    by_person = moves_by_person(context.base, lines)
    both = by_person & moves_by_others(context.base, context.current)
    if both:
        before = _neighbours(lines, {line.task for line in lines if not line.is_new})
        for line in lines:
            if line.task in both and _current_position(context, lines, line.task) != (
                line.phase,
                before[line.line],
            ):
                location = context.task_location(line.task, line.line)
                context.reject("task_plan_conflict", location, what="place")
    return by_person - both


def _current_position(
    context: MergeContext, lines: Sequence[TaskPosition], task: int
) -> tuple[str, int | None]:
    """Return the phase of a task now, and the task above it, of those that the file has."""
    phase, in_file = context.current.tasks[task].phase, {line.task for line in lines}
    above = takewhile(lambda other: other.id != task, phase_tasks(context.current, phase))
    return phase, next((other.id for other in reversed([*above]) if other.id in in_file), None)


def _stable(
    context: MergeContext, lines: Sequence[TaskPosition], movers: Collection[int]
) -> set[int]:
    """Return the tasks that stay and have the phase that the file shows."""
    tasks = context.current.tasks
    return {
        line.task
        for line in lines
        if line.task not in movers and not line.is_new and tasks[line.task].phase == line.phase
    }


def _directions(
    context: MergeContext,
    lines: Sequence[TaskPosition],
    movers: Collection[int],
    stable: Collection[int],
) -> tuple[list[TaskPosition], list[TaskPosition]]:
    """Return the lines that have to go down, and those that go up, past tasks that stay."""
    down: list[TaskPosition] = []
    up: list[TaskPosition] = []
    position, passed = context.current.graph.position, -1
    for line in lines:
        if line.task in movers:
            (down if position(line.task) < passed else up).append(line)
        elif line.task in stable:
            passed = position(line.task)
    return down, up


def _neighbours(lines: Sequence[TaskPosition], settled: Collection[int]) -> dict[int, int | None]:
    """Return for each line the nearest settled task above it in its phase."""
    above: dict[int, int | None] = {}
    last: dict[str, int] = {}
    for line in lines:
        above[line.line] = last.get(line.phase)
        if line.task in settled:
            last[line.phase] = line.task
    return above


def _move(context: MergeContext, line: TaskPosition, before: int | None) -> None:
    command = MoveTask(line.task, insert_after=before)
    if before is None:
        command = MoveTask(line.task, line.phase, first=True)
    context.add_edit("place", context.task_location(line.task, line.line), command)


def _add(
    context: MergeContext, lines: Sequence[TaskPosition], before: int | None, *, is_empty: bool
) -> None:
    """Add new tasks that stand together; with no task above them they are moved to the top."""
    phase = lines[0].phase
    numbers = tuple(line.line for line in lines)
    new = tuple(_new_task(line.item, phase if before is None else None) for line in lines)
    sources = (number for line in lines for number in line.item.all_lines())
    location = context.task_location(lines[0].task, *sources)
    context.add_edit("new", location, AddTasks(new, before), new=numbers)
    if before is None and not is_empty:
        for line in lines:
            _move(context, line, before)
            before = line.task


def _new_task(item: Item, phase: str | None) -> NewTask:
    return NewTask(
        item.name,
        phase,
        description=item.description or "",
        checks=item.checks,
        run=item.run,
        files=item.files,
        protect=item.protect,
    )


class TaskPosition(Struct, frozen=True):
    """A line of a task: its number, its item, the phase it stands in, and its task."""

    line: int
    item: Item
    phase: str
    task: int

    @property
    def is_new(self) -> bool:
        """Whether the task is new."""
        return self.task < 0


def task_positions(
    context: MergeContext, phases: Mapping[int, str], tasks: Mapping[int, int]
) -> list[TaskPosition]:
    """Return all lines from top to bottom, without those of tasks that were removed since."""
    positions = _all_positions(context, phases, tasks)
    return [line for line in positions if line.is_new or line.task in context.current.tasks]


def _all_positions(
    context: MergeContext, phases: Mapping[int, str], tasks: Mapping[int, int]
) -> Iterator[TaskPosition]:
    last = next(iter(context.current.phases))
    for section in context.document.sections:
        named = phases.get(section.line)
        for item in section.items:
            task = tasks.get(item.line, task_placeholder(item.line))
            own = context.current.tasks.get(task)
            # above the first heading a task stays in its phase
            last = named or (own.phase if own else last)
            yield TaskPosition(item.line, item, last, task)


def moves_by_person(base: PlanState, lines: Iterable[TaskPosition]) -> set[int]:
    """Return the tasks whose lines the person moved, of those that the base had."""
    return _moves(base, {line.task: line.phase for line in lines if line.task in base.tasks})


def moves_by_others(base: PlanState, current: PlanState) -> set[int]:
    """Return the tasks that moved in the plan since the base."""
    return _moves(base, {t.id: t.phase for t in current.tasks_in_order() if t.id in base.tasks})


def _moves(base: PlanState, phases: Mapping[int, str]) -> set[int]:
    """Return the tasks in another phase than in the base, or at another place in their phase."""
    moves: set[int] = set()
    rows: dict[str, list[int]] = {}
    for task, phase in phases.items():
        if base.tasks[task].phase == phase:
            rows.setdefault(phase, []).append(task)
        else:
            moves.add(task)
    for row in rows.values():
        moves |= moved_items(base.graph.sort(row), row)
    return moves
