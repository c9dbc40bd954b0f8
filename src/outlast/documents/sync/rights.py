"""What an edit may do whose author is unknown: as much as an agent, not what only people may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.model.changes import TaskCompleted, TaskFailed, TaskSkipped
from outlast.model.commands import Complete, EditPlan, EditTask, RemoveTask, Reopen, Skip
from outlast.model.decide.tasks import RULES
from outlast.model.model import PERSON, UNATTRIBUTED

_ENDS: Final = (TaskCompleted, TaskSkipped, TaskFailed)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from outlast.model.commands import Command
    from outlast.model.model import Task
    from outlast.model.state import PlanState
    from outlast.store.port import Store


def drop_rights(command: Command) -> Command:
    """Return a command of a person as one of nobody, without what only people may use."""
    dropped: dict[str, Any] = {}
    if getattr(command, "actor", "") == PERSON:
        dropped["actor"] = UNATTRIBUTED
    if getattr(command, "amend", False):
        dropped["amend"] = False
    return replace(command, **dropped) if dropped else command


def is_for_people(state: PlanState, commands: Sequence[Command], decided: Collection[int]) -> bool:
    """Return whether only a person may give one of these commands.

    These change the goal, confirm a check of a person, change the checks of a task that has some,
    skip or remove such a task, or reopen what a person finished (`decided`).
    """
    return any(_is_for_people(state, command, decided) for command in commands)


def is_locked(state: PlanState, commands: Sequence[Command]) -> bool:
    """Return whether nobody may give one of these: the checks of a task in progress stay."""

    def changes_locked(command: Command) -> bool:
        if not isinstance(command, EditTask) or not _changes_rules(command):
            return False
        task = state.find(command.task)
        return task is not None and task.status == "in_progress"

    return any(map(changes_locked, commands))


def find_decided(store: Store, tasks: Iterable[int]) -> set[int]:
    """Return which of some finished tasks a person finished."""
    unknown, decided = {*tasks}, set[int]()
    for commit in reversed(store.history()):
        if not unknown:
            break
        ended = {change.id for change in commit.changes if isinstance(change, _ENDS)} & unknown
        unknown -= ended
        if commit.author == PERSON:
            decided |= ended
    return decided


def _changes_rules(command: EditTask) -> bool:
    return any(getattr(command, field) is not None for field in RULES)


def _is_for_people(state: PlanState, command: Command, decided: Collection[int]) -> bool:
    if isinstance(command, EditPlan):
        return command.goal is not None
    if isinstance(command, Reopen):
        return command.task in decided
    if not isinstance(command, EditTask | Complete | RemoveTask | Skip):
        return False
    task = state.find(command.task)
    if task is None or isinstance(command, Complete):
        return task is not None and _has_open_question(state, task)
    has_rules = bool(task.checks or task.protect or task.id in state.ledger.proofs)
    if not isinstance(command, EditTask):
        return has_rules
    return _changes_rules(command) and has_rules and task.status != "in_progress"


def _has_open_question(state: PlanState, task: Task) -> bool:
    """Return whether a check of the task still waits for a person's word."""
    proofs = state.ledger.proofs.get(task.id)
    confirmed = {given.check for given in proofs.confirmed} if proofs else set()
    return any(check.kind == "person" and check not in confirmed for check in task.checks)
