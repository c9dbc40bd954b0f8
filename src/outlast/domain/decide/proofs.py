"""Proof beside the tasks: what their checks showed, and people's words on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.decide.evidence import check_proof, require_person
from outlast.domain.decide.fields import check_check
from outlast.domain.decide.work import require_unfinished
from outlast.domain.limits import check_ref
from outlast.domain.note_changes import CheckConfirmed, ProofNoted
from outlast.errors import InvalidArgument

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.note_commands import Confirm, NoteProof
    from outlast.domain.state import PlanState


def note(state: PlanState, command: NoteProof, _now: datetime) -> tuple[Change, ...]:
    """Keep a proof of a task that there is."""
    proof = check_proof(command.proof)
    state.task(proof.task)
    return (ProofNoted(proof),)


def confirm(state: PlanState, command: Confirm, _now: datetime) -> tuple[Change, ...]:
    """Keep a person's word on a check of an unfinished task that asks for one."""
    check_ref(command.task, "task_id")
    check_check(command.check, "check")
    require_person(command.actor, "actor")
    task = state.task(command.task)
    if command.check.kind != "person" or command.check not in task.checks:
        raise InvalidArgument("not_a_person_check", argument="check", task_id=task.id)
    require_unfinished(task)
    known = state.ledger.proofs.get(task.id)
    if known and any(given.check == command.check for given in known.confirmed):
        return ()
    return (CheckConfirmed(task.id, command.check, command.actor),)
