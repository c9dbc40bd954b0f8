"""Attempts: record what is going to be tried before it starts, and its outcome once.

An attempt stays open until it is ended, even if its task was returned or completed meanwhile. Its
outcome is unknown then and has to be settled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import InvalidArgument, InvalidStatus
from outlast.model import changes as c
from outlast.model.budget import NOTHING, Spend, cap_spend
from outlast.model.decide.budget import check_spend, refuse_overrun
from outlast.model.decide.claims import check_fence, check_fence_by_id, refuse_claimed
from outlast.model.decide.preconditions import require_active, require_in_progress
from outlast.model.limits import (
    RESULT_CHARACTERS,
    check_choice,
    check_length,
    check_name,
    check_ref,
    check_text,
    wrong_type_error,
)
from outlast.model.model import OUTCOMES, PLAN, SETTLED_BY, Attempt

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.commands import BeginAttempt, EndAttempt
    from outlast.model.state import PlanState

_DIGEST_CHARACTERS: Final = 200
_PARTS: Final = 2  # of an id
_DIGITS: Final = 16  # of a part


def begin(state: PlanState, command: BeginAttempt, now: datetime) -> tuple[c.Change, ...]:
    """Record an attempt for a task in progress, or for the plan itself."""
    kind, what = check_name(command.kind, "kind"), check_name(command.what, "what")
    digest = check_length(command.digest, "digest", _DIGEST_CHARACTERS)
    reserve = check_spend(command.reserve, "reserve")
    task_id = _check_scope(state, command, now)
    if reserve != NOTHING and state.ledger.counters.budgets:
        refuse_overrun(state, reserve, task_id)
    number = state.ledger.attempts_begun + 1
    attempt = f"{task_id}#{number}"
    return (c.AttemptBegan(attempt, task_id, kind, what, digest, command.token or 0, reserve),)


def end(state: PlanState, command: EndAttempt, now: datetime) -> tuple[c.Change, ...]:
    """Record the outcome of an attempt, once."""
    attempt_id = check_attempt_id(command.attempt)
    check_choice(command.outcome, "outcome", OUTCOMES)
    check_choice(command.settled_by, "settled_by", SETTLED_BY)
    note = check_text(command.note, "note")
    said = check_length(command.said, "said", RESULT_CHARACTERS)
    spent = None if command.spent is None else check_spend(command.spent, "spent")
    planning = check_spend(command.planning, "planning")
    check_fence_by_id(state, int(attempt_id.partition("#")[0]), command.token, now)
    attempt = state.ledger.attempts.get(attempt_id)
    if attempt is None:
        raise InvalidStatus("attempt_not_open", attempt=attempt_id)
    if command.token is None:
        _refuse_running(state, attempt, now)
    cost = worst_cost(attempt, now) if spent is None else spent
    return (
        c.AttemptEnded(
            attempt_id,
            command.outcome,
            command.settled_by,
            note,
            cost,
            cap_spend(planning, cost),
            said,
        ),
    )


def worst_cost(attempt: Attempt, now: datetime) -> Spend:
    """Return the cost of an attempt whose real cost is unknown: everything reserved for it.

    Its time is at most the time since it began, unless the clock was set back.
    """
    passed, reserved = (now - attempt.at).total_seconds(), attempt.reserve.time
    return replace(attempt.reserve, time=reserved if passed < 0 else min(reserved, passed))


def _refuse_running(state: PlanState, attempt: Attempt, now: datetime) -> None:
    """Refuse to end an attempt that the plan's runner may still be executing."""
    runner = state.ledger.leases.get(PLAN)
    if runner is not None and runner.token == attempt.token:
        refuse_claimed(state, PLAN, now)


def _check_scope(state: PlanState, command: BeginAttempt, now: datetime) -> int:
    if command.task is None:
        check_fence_by_id(state, PLAN, command.token, now)
        return PLAN
    check_ref(command.task, "task")
    check_fence(state, command.task, command.token, now)
    task = state.task(command.task)
    if state.hold:  # an answer beside a paused plan is an attempt of the plan itself
        require_active(state)
    require_in_progress(task)
    return task.id


def check_attempt_id(value: object) -> str:
    """Return the id of an attempt, `<task>#<number>`; refuse anything else."""
    if type(value) is not str:
        raise wrong_type_error("attempt", "str", value)
    parts = value.split("#")
    if len(parts) != _PARTS or not all(map(_is_number, parts)):
        raise InvalidArgument("not_an_attempt_id", argument="attempt")
    return value


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS
