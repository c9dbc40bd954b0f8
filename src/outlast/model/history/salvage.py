"""Salvage commits that follow a gap in the journal: apply what still fits the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.model import changes as c
from outlast.model.changes.facts import attempt_number
from outlast.model.model import FINISHED

if TYPE_CHECKING:
    from outlast.model.state import PlanState

_WORK: Final = (c.TaskStarted, c.TaskCompleted, c.TaskRetried, c.TaskFailed, c.TaskSkipped)


def salvage(state: PlanState, commit: c.Commit, revisions: dict[int, int]) -> c.Commit | None:
    """Apply the changes of a commit that fit, and return them under the next revision.

    None if no change fits. `revisions` maps old revisions to new ones; this commit is added to it.
    """
    applied: list[c.Change] = []
    before = state.updated_at
    state.updated_at = commit.at
    for change_read in commit.changes:
        change = _adapt(state, change_read, revisions)
        for step in (*_preceding_changes(state, change), change):
            if is_applicable(state, step):
                step.apply(state, commit.at)
                applied.append(step)
    if all(isinstance(change, c.Undone) for change in applied) and len(applied) < len(
        commit.changes
    ):
        state.updated_at = before
        return None
    if applied:
        state.revision += 1
        revisions[commit.revision] = state.revision
    else:
        state.updated_at = before
    return replace(commit, revision=state.revision, changes=tuple(applied))


def is_applicable(state: PlanState, change: c.Change) -> bool:
    """Return whether a change fits the plan as it is; a plan can be created at any time."""
    return (bool(state.id) or isinstance(change, c.PlanCreated)) and change.is_applicable(state)


# How a change is adapted, and what must precede it


def _adapt(state: PlanState, change: c.Change, revisions: dict[int, int]) -> c.Change:
    if isinstance(change, c.Undone):
        return c.Undone(revisions.get(change.revision, 0))
    if isinstance(change, c.TaskAdded) and not change.has_valid_place(state):
        return c.TaskAdded(change.task)
    if isinstance(change, c.CompletionConfirmed):
        completed = c.TaskCompleted(change.id, change.result, change.how)
        return completed if completed.is_applicable(state) else change  # the assumption was lost
    return change


def _preceding_changes(state: PlanState, change: c.Change) -> tuple[c.Change, ...]:
    """Return the changes that must have come before a change, since it happened."""
    if isinstance(change, c.AttemptBegan):
        before = attempt_number(change.id) - 1
        return (c.IdsSkipped(before, 0),) if before > state.ledger.attempts_begun else ()
    if not isinstance(change, _WORK) or change.id not in state.tasks:
        return ()
    status = state.tasks[change.id].status
    if isinstance(change, c.TaskSkipped):
        return (c.TaskReopened(change.id),) if status in FINISHED else ()
    begun = () if state.begun else (c.PlanBegun(),)
    if status in FINISHED or status == "failed":
        return (*begun, c.TaskReopened(change.id))
    if status == "in_progress" and isinstance(change, c.TaskStarted):
        return (*begun, c.TaskReturned(change.id))
    return begun
