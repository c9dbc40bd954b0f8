"""Where each line of a task stands: its phase, and which of them were moved, by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from outlast.domain.list_diff import moved
from outlast.formats.markdown.document import Item
from outlast.formats.markdown.merge.placeholder import new_task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from outlast.domain.state import PlanState
    from outlast.formats.markdown.merge.context import Sides


class Place(Struct, frozen=True):
    """The number of a line with its item, the phase it stands in, and its task."""

    line: int
    item: Item
    phase: str
    task: int

    @property
    def is_new(self) -> bool:
        """Whether the task is not there yet."""
        return self.task < 0


def places(sides: Sides, phases: Mapping[int, str], tasks: Mapping[int, int]) -> list[Place]:
    """Return all lines from top to bottom but those of tasks that others have taken out."""
    found = _all(sides, phases, tasks)
    return [place for place in found if place.is_new or place.task in sides.current.tasks]


def _all(sides: Sides, phases: Mapping[int, str], tasks: Mapping[int, int]) -> Iterator[Place]:
    last = next(iter(sides.current.phases))
    for section in sides.document.sections:
        named = phases.get(section.line)
        for item in section.items:
            task = tasks.get(item.line, new_task(item.line))
            own = sides.current.tasks.get(task)
            # above all headings a task stays in its phase
            last = named or (own.phase if own else last)
            yield Place(item.line, item, last, task)


def moved_by_person(base: PlanState, lines: Iterable[Place]) -> set[int]:
    """Return the tasks whose lines were moved, of those that the base had."""
    return _moved(base, {line.task: line.phase for line in lines if line.task in base.tasks})


def moved_by_others(base: PlanState, current: PlanState) -> set[int]:
    """Return the tasks that were moved since the base."""
    return _moved(base, {t.id: t.phase for t in current.in_order() if t.id in base.tasks})


def _moved(base: PlanState, phases: Mapping[int, str]) -> set[int]:
    """Return what is in another phase than in the base, or at another place in its phase."""
    found: set[int] = set()
    rows: dict[str, list[int]] = {}
    for task, phase in phases.items():
        if base.tasks[task].phase == phase:
            rows.setdefault(phase, []).append(task)
        else:
            found.add(task)
    for row in rows.values():
        found |= moved(base.graph.sort(row), row)
    return found
