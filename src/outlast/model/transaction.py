"""A transaction: the changes of several commands, which are kept or rolled back together."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.model.state import PlanState, restore_tasks
from outlast.model.undo_log import UndoLog

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.model.model import Task

_FIELDS: Final = (
    "begun",
    "goal",
    "hold",
    "iteration_count",
    "last_completed_id",
    "last_run",
    "needs_approval",
    "next_id",
    "order",
    "phase_positions",
    "phases",
    "revision",
    "title",
    "updated_at",
)
_read_fields: Final[Callable[[PlanState], tuple[Any, ...]]] = attrgetter(*_FIELDS)


class Transaction:
    """Keeps or undoes what changes have done to a state since it began.

    One that begins inside another is rolled back alone; what it keeps, the outer one decides on.
    After a refusal, tasks and phases are set back by the operations that keep the indexes up to
    date. After an interrupt, which may have left an index half updated, their values are set back
    and all indexes are built again.
    """

    __slots__ = ("_fields", "_ledger", "_log", "_notes", "_outer", "_state")

    def __init__(self, state: PlanState) -> None:
        """Save the single fields; the log saves what is large piece by piece."""
        self._state = state
        self._fields = _read_fields(state)
        self._ledger, self._notes = replace(state.ledger), replace(state.notes)  # share the tables
        self._log = UndoLog()
        self._outer = state.undo_log

    def begin(self) -> None:
        """Let the state log what changes overwrite."""
        self._state.undo_log = self._log

    def commit(self) -> None:
        """Keep the changes."""
        self._state.undo_log = self._outer
        if self._outer is not None:
            self._outer.extend(self._log)

    def roll_back(self, *, is_intact: bool) -> None:
        """Restore the state; `is_intact` if no change was interrupted."""
        state, log = self._state, self._log
        state.undo_log = None  # while it is restored
        for step in reversed(log.steps):
            if len(step) == 3:  # noqa: PLR2004 - a task
                (_restore_task if is_intact else _restore_value)(state, *step)
            elif is_intact:
                state.set_phases(step[0].values())
            else:
                state.graph.order = step[1]
        for restore, arguments in reversed(log.entries):
            restore(*arguments)
        state.ledger, state.notes = self._ledger, self._notes
        for field, value in zip(_FIELDS, self._fields, strict=True):
            setattr(state, field, value)
        if log.steps and not is_intact:
            tasks = list(state.tasks_in_order())
            state.clear_tasks()
            restore_tasks(state, tasks)
        state.undo_log = self._outer


def _restore_task(state: PlanState, task_id: int, old: Task | None, after: int | None) -> None:
    """Set back a task and its place, with the indexes."""
    if old is None:
        state.remove_task(state.tasks[task_id])
    elif task_id not in state.tasks:
        state.insert_task(old, after)
    elif after is not None:
        state.move_task(old, after)
    else:
        task = state.tasks[task_id]
        state.replace_task(task, old)
        state.edit_task(task, old)


def _restore_value(state: PlanState, task_id: int, old: Task | None, after: int | None) -> None:
    """Set back a task and its place, without the indexes."""
    tasks, order = state.tasks, state.graph.order
    if task_id in order and (old is None or after is not None):
        order.remove(task_id)
    if after is not None:
        order.insert(order.index(after) + 1 if after else 0, task_id)
    if old is None:
        tasks.pop(task_id, None)
    else:
        tasks[task_id] = old
