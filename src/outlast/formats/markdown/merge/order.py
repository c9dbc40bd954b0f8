"""What somebody did to the order of the lines: moved ones, new ones."""

from __future__ import annotations

from itertools import groupby, takewhile
from typing import TYPE_CHECKING

from outlast.domain.commands import AddTasks, MoveTask, NewTask
from outlast.domain.phase_status import phase_tasks
from outlast.formats.markdown.merge.positions import moved_by_others, moved_by_person

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from outlast.formats.markdown.document import Item
    from outlast.formats.markdown.merge.context import Sides
    from outlast.formats.markdown.merge.positions import Place


def arrange_tasks(sides: Sides, lines: Sequence[Place]) -> None:
    """Wish for tasks where their lines are, and for new ones.

    What goes down is moved from the last to the first, then what goes up from the first to the
    last: so no task passes one that it depends on, or that depends on it, on the way.
    """
    movers = _movers(sides, lines)
    stable = _stable(sides, lines, movers)
    down, up = _directions(sides, lines, movers, stable)
    before = _neighbours(lines, stable)
    for line in reversed(down):
        _move(sides, line, before[line.line])
    before = _neighbours(lines, stable | movers)
    for line in up:
        _move(sides, line, before[line.line])
    occupied = {line.phase for line in lines if not line.is_new}
    occupied |= {task.phase for task in sides.current.tasks.values()}
    for phase, group in groupby(lines, lambda line: line.phase if line.is_new else None):
        if phase is not None:
            together = [*group]
            _add(sides, together, before[together[0].line], is_empty=phase not in occupied)


def _movers(sides: Sides, lines: Sequence[Place]) -> set[int]:
    """Return the tasks to be moved: not those that others have moved elsewhere."""
    by_person = moved_by_person(sides.base, lines)
    both = by_person & moved_by_others(sides.base, sides.current)
    if both:
        before = _neighbours(lines, {line.task for line in lines if not line.is_new})
        for line in lines:
            if line.task in both and _now(sides, lines, line.task) != (
                line.phase,
                before[line.line],
            ):
                spot = sides.task_spot(line.task, line.line)
                sides.refuse("plan_md_conflict", spot, what="place")
    return by_person - both


def _now(sides: Sides, lines: Sequence[Place], task: int) -> tuple[str, int | None]:
    """Return the phase of a task now, and the task before it, of those that the file has."""
    phase, there = sides.current.tasks[task].phase, {line.task for line in lines}
    above = takewhile(lambda one: one.id != task, phase_tasks(sides.current, phase))
    return phase, next((one.id for one in reversed([*above]) if one.id in there), None)


def _stable(sides: Sides, lines: Sequence[Place], movers: Collection[int]) -> set[int]:
    """Return the tasks that stay, and are in the phase that the file has them in."""
    tasks = sides.current.tasks
    return {
        line.task
        for line in lines
        if line.task not in movers and not line.is_new and tasks[line.task].phase == line.phase
    }


def _directions(
    sides: Sides, lines: Sequence[Place], movers: Collection[int], stable: Collection[int]
) -> tuple[list[Place], list[Place]]:
    """Return what has to go down, and what has to go up, past tasks that stay."""
    down: list[Place] = []
    up: list[Place] = []
    position, passed = sides.current.graph.position, -1
    for line in lines:
        if line.task in movers:
            (down if position(line.task) < passed else up).append(line)
        elif line.task in stable:
            passed = position(line.task)
    return down, up


def _neighbours(lines: Sequence[Place], settled: Collection[int]) -> dict[int, int | None]:
    """Return for each line the settled task above it in its phase."""
    found: dict[int, int | None] = {}
    last: dict[str, int] = {}
    for line in lines:
        found[line.line] = last.get(line.phase)
        if line.task in settled:
            last[line.phase] = line.task
    return found


def _move(sides: Sides, line: Place, before: int | None) -> None:
    command = MoveTask(line.task, insert_after=before)
    if before is None:
        command = MoveTask(line.task, line.phase, first=True)
    sides.wish("place", sides.task_spot(line.task, line.line), command)


def _add(sides: Sides, lines: Sequence[Place], before: int | None, *, is_empty: bool) -> None:
    """Wish for new tasks that stand together; where there is none above them, they are moved up."""
    phase = lines[0].phase
    numbers = tuple(line.line for line in lines)
    new = tuple(_new(line.item, phase if before is None else None) for line in lines)
    said = (number for line in lines for number in line.item.all_lines())
    spot = sides.task_spot(lines[0].task, *said)
    sides.wish("new", spot, AddTasks(new, before), new=numbers)
    if before is None and not is_empty:
        for line in lines:
            _move(sides, line, before)
            before = line.task


def _new(item: Item, phase: str | None) -> NewTask:
    return NewTask(
        item.name,
        phase,
        checks=item.checks,
        run=item.run,
        files=item.files,
        protect=item.protect,
    )
