"""Merge the status of a task: what box and icon ask for, and the commands that set it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.model.commands import Complete, Fail, Reopen, Return, Skip, Start
from outlast.model.model import FINISHED, PERSON

if TYPE_CHECKING:
    from outlast.documents.markdown.document import Item
    from outlast.model.commands import Command
    from outlast.model.model import TaskStatus


def wanted_status(item: Item, base: TaskStatus) -> TaskStatus | None:
    """Return the status that a line asks for, if the file showed `base` before.

    If box and icon disagree, the one that differs from the base counts; None if both differ.
    """
    box = "completed" if base == "completed" else "pending"
    if item.box in (None, box):
        return item.icon or base
    if item.icon in (None, base):
        return item.box
    agrees = item.icon == item.box or (item.box == "pending" and item.icon != "completed")
    return item.icon if agrees else None


def is_reopened(base: TaskStatus, wanted: TaskStatus | None) -> bool:
    """Return whether a finished task would become unfinished."""
    return base in FINISHED and wanted is not None and wanted not in FINISHED


def status_commands(task: int, now: TaskStatus, wanted: TaskStatus) -> tuple[Command, ...]:
    """Return the commands that bring a task from one status to another."""
    if wanted == "pending":
        return (Return(task),) if now == "in_progress" else (Reopen(task),)
    first = _preparation(task, now, wanted)
    if wanted == "completed":
        return (*first, Complete(task, PERSON, amend=True))
    if wanted == "in_progress":
        return (*first, Start(PERSON, task))
    if wanted == "skipped":
        return (*first, Skip(task))
    return (*first, Fail(task, PERSON, "", retry=False))


def _preparation(task: int, now: TaskStatus, wanted: TaskStatus) -> tuple[Command, ...]:
    """Reopen a task that has ended, so that it can end again."""
    if now in FINISHED or (now == "failed" and wanted != "skipped"):
        return (Reopen(task),)
    return ()
