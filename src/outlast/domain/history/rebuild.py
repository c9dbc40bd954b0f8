"""Commits that make up for lost ones: a plan told as it stands, numbers that are passed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain import changes as c
from outlast.domain import note_changes as n
from outlast.domain.apply import fold
from outlast.domain.counters import EMPTY, SILENCE
from outlast.domain.decide.tasks import additions
from outlast.domain.loop_changes import LoopRetold

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from outlast.domain.state import PlanState

AUTHOR: Final = "outlast"
_MARGIN: Final = 1_000_000  # more than were ever lost, far less than there is room for


def told(state: PlanState, changes: Sequence[c.Change], at: datetime) -> c.Commit:
    """Apply changes that nobody but Outlast makes, and return their commit."""
    fold(state, changes, state.revision + 1, at)
    return c.Commit(state.revision, at, AUTHOR, tuple(changes))


def retell(state: PlanState, plan: PlanState) -> list[c.Commit]:
    """Turn a state into a plan that is known from elsewhere; return the commits that do so.

    The revision goes on from that of the state. No number of an attempt or a lease is lower.
    """
    at, ledger = plan.updated_at, plan.ledger
    last = max(state.ledger.last_token, ledger.last_token)
    tasks = additions(tuple(plan.in_order()), ())
    made = [told(state, (_creation(plan), *tasks, *_done_again(plan)), at)]
    for attempt in ledger.attempts.values():
        began = c.AttemptBegan(
            attempt.id,
            attempt.task,
            attempt.kind,
            attempt.what,
            attempt.digest,
            attempt.token,
            attempt.reserve,
        )
        made.append(told(state, (began,), attempt.at))
    for task, known in ledger.proofs.items():
        for given in known.confirmed:
            confirmed = n.CheckConfirmed(task, given.check, given.by)
            made.append(told(state, (confirmed,), given.at))
    counted = c.IterationCounted(plan.iteration_count)
    noted = (*_noted_again(plan), *_proved_again(plan), *_counted_again(plan))
    passed = c.NumbersPassed(ledger.attempts_begun, last, plan.notes.noted, plan.notes.logged)
    made.append(told(state, (counted, *_held_again(state, plan), *noted, passed), at))
    return made


def _done_again(plan: PlanState) -> tuple[c.Change, ...]:
    return tuple(
        change
        for task, attempts in plan.ledger.done.items()
        for done in attempts
        for change in (
            c.AttemptBegan(done.id, task, done.kind, done.what),
            c.AttemptEnded(done.id, "done", done.settled_by),
        )
    )


def _held_again(state: PlanState, plan: PlanState) -> tuple[c.Change, ...]:
    held = plan.ledger.leases
    gone = (c.LeaseEnded(task) for task in state.ledger.leases if task not in held)
    leased = (
        c.TaskLeased(lease.task, lease.holder, lease.token, lease.until) for lease in held.values()
    )
    return (*gone, *leased)


def _proved_again(plan: PlanState) -> tuple[c.Change, ...]:
    known = plan.ledger.proofs.values()
    proofs = (proof for one in known for proof in (one.baseline, one.latest) if proof)
    marked = (n.PhaseMarked(phase, status) for phase, status in plan.ledger.marked.items())
    return (*map(n.ProofNoted, proofs), *marked)


def _noted_again(plan: PlanState) -> tuple[c.Change, ...]:
    notes = plan.notes
    findings = map(n.FindingNoted, notes.findings.values())
    errors = (n.ErrorNoted(key, error) for key, error in notes.errors.items())
    delivered = (n.Delivered(notes.deliverable),) if notes.deliverable else ()
    prose = (n.ProseKept(notes.prose),) if notes.prose else ()
    return (*findings, *errors, *delivered, *prose)


def _counted_again(plan: PlanState) -> tuple[c.Change, ...]:
    ledger = plan.ledger
    told = LoopRetold(ledger.books, ledger.talk, ledger.struck)
    return () if told == LoopRetold(EMPTY, SILENCE) else (told,)


def pass_over(state: PlanState, at: datetime) -> c.Commit:
    """Return the commit after which no lease or attempt is numbered like one that was lost.

    Who was given such a number may still come and show it. Nobody knows how many there were.
    """
    attempts, token = state.ledger.attempts_begun + _MARGIN, state.ledger.last_token + _MARGIN
    return told(state, (c.NumbersPassed(attempts, token),), at)


def _creation(plan: PlanState) -> c.PlanCreated:
    return c.PlanCreated(
        id=plan.id,
        goal=plan.goal,
        created_at=plan.created_at,
        updated_at=plan.updated_at,
        key=plan.key,
        title=plan.title,
        order=plan.order,
        phases=tuple(plan.phases.values()),
        next_id=plan.next_id,
        begun=plan.begun,
        hold=plan.hold,
        iteration_count=plan.iteration_count,
        extra=plan.extra,
    )
