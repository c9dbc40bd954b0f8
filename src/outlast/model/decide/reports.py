"""Reports of agents, and what is decided about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import InvalidArgument
from outlast.model import changes as c
from outlast.model import commands
from outlast.model.decide.attempts import check_attempt_id
from outlast.model.limits import (
    LARGEST_ID,
    check_choice,
    check_flag,
    check_length,
    check_name,
    check_number,
    check_text,
    check_tuple,
)
from outlast.model.model import (
    DECISIONS,
    FILES_KEPT,
    REPORT_STATUSES,
    AgentSession,
    Footprint,
    Task,
    TaskDecision,
    TaskReport,
)

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.state import PlanState

REPORT_CHARACTERS: Final = 20_000  # of each section
DENIALS_KEPT: Final = 20
DENIAL_CHARACTERS: Final = 1_000
_SESSION_CHARACTERS: Final = 200
_COMMIT_CHARACTERS: Final = 64
_SECTIONS: Final = ("results", "pitfalls", "next_steps", "late")


def note_report(
    state: PlanState, command: commands.NoteReport, now: datetime
) -> tuple[c.Change, ...]:
    """Record a report about an attempt of a task that is in the plan."""
    agent, session = check_name(command.agent, "agent"), _check_session(command.session)
    check_choice(command.status, "status", REPORT_STATUSES)
    sections = {
        name: check_length(getattr(command, name), name, REPORT_CHARACTERS) for name in _SECTIONS
    }
    check_tuple(command.denied, "denied", DENIALS_KEPT)
    denied = tuple(check_length(call, "denied", DENIAL_CHARACTERS) for call in command.denied)
    task = _task_of(state, command.attempt)
    at = time_since_start(task, now)
    report = TaskReport(
        command.attempt, agent, command.status, at, session, **sections, denied=denied
    )
    return (c.ReportNoted(task.id, report),)


def time_since_start(task: Task, now: datetime) -> datetime:
    """Return the time of what happens to a task: not before its start, if a clock was set back.

    A report or a question from before the start would belong to an earlier try.
    """
    return now if task.started_at is None else max(now, task.started_at)


def note_decision(
    state: PlanState, command: commands.NoteDecision, now: datetime
) -> tuple[c.Change, ...]:
    """Record a decision about an attempt of a task that is in the plan."""
    check_choice(command.decision, "decision", DECISIONS)
    reason, advice = check_text(command.reason, "reason"), check_text(command.advice, "advice")
    by, task = check_name(command.by, "by"), _task_of(state, command.attempt)
    decision = TaskDecision(task.id, command.attempt, command.decision, reason, now, by, advice)
    return (c.DecisionNoted(decision),)


def note_session(
    state: PlanState, command: commands.NoteSession, _now: datetime
) -> tuple[c.Change, ...]:
    """Record the session of an attempt of a task that is in the plan."""
    session = _check_session(check_name(command.session, "session"))
    used = AgentSession(check_name(command.agent, "agent"), command.attempt)
    _task_of(state, command.attempt)
    return () if state.ledger.sessions.get(session) == used else (c.SessionBegan(session, used),)


def note_footprint(
    state: PlanState, command: commands.NoteFootprint, now: datetime
) -> tuple[c.Change, ...]:
    """Record what an attempt of a task that is in the plan left in the workspace."""
    before = check_length(command.before, "before", _COMMIT_CHARACTERS)
    after = check_length(command.after, "after", _COMMIT_CHARACTERS)
    check_tuple(command.outside, "outside")
    outside = tuple(check_name(path, "outside") for path in command.outside[:FILES_KEPT])
    count = max(check_number(command.count, "count", 0, LARGEST_ID), len(command.outside))
    task, shared = _task_of(state, command.attempt), check_flag(command.shared, "shared")
    footprint = Footprint(command.attempt, now, before, after, outside, count, shared)
    return (c.FootprintNoted(task.id, footprint),)


def end_session(
    state: PlanState, command: commands.EndSession, _now: datetime
) -> tuple[c.Change, ...]:
    """End a session that is open."""
    session = check_name(command.session, "session")
    return (c.SessionEnded(session),) if session in state.ledger.sessions else ()


def _check_session(session: str) -> str:
    return check_length(session, "session", _SESSION_CHARACTERS)


def _task_of(state: PlanState, attempt: str) -> Task:
    """Return the task of an attempt; the plan itself has none."""
    number = int(check_attempt_id(attempt).partition("#")[0])
    if not number:
        raise InvalidArgument("not_an_attempt_id", argument="attempt")
    return state.task(number)
