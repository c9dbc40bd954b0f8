"""What the journal tells about one task: its history, attempts, findings and errors."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from outlast.documents.change_words import describe, describe_changes
from outlast.language import clauses
from outlast.model import changes as c
from outlast.model.budget import NOTHING, Spend
from outlast.model.changes import Commit
from outlast.model.ledger import THINK
from outlast.model.model import Outcome, SettledBy
from outlast.plan.tools.call_record import describe_recorded_call

if TYPE_CHECKING:
    from outlast.language import Language
    from outlast.model.changes import Change
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan


class RecordedAttempt(Struct, frozen=True):
    """A call of a tool, or of a model if `what` is empty; without an `outcome` it is open."""

    id: str
    what: str
    at: datetime
    outcome: Outcome | None = None
    settled_by: SettledBy = ""
    note: str = ""
    spent: Spend = NOTHING


class TaskRecord(Struct):
    """The commits that changed a task, in words; its attempts; what was noted while it was current.

    Findings and errors are by id, with how often they were noted.
    """

    events: list[tuple[Commit, str]] = []
    attempts: dict[str, RecordedAttempt] = {}
    findings: dict[int, int] = {}
    errors: dict[int, int] = {}


def read_task_record(plan: Plan, task_id: int, language: Language) -> TaskRecord:
    """Read the journal of a plan, oldest commit first."""
    record = TaskRecord()
    commits = plan.core.store.history()
    first = next(iter(commits), None)
    state = plan.core.store.state_before(first.revision if first else 1)
    for commit in commits:
        if any(isinstance(change, c.PlanCreated) for change in commit.changes):
            record = TaskRecord()  # the tasks of an earlier plan have the same numbers
        was_current = _is_current(state, task_id)
        words = describe_changes(
            commit, state, lambda change: describe(change, state, language, subject=task_id)
        )
        if words:
            record.events.append((commit, clauses(words, language)))
        is_current = was_current or _is_current(state, task_id)
        for change in commit.changes:
            _note_attempt(record, change, commit, task_id)
            if is_current:
                _note_notes(record, change)
    return record


def _is_current(state: PlanState, task_id: int) -> bool:
    task = state.tasks.get(task_id)
    return task is not None and task.status == "in_progress"


def _note_attempt(record: TaskRecord, change: Change, commit: Commit, task_id: int) -> None:
    if isinstance(change, c.AttemptBegan) and change.task == task_id:
        what = "" if change.kind == THINK else describe_recorded_call(change.what)
        record.attempts[change.id] = RecordedAttempt(change.id, what, commit.at)
    elif isinstance(change, c.AttemptEnded) and change.id in record.attempts:
        record.attempts[change.id] = replace(
            record.attempts[change.id],
            outcome=change.outcome,
            settled_by=change.settled_by,
            note=change.note,
            spent=change.spent,
        )


def _note_notes(record: TaskRecord, change: Change) -> None:
    if isinstance(change, c.FindingNoted):
        number = change.finding.id
        record.findings[number] = record.findings.get(number, 0) + 1
    elif isinstance(change, c.ErrorNoted):
        number = change.error.id
        record.errors[number] = record.errors.get(number, 0) + 1
