"""Merge the fields of tasks: name, status, needs, checks and the other attributes."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

from outlast.documents.markdown.elements import (
    References,
    edited_result,
    reference_words,
    shown_result,
    shown_status,
)
from outlast.documents.markdown.merge.edits import Location, status_commands, task_placeholder
from outlast.model.commands import Complete, EditTask
from outlast.model.model import PERSON, Task, TaskStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from outlast.documents.markdown.document import Item
    from outlast.documents.markdown.merge.edits import MergeContext

    Hunk = tuple[int, int, tuple[str, ...]]

_MOST_LINES: Final = 500  # of a text that is compared line by line
_FIELDS: Final = {  # field of a task by the kind of edit
    "name": "name",
    "check": "checks",
    "run": "run",
    "files": "files",
    "protect": "protect",
}


class FieldMerge:
    """Merges all lines of tasks; the caller decides the order of the steps."""

    def __init__(
        self,
        context: MergeContext,
        tasks: Mapping[int, int],
        removed: Collection[int],
        *,
        ids: bool,
    ) -> None:
        """Take the task of each line, the tasks to be removed, and whether the file has ids."""
        self._context = context
        # Without the base or the ids of a file, a missing line need not mean a deletion.
        self._shows_deletions = context.is_base_known and ids
        self._lines = [
            (item, tasks.get(item.line, task_placeholder(item.line)))
            for item in context.document.items()
        ]
        by_line = {item.line: task for item, task in self._lines}
        numbers = context.current.tasks.keys() - removed if ids else ()
        self._references = References(context.document.items(), by_line, numbers)
        self._base_words = reference_words(context.base, ids=ids)
        self._words = reference_words(context.current, ids=ids)
        self._statuses = {
            item.line: self._merge_status(item, task) for item, task in self._current_items()
        }
        self._new_needs = {
            item.line: self._merge_needs(item, task) for item, task in self._present_items()
        }

    def reject_removed(self, anchors: Mapping[int, str]) -> None:
        """Reject edits of tasks that were removed from the plan since."""
        for item, task in self._lines:
            if task in self._context.current.tasks or task not in self._context.base.tasks:
                continue
            if self._is_edited(item, self._context.base.tasks[task]):
                excerpt = tuple(map(self._context.line_text, item.all_lines()))
                location = Location(item.line, anchors[item.line], excerpt)
                self._context.reject("task_plan_task_removed", location, task_id=task)

    def reopen(self) -> None:
        """Return tasks to pending."""
        for item, task in self._current_items():
            if self._statuses[item.line] == "pending":
                self._add_status_edit(item, task, "pending")

    def drop_needs(self) -> None:
        """Remove needs; this comes first, so that they block no other edit."""
        for item, task in self._current_items():
            needs = self._new_needs[item.line]
            if needs is not None and self._current_needs(task).issuperset(needs):
                self._add_needs_edit(item, task, needs)

    def edit_fields(self) -> None:
        """Edit names, checks, the other attributes, and descriptions."""
        for item, task in self._current_items():
            base, current = self._context.base_task(task), self._context.current.tasks[task]
            for kind, field in _FIELDS.items():
                values = (getattr(base, field), getattr(current, field), getattr(item, field))
                if values[2] in values[:2]:
                    continue
                location = self._context.task_location(task, *item.lines(kind))
                if self._context.resolve_change(kind, location, values):
                    fields: dict[str, Any] = {field: values[2]}
                    self._context.add_edit(kind, location, EditTask(task, **fields, amend=True))
            if item.description not in (None, base.description, current.description):
                self._edit_description(item, task, item.description or "")

    def _edit_description(self, item: Item, task: int, wanted: str) -> None:
        """Edit a description; changes of different lines are merged."""
        if not wanted and not self._shows_deletions:
            return
        base, current = self._context.base_task(task), self._context.current.tasks[task]
        location = self._context.task_location(task, *item.lines("description"))
        text = merge_text(base.description, current.description, wanted)
        if text is None:
            self._context.reject("task_plan_conflict", location, what="description")
        else:
            command = EditTask(task, description=text, amend=True)
            self._context.add_edit("description", location, command)

    def edit_results(self) -> None:
        """Edit results; this comes last, when the tasks that the person ticked are finished."""
        for item, task in self._present_items():
            if item.result is None:
                continue
            base, current = self._outcome(task)
            values = (shown_result(base), shown_result(current), item.result)
            if item.result in values[:2]:
                continue
            location = self._context.task_location(task, *item.lines("result"))
            if self._context.resolve_change("result", location, values):
                result = edited_result(current, item.result)
                self._context.add_edit(
                    "result", location, EditTask(task, result=result, amend=True)
                )

    def _outcome(self, task: int) -> tuple[str | None, str | None]:
        """Return the result of a task in the base and now."""
        current = self._context.current.tasks.get(task)
        return (self._context.base_task(task).result, current.result) if current else (None, None)

    def confirm(self) -> None:
        """Confirm completions that were assumed, where the person removed the line about that."""
        for item, task in self._present_items():
            if item.assumed and not self._was_assumed(task):
                location = self._context.task_location(task, *item.lines("status"))
                self._context.reject("task_plan_assumed", location)
        tasks = self._context.current.tasks
        assumed = [line for line in self._current_items() if tasks[line[1]].how == "assumed"]
        confirmed = [line for line in assumed if self._is_confirmed(*line)]
        for item, task in confirmed if confirmed and self._shows_outcomes() else ():
            location = self._context.task_location(task, item.line)
            self._context.add_edit("status", location, Complete(task, PERSON, amend=True))

    def _shows_outcomes(self) -> bool:
        """Return whether a file has lines about outcomes; one of an older version has none."""
        if any(item.result or item.assumed for item, _ in self._lines):
            return True
        return not any(shown_result(task.result) for task in self._context.base.tasks.values())

    def _was_assumed(self, task: int) -> bool:
        """Return whether the completion of a task is assumed now, or was in the base."""
        current = self._context.current.tasks.get(task)
        return current is not None and (
            current.is_assumed or self._context.base_task(task).is_assumed
        )

    def _is_confirmed(self, item: Item, task: int) -> bool:
        """Return whether the line about an assumption was removed, and the tick stays."""
        if item.assumed is not False or not self._context.current.tasks[task].is_assumed:
            return False
        was_assumed = self._context.base_task(task).is_assumed and self._shows_deletions
        return was_assumed and self._statuses[item.line] is None

    def add_needs(self) -> None:
        """Add needs."""
        for item, task in self._present_items():
            needs = self._new_needs[item.line]
            if needs is not None and not self._current_needs(task).issuperset(needs):
                self._add_needs_edit(item, task, needs)

    def change_status(self) -> None:
        """Change the status of tasks; starts come last, when what they need may be finished."""
        wanted = [
            (item, task, shown_status(item) if task < 0 else self._statuses[item.line])
            for item, task in self._present_items()
        ]
        for is_start in (False, True):
            for item, task, status in wanted:
                if status and status != "pending" and (status == "in_progress") == is_start:
                    self._add_status_edit(item, task, status)

    def _current_items(self) -> list[tuple[Item, int]]:
        """Return the lines whose tasks are in the plan now."""
        return [(item, task) for item, task in self._lines if task in self._context.current.tasks]

    def _present_items(self) -> list[tuple[Item, int]]:
        """Return the lines whose tasks are in the plan now or new."""
        return [
            (item, task)
            for item, task in self._lines
            if task < 0 or task in self._context.current.tasks
        ]

    def _current_needs(self, task: int) -> frozenset[int]:
        current = self._context.current.tasks.get(task)
        return frozenset(current.needs if current else ())

    def _add_status_edit(self, item: Item, task: int, wanted: TaskStatus) -> None:
        current = self._context.current.tasks.get(task)
        now = current.status if current else "pending"
        location = self._context.task_location(task, item.line)
        self._context.add_edit("status", location, *status_commands(task, now, wanted))

    def _add_needs_edit(self, item: Item, task: int, needs: tuple[int, ...]) -> None:
        location = self._context.task_location(task, *item.lines("needs"))
        self._context.add_edit("needs", location, EditTask(task, needs=needs, amend=True))

    def _merge_status(self, item: Item, task: int) -> TaskStatus | None:
        """Return the status that a line asks for; None if unchanged or the edit is rejected."""
        context = self._context
        base, now = context.base_task(task).status, context.current.tasks[task].status
        wanted = context.wanted_status(item, task)
        if wanted in (base, now):
            return None
        location = context.task_location(task, item.line)
        if wanted is None:
            context.reject("task_plan_box_icon", location, what="status")
            return None
        if base == "pending" and now == "in_progress":
            return wanted  # a start since then contradicts no outcome
        values = (base, now, wanted)
        return wanted if context.resolve_change("status", location, values) else None

    def _merge_needs(self, item: Item, task: int) -> tuple[int, ...] | None:
        """Return the needs that a task's lines ask for; None if unchanged or in conflict."""
        context = self._context
        base = None if task < 0 else context.base_task(task)
        if item.needs == self._base_reference_words(base):
            return None
        base_needs = (
            tuple(need for need in base.needs if need in context.current.tasks) if base else ()
        )
        needs = self._read_needs(item, task, base_needs)
        if base is None:
            return needs
        location = context.task_location(task, *item.lines("needs"))
        values = (base_needs, context.current.tasks[task].needs, needs)
        return needs if context.resolve_change("needs", location, values) else None

    def _read_needs(self, item: Item, task: int, known: tuple[int, ...]) -> tuple[int, ...]:
        """Return the needs in a task's lines.

        A line with an unknown word is rejected; of its other words, only `known` needs stay.
        """
        needs: dict[int, None] = {}
        for line, words in item.needs_by_line.items():
            tasks, unknown = self._references.find(words)
            if unknown:
                location = self._context.task_location(task, line)
                self._context.reject("task_plan_reference", location, unknown=unknown)
                tasks = tuple(need for need in tasks if need in known)
            needs |= dict.fromkeys(tasks)
        return tuple(needs)

    def _base_reference_words(self, base: Task | None) -> tuple[str, ...]:
        """Return the words that the rendered file had for the needs of a task."""
        if base is None:
            return ()
        words = self._base_words if base.id in self._context.base.tasks else self._words
        return tuple(words[need] for need in base.needs)

    def _is_edited(self, item: Item, base: Task) -> bool:
        fields = _FIELDS.values()
        return (
            any(getattr(item, field) != getattr(base, field) for field in fields)
            or item.description not in (None, base.description)
            or self._context.wanted_status(item, base.id) != base.status
            or item.needs != self._base_reference_words(base)
        )


def merge_text(base: str, current: str, wanted: str) -> str | None:
    """Return a text with the changes of both sides by lines; None if these touch or overlap."""
    if current == base:
        return wanted
    lines, *sides = (text.split("\n") for text in (base, current, wanted))
    if max(map(len, (lines, *sides))) > _MOST_LINES:
        return None
    hunks = sorted({hunk for side in sides for hunk in _hunks(lines, side)})
    merged: list[str] = []
    position = -1
    for start, end, new in hunks:
        if start <= position:
            return None
        merged += [*lines[max(position, 0) : start], *new]
        position = end
    return "\n".join([*merged, *lines[max(position, 0) :]])


def _hunks(old: Sequence[str], new: list[str]) -> list[Hunk]:
    """Return the ranges of old lines that were replaced, and by what."""
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(i, j, tuple(new[k:n])) for code, i, j, k, n in codes if code != "equal"]
