"""What an edit may do whose author is unknown: as much as an agent, not what only people may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from outlast.domain.changes import TaskCompleted, TaskFailed, TaskSkipped
from outlast.domain.commands import Complete, EditPlan, EditTask, RemoveTask, Reopen, Skip
from outlast.domain.decide.tasks import RULES
from outlast.domain.model import PERSON, UNATTRIBUTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.domain.commands import Command
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.ports.store import Store


def drop_rights(command: Command) -> Command:
    """Return a command of a person as one of nobody, without what only people may use."""
    dropped: dict[str, Any] = {}
    if getattr(command, "actor", "") == PERSON:
        dropped["actor"] = UNATTRIBUTED
    if getattr(command, "amend", False):
        dropped["amend"] = False
    return replace(command, **dropped) if dropped else command


def is_for_people(store: Store, commands: Sequence[Command]) -> bool:
    """Return whether only a person may give one of these commands.

    These change the goal, confirm a check of a person, change the checks of a task that has some,
    skip or remove such a task, or reopen what a person finished.
    """
    return store.read(
        lambda state: any(_is_for_people(state, command) for command in commands)
    ) or any(isinstance(command, Reopen) and _is_decided(store, command) for command in commands)


def is_locked(store: Store, commands: Sequence[Command]) -> bool:
    """Return whether nobody may give one of these: the checks of a task in progress stay."""

    def changes_locked(state: PlanState, command: Command) -> bool:
        if not isinstance(command, EditTask) or not _changes_rules(command):
            return False
        task = state.find(command.task)
        return task is not None and task.status == "in_progress"

    return store.read(lambda state: any(changes_locked(state, command) for command in commands))


def _changes_rules(command: EditTask) -> bool:
    return any(getattr(command, field) is not None for field in RULES)


def _is_for_people(state: PlanState, command: Command) -> bool:
    if isinstance(command, EditPlan):
        return command.goal is not None
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


def _is_decided(store: Store, command: Reopen) -> bool:
    """Return whether a person finished the task that a command reopens."""
    task = store.read(lambda state: state.task(command.task).id)
    ends = (TaskCompleted, TaskSkipped, TaskFailed)
    authors = (
        commit.author
        for commit in reversed(store.commits_since(0))
        if any(isinstance(change, ends) and change.id == task for change in commit.changes)
    )
    return next(authors, "") == PERSON
