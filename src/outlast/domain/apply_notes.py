"""How what is noted beside the tasks alters the fold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.domain import note_changes as c
from outlast.domain.ledger import Proving
from outlast.domain.model import Confirmation

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.state import PlanState


def _proof_noted(state: PlanState, change: c.ProofNoted, _at: datetime) -> None:
    proof, proofs = change.proof, state.ledger.proofs
    old = proofs.get(proof.task, Proving())
    if proof.stage in ("set", "before"):
        proofs[proof.task] = replace(old, baseline=proof)
    else:
        proofs[proof.task] = replace(old, latest=proof)


def _check_confirmed(state: PlanState, change: c.CheckConfirmed, at: datetime) -> None:
    proofs = state.ledger.proofs
    old = proofs.get(change.id, Proving())
    others = (given for given in old.confirmed if given.check != change.check)
    given = Confirmation(change.check, change.by, at)
    proofs[change.id] = replace(old, confirmed=(*others, given))


def _phase_marked(state: PlanState, change: c.PhaseMarked, _at: datetime) -> None:
    if change.status is None:
        state.ledger.marked.pop(change.id, None)
    else:
        state.ledger.marked[change.id] = change.status


def _finding_noted(state: PlanState, change: c.FindingNoted, _at: datetime) -> None:
    notes, finding = state.notes, change.finding
    notes.findings[finding.id] = finding
    notes.noted = max(notes.noted, finding.id)


def _finding_forgotten(state: PlanState, change: c.FindingForgotten, _at: datetime) -> None:
    del state.notes.findings[change.id]


def _error_noted(state: PlanState, change: c.ErrorNoted, _at: datetime) -> None:
    notes = state.notes
    notes.errors[change.key] = change.error
    notes.logged = max(notes.logged, change.error.id)


def _errors_forgotten(state: PlanState, change: c.ErrorsForgotten, _at: datetime) -> None:
    for key in change.keys:
        state.notes.errors.pop(key, None)


def _delivered(state: PlanState, change: c.Delivered, _at: datetime) -> None:
    state.notes.deliverable = change.text


def _prose_kept(state: PlanState, change: c.ProseKept, _at: datetime) -> None:
    state.notes.prose = change.prose


APPLY_NOTES: Final[dict[type[Change], Callable[[PlanState, Any, datetime], None]]] = {
    c.ProofNoted: _proof_noted,
    c.CheckConfirmed: _check_confirmed,
    c.PhaseMarked: _phase_marked,
    c.FindingNoted: _finding_noted,
    c.FindingForgotten: _finding_forgotten,
    c.ErrorNoted: _error_noted,
    c.ErrorsForgotten: _errors_forgotten,
    c.Delivered: _delivered,
    c.ProseKept: _prose_kept,
}
