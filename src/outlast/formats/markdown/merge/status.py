"""What box and icon of a line say together, and the commands that lead there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.commands import Complete, Fail, Reopen, Return, Skip, Start
from outlast.domain.model import FINISHED, PERSON

if TYPE_CHECKING:
    from outlast.domain.commands import Command
    from outlast.domain.model import TaskStatus
    from outlast.formats.markdown.document import Item
    from outlast.formats.markdown.element import Ticked


def said_status(item: Item | Ticked) -> TaskStatus:
    """Return the state that a line shows where nobody knows how it was: the box counts."""
    if item.box:
        return "completed"
    return "pending" if item.icon in (None, "completed") else item.icon


def wanted_status(item: Item, base: TaskStatus) -> TaskStatus | None:
    """Return the state that somebody wants who found a line in the state `base`.

    Of a box and an icon that do not go together the one that was changed counts; None if both
    were.
    """
    ticked = base == "completed"
    if item.icon is None:
        return base if item.box == ticked else said_status(item)
    if item.box == (item.icon == "completed"):
        return item.icon
    if item.icon == base:
        return said_status(item)
    return item.icon if item.box == ticked else None


def is_reopened(base: TaskStatus, wanted: TaskStatus | None) -> bool:
    """Tell whether a finished task would have to be done again."""
    return base in FINISHED and wanted is not None and wanted not in FINISHED


def steps(task: int, now: TaskStatus, wanted: TaskStatus) -> tuple[Command, ...]:
    """Return what brings a task from one state into another."""
    if wanted == "pending":
        return (Return(task),) if now == "in_progress" else (Reopen(task),)
    first = _first(task, now, wanted)
    if wanted == "completed":
        return (*first, Complete(task, PERSON, amend=True))
    if wanted == "in_progress":
        return (*first, Start(PERSON, task))
    if wanted == "skipped":
        return (*first, Skip(task))
    return (*first, Fail(task, PERSON, "", retry=False))


def _first(task: int, now: TaskStatus, wanted: TaskStatus) -> tuple[Command, ...]:
    """Return what has to be done before: only what has not ended can end."""
    if now in FINISHED or (now == "failed" and wanted != "skipped"):
        return (Reopen(task),)
    return ()
