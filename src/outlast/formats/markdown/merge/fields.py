"""What somebody wrote on the line of a task and below it, against how they found it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.domain.commands import EditTask
from outlast.formats.markdown.merge.context import Spot
from outlast.formats.markdown.merge.placeholder import new_task
from outlast.formats.markdown.merge.status import said_status, steps, wanted_status
from outlast.formats.markdown.references import References, written

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from outlast.domain.model import Task, TaskStatus
    from outlast.formats.markdown.document import Item
    from outlast.formats.markdown.merge.context import Sides

_FIELDS: Final = {  # of a task, by the word for it
    "name": "name",
    "check": "checks",
    "run": "run",
    "files": "files",
    "protect": "protect",
}


class Fields:
    """The lines of tasks, one field after the other."""

    def __init__(
        self, sides: Sides, tasks: Mapping[int, int], gone: Collection[int], *, ids: bool
    ) -> None:
        """Know which line is which task, which are to go, and whether the file has ids."""
        self._sides = sides
        self._lines = [
            (item, tasks.get(item.line, new_task(item.line))) for item in sides.document.items()
        ]
        called = {item.line: task for item, task in self._lines}
        numbers = sides.current.tasks.keys() - gone if ids else ()
        self._references = References(sides.document.items(), called, numbers)
        self._base_words = written(sides.base, ids=ids)
        self._words = written(sides.current, ids=ids)
        self._statuses = {item.line: self._status(item, task) for item, task in self._known()}
        self._dependencies = {item.line: self._after(item, task) for item, task in self._there()}

    def miss(self, anchors: Mapping[int, str]) -> None:
        """Tell about edits of tasks that others have taken out."""
        for item, task in self._lines:
            if task in self._sides.current.tasks or task not in self._sides.base.tasks:
                continue
            if self._is_edited(item, self._sides.base.tasks[task]):
                said = tuple(map(self._sides.said, item.all_lines()))
                spot = Spot(item.line, anchors[item.line], said)
                self._sides.refuse("plan_md_gone", spot, task_id=task)

    def reopen(self) -> None:
        """Wish for tasks to be put back."""
        for item, task in self._known():
            if self._statuses[item.line] == "pending":
                self._step(item, task, "pending")

    def release(self) -> None:
        """Wish for tasks to depend on less; that first, so that it holds nothing up."""
        for item, task in self._known():
            found = self._dependencies[item.line]
            if found is not None and self._needs(task).issuperset(found):
                self._depend(item, task, found)

    def edit(self) -> None:
        """Wish for names, checks and the like."""
        for item, task in self._known():
            base, current = self._sides.base_task(task), self._sides.current.tasks[task]
            for what, field in _FIELDS.items():
                values = (getattr(base, field), getattr(current, field), getattr(item, field))
                if values[2] in values[:2]:
                    continue
                spot = self._sides.task_spot(task, *item.lines(what))
                if self._sides.is_wanted(what, spot, values):
                    fields: dict[str, Any] = {field: values[2]}
                    self._sides.wish(what, spot, EditTask(task, **fields, amend=True))

    def depend(self) -> None:
        """Wish for tasks to depend on others."""
        for item, task in self._there():
            found = self._dependencies[item.line]
            if found is not None and not self._needs(task).issuperset(found):
                self._depend(item, task, found)

    def work(self) -> None:
        """Wish for tasks to be done and the like, and for tasks to be begun after those."""
        wanted = [(item, task, self._wanted(item, task)) for item, task in self._there()]
        for is_start in (False, True):
            for item, task, status in wanted:
                if status and status != "pending" and (status == "in_progress") == is_start:
                    self._step(item, task, status)

    def _known(self) -> list[tuple[Item, int]]:
        """Return the lines whose tasks are there now."""
        return [(item, task) for item, task in self._lines if task in self._sides.current.tasks]

    def _there(self) -> list[tuple[Item, int]]:
        """Return these, and the new ones."""
        return [
            (item, task)
            for item, task in self._lines
            if task < 0 or task in self._sides.current.tasks
        ]

    def _needs(self, task: int) -> frozenset[int]:
        found = self._sides.current.tasks.get(task)
        return frozenset(found.needs if found else ())

    def _step(self, item: Item, task: int, wanted: TaskStatus) -> None:
        found = self._sides.current.tasks.get(task)
        now = found.status if found else "pending"
        spot = self._sides.task_spot(task, item.line)
        self._sides.wish("status", spot, *steps(task, now, wanted))

    def _depend(self, item: Item, task: int, found: tuple[int, ...]) -> None:
        spot = self._sides.task_spot(task, *item.lines("after"))
        self._sides.wish("after", spot, EditTask(task, needs=found, amend=True))

    def _wanted(self, item: Item, task: int) -> TaskStatus | None:
        return said_status(item) if task < 0 else self._statuses[item.line]

    def _status(self, item: Item, task: int) -> TaskStatus | None:
        """Return the state that a line asks for; None for the one it has or cannot get."""
        sides = self._sides
        base, now = sides.base_task(task).status, sides.current.tasks[task].status
        wanted = self._said(item, base)
        if wanted in (base, now):
            return None
        spot = sides.task_spot(task, item.line)
        if wanted is None:
            sides.refuse("plan_md_box_icon", spot)
            return None
        if base == "pending" and now == "in_progress":
            return wanted  # that somebody has begun it contradicts no outcome
        values = (base, now, wanted)
        return wanted if sides.is_wanted("status", spot, values) else None

    def _said(self, item: Item, base: TaskStatus) -> TaskStatus | None:
        if item.icon is not None and not self._sides.is_base_known:
            return said_status(item)
        return wanted_status(item, base)

    def _after(self, item: Item, task: int) -> tuple[int, ...] | None:
        """Return what a line wants its task to depend on; None for what it does already."""
        sides = self._sides
        base = None if task < 0 else sides.base_task(task)
        if item.after == self._called(base):
            return None
        spot = sides.task_spot(task, *item.lines("after"))
        found, unknown = self._references.find(item.after)
        if unknown:
            sides.refuse("plan_md_reference", spot, unknown=unknown)
            return None
        if base is None:
            return found
        was = tuple(one for one in base.needs if one in sides.current.tasks)
        values = (was, sides.current.tasks[task].needs, found)
        return found if sides.is_wanted("after", spot, values) else None

    def _called(self, base: Task | None) -> tuple[str, ...]:
        """Return how the file called what a task depended on."""
        if base is None:
            return ()
        words = self._base_words if base.id in self._sides.base.tasks else self._words
        return tuple(words[one] for one in base.needs)

    def _is_edited(self, item: Item, base: Task) -> bool:
        fields = _FIELDS.values()
        return (
            any(getattr(item, field) != getattr(base, field) for field in fields)
            or self._said(item, base.status) != base.status
            or item.after != self._called(base)
        )
