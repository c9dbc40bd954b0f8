"""What a proof must look like, and what it must show before a task with checks is done (X2)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from outlast.domain import changes as c
from outlast.domain.decide.fields import check_check
from outlast.domain.limits import (
    LARGEST_ID,
    LARGEST_LIST,
    check_choice,
    check_flag,
    check_length,
    check_number,
    check_tuple,
    wrong_type,
)
from outlast.domain.model import PERSON, SEEN, STAGES, Evidence, Proof
from outlast.domain.note_changes import ProofNoted
from outlast.errors import CheckFailed, InvalidArgument, ProofNeeded, Tampered

if TYPE_CHECKING:
    from outlast.domain.commands import Complete
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState

_SAYS: Final = 500
_TAIL: Final = 2_000
_DIGEST: Final = 200


def proved(state: PlanState, command: Complete, task: Task) -> tuple[c.Change, ...]:
    """Return the completion of a task with checks, behind the proof for it."""
    proof = command.proof
    noted = () if proof is None else (ProofNoted(proof),)
    if command.force:
        return (*noted, c.TaskCompleted(task.id, command.result, "unproved"))
    if proof is None:
        rules = [check.rule for check in task.checks]
        raise ProofNeeded("proof_needed", task_id=task.id, checks=rules)
    _require_good(state, task, proof)
    return (*noted, c.TaskCompleted(task.id, command.result, "proved"))


def _require_good(state: PlanState, task: Task, proof: Proof) -> None:
    shown = tuple(evidence.check for evidence in proof.evidence)
    if (proof.task, proof.stage, shown) != (task.id, "done", task.checks):
        raise ProofNeeded("proof_of_other_checks", task_id=task.id)
    failed = [
        {"kind": one.check.kind, "rule": one.check.rule, "says": one.says, "tail": one.tail}
        for one in proof.evidence
        if not one.ok
    ]
    if failed:
        shows = [f"{one['rule']}: {one['says']}" if one["says"] else one["rule"] for one in failed]
        raise CheckFailed("check_failed", task_id=task.id, failed=failed, shows=shows)
    _refuse_tampered(state, task, proof)


def _refuse_tampered(state: PlanState, task: Task, proof: Proof) -> None:
    """Refuse a proof if what it rests on is not what it was before the attempt."""
    known = state.ledger.proofs.get(task.id)
    before = known.baseline if known else None
    if before is None:
        return
    if before.protected != proof.protected:
        raise Tampered("tampered", task_id=task.id, what="protect")
    checks = tuple(evidence.check for evidence in before.evidence)
    if before.stage == "before" and checks != task.checks:
        raise Tampered("tampered", task_id=task.id, what="checks")


def require_person(actor: str, argument: str) -> None:
    """Refuse what only a person may say to everybody else."""
    if actor != PERSON:
        raise InvalidArgument("only_a_person", argument=argument, person=PERSON)


def check_proof(proof: object) -> Proof:
    """Refuse what is no proof, or one that says more than is kept."""
    if type(proof) is not Proof:
        raise wrong_type("proof", "Proof", proof)
    check_number(proof.task, "proof.task", 1, LARGEST_ID)
    check_choice(proof.stage, "proof.stage", STAGES)
    if not isinstance(proof.at, datetime):
        raise wrong_type("proof.at", "datetime", proof.at)
    for field in ("protected", "files", "seal"):
        check_length(getattr(proof, field), f"proof.{field}", _DIGEST)
    check_tuple(proof.evidence, "proof.evidence", LARGEST_LIST)
    for evidence in proof.evidence:
        _check_evidence(evidence)
    return proof


def _check_evidence(evidence: Evidence) -> None:
    where = "proof.evidence"
    if type(evidence) is not Evidence:
        raise wrong_type(where, "Evidence", evidence)
    check_check(evidence.check, f"{where}.check")
    check_flag(evidence.ok, f"{where}.ok")
    check_length(evidence.says, f"{where}.says", _SAYS)
    check_length(evidence.tail, f"{where}.tail", _TAIL)
    check_length(evidence.digest, f"{where}.digest", _DIGEST)
    check_choice(evidence.seen, f"{where}.seen", SEEN)
    if evidence.code is not None:
        check_number(evidence.code, f"{where}.code", -LARGEST_ID, LARGEST_ID)
