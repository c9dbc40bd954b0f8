"""The undo log of a state: what changes have overwritten, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.model.model import Phase, Task

    TaskStep = tuple[int, Task | None, int | None]
    PhaseStep = tuple[dict[str, Phase], list[int]]

K = TypeVar("K")
V = TypeVar("V")


class UndoLog:
    """Holds what a state is about to overwrite: tasks and phases, and entries of its tables.

    A step is a task with the one before it if its place changes, or the phases with the list order.
    An entry is a function that restores it, and its arguments.
    """

    __slots__ = ("entries", "steps")

    def __init__(self) -> None:
        """Start without anything to undo."""
        self.steps: list[TaskStep | PhaseStep] = []
        self.entries: list[tuple[Callable[..., object], tuple[Any, ...]]] = []

    def save_task(self, task_id: int, old: Task | None, after: int | None = None) -> None:
        """Save a task, None if it is new, and the task before it if its place changes."""
        self.steps.append((task_id, old, after))

    def save_phases(self, phases: dict[str, Phase], order: list[int]) -> None:
        """Save the phases and the list order, which new phases do not modify but replace."""
        self.steps.append((phases, order))

    def save_entry(self, table: dict[K, V], key: K) -> None:
        """Save an entry of a table that is about to be written."""
        if key in table:
            self.entries.append((table.__setitem__, (key, table[key])))
        else:
            self.entries.append((table.pop, (key, None)))

    def extend(self, later: UndoLog) -> None:
        """Add what a later log holds."""
        self.steps += later.steps
        self.entries += later.entries

    def save_table(self, table: dict[K, V]) -> None:
        """Save a table that is about to lose an entry, in its order."""
        self.entries.append((_refill, (table, dict(table))))


def _refill(table: dict[K, V], entries: dict[K, V]) -> None:
    table.clear()
    table.update(entries)
