"""Which line is which task: by its id, else by what is the same or alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.formats.markdown.merge.similarity import likeness
from outlast.formats.markdown.merge.status import said_status

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from outlast.domain.model import Task
    from outlast.formats.markdown.document import Document, Item
    from outlast.formats.markdown.merge.context import Sides

_ALIKE: Final = 0.6
_PAIRS: Final = 400


def identify(sides: Sides) -> dict[int, int]:
    """Return the task of each line that has a task; the others are new."""
    return _Identity(sides).found


def has_ids(sides: Sides) -> bool:
    """Tell whether a file carries ids that mean something here."""
    known = (sides.base.tasks, sides.current.tasks)
    return any(item.id in tasks for item in sides.document.items() for tasks in known)


class _Identity:
    """How far the lines have been told apart."""

    def __init__(self, sides: Sides) -> None:
        self._sides = sides
        self.found: dict[int, int] = {}
        self._taken: set[int] = set()
        self._by_id()
        base = sides.base.tasks
        titles = _titles(sides.document)
        phases = sides.base.phases
        self._in_rows(lambda t: (t.name, phases[t.phase].title), lambda i: (i.name, titles[i.line]))
        self._by(
            self._free(),
            lambda t: (t.name, t.status, phases[t.phase].title),
            lambda i: (i.name, said_status(i), titles[i.line]),
        )
        self._by(self._free(), lambda t: (t.name, t.status), lambda i: (i.name, said_status(i)))
        self._by(self._free(), lambda t: t.name, lambda i: i.name)
        known = base.keys() | self._taken
        added = [t for t in sides.current.in_order() if t.id not in known]
        self._by(added, lambda t: t.name, lambda i: i.name)
        self._by_place()

    def _claim(self, item: Item, task: int) -> None:
        self.found[item.line] = task
        self._taken.add(task)

    def _free(self) -> list[Task]:
        return [task for task in self._sides.base.in_order() if task.id not in self._taken]

    def _left(self) -> list[Item]:
        return [item for item in self._sides.document.items() if item.line not in self.found]

    def _by_id(self) -> None:
        sides = self._sides
        claims: dict[int, list[Item]] = {}
        for item in sides.document.items():
            if item.id in sides.base.tasks or item.id in sides.current.tasks:
                claims.setdefault(item.id or 0, []).append(item)
            elif item.id is not None:
                sides.report("plan_md_id_unknown", item.line, id=item.id)
        for task, items in claims.items():
            self._claim(self._closest(task, items), task)

    def _closest(self, task: int, items: list[Item]) -> Item:
        """Return the line that keeps an id which several have."""
        if len(items) == 1:
            return items[0]
        base = self._sides.base_task(task)
        closest = max(items, key=lambda item: (likeness(item.name, base.name), -item.line))
        for item in items:
            if item is not closest:
                self._sides.report("plan_md_id_twice", item.line, id=task)
        return closest

    def _by(
        self,
        tasks: Iterable[Task],
        of_task: Callable[[Task], Hashable],
        of_item: Callable[[Item], Hashable],
    ) -> None:
        """Give lines to tasks that are the same in some way, both from top to bottom."""
        same: dict[Hashable, list[int]] = {}
        for task in tasks:
            same.setdefault(of_task(task), []).append(task.id)
        for free in same.values():
            free.reverse()
        for item in self._left():
            free = same.get(of_item(item), [])
            if free:
                self._claim(item, free.pop())

    def _in_rows(
        self, of_task: Callable[[Task], Hashable], of_item: Callable[[Item], Hashable]
    ) -> None:
        """Give lines to tasks of one name, as many, of which some are in another state now."""
        tasks: dict[Hashable, list[Task]] = {}
        items: dict[Hashable, list[Item]] = {}
        for task in self._free():
            tasks.setdefault(of_task(task), []).append(task)
        for item in self._left():
            items.setdefault(of_item(item), []).append(item)
        for key, row in items.items():
            same = tasks.get(key, [])
            if len(row) != len(same) or _states(row) == sorted(task.status for task in same):
                continue  # they were moved, if anything
            for item, task in zip(row, same, strict=True):
                self._claim(item, task.id)

    def _by_place(self) -> None:
        """Give lines to tasks behind the same neighbour that are alike."""
        tasks: dict[int, list[Task]] = {}
        items: dict[int, list[Item]] = {}
        neighbour = 0
        for task in self._sides.base.in_order():
            if task.id in self._taken:
                neighbour = task.id
            else:
                tasks.setdefault(neighbour, []).append(task)
        neighbour = 0
        for item in self._sides.document.items():
            if item.line in self.found:
                neighbour = self.found[item.line]
            else:
                items.setdefault(neighbour, []).append(item)
        plain = self._sides.document.revision is None and not has_ids(self._sides)
        for place, unnamed in items.items():
            self._pair(unnamed, tasks.get(place, []), in_a_row=plain)

    def _pair(self, items: list[Item], tasks: list[Task], *, in_a_row: bool) -> None:
        if len(items) * len(tasks) > _PAIRS:
            return
        for item in items:
            best = max(tasks, key=lambda task: likeness(item.name, task.name), default=None)
            if best and likeness(item.name, best.name) >= _ALIKE:
                tasks.remove(best)
                self._claim(item, best.id)
        left = [item for item in items if item.line not in self.found]
        if in_a_row and len(left) == len(tasks):
            for item, task in zip(left, tasks, strict=True):
                if said_status(item) == task.status:
                    self._claim(item, task.id)


def _states(items: Iterable[Item]) -> list[str]:
    return sorted(map(said_status, items))


def _titles(document: Document) -> dict[int, str | None]:
    return {item.line: section.title for section in document.sections for item in section.items}
