"""Proof: what a proof must contain, and what it must show before a task is done (X2)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from outlast.errors import CheckFailed, CheckUnknown, InvalidArgument, ProofNeeded, Tampered
from outlast.model import changes as c
from outlast.model.decide.preconditions import require_unfinished
from outlast.model.limits import (
    LARGEST_ID,
    LARGEST_LIST,
    check_choice,
    check_flag,
    check_length,
    check_number,
    check_ref,
    check_rule,
    check_tuple,
    wrong_type_error,
)
from outlast.model.model import BASELINE_RESULTS, PERSON, STAGES, Evidence, How, Proof, Task

if TYPE_CHECKING:
    from outlast.model.commands import Complete, Confirm, NoteProof
    from outlast.model.state import PlanState

_SAYS_CHARACTERS: Final = 500
_TAIL_CHARACTERS: Final = 2_000
_DIGEST_CHARACTERS: Final = 200


def prove(state: PlanState, command: Complete, task: Task) -> tuple[How, tuple[c.ProofNoted, ...]]:
    """Return how the completion of a task with checks is established, and the proof to record."""
    proof = command.proof
    noted = () if proof is None else (c.ProofNoted(proof),)
    if command.force:
        return "unproved", noted
    if proof is None:
        rules = [check.rule for check in task.checks]
        raise ProofNeeded("proof_needed", task_id=task.id, checks=rules)
    _require_valid_proof(state, task, proof)
    return "proved", noted


def _require_valid_proof(state: PlanState, task: Task, proof: Proof) -> None:
    proved_checks = tuple(evidence.check for evidence in proof.evidence)
    if (proof.task, proof.stage, proved_checks) != (task.id, "done", task.checks):
        raise ProofNeeded("proof_of_other_checks", task_id=task.id)
    failure = find_failure(proof)
    if failure is not None:
        raise failure
    _refuse_tampered(state, task, proof)


def find_failure(proof: Proof) -> CheckFailed | CheckUnknown | None:
    """Return what refuses a completion with this proof; None if every check is green."""
    failed = [
        {
            "kind": evidence.check.kind,
            "rule": evidence.check.rule,
            "says": evidence.says,
            "tail": evidence.tail,
        }
        for evidence in proof.evidence
        if not evidence.ok
    ]
    if not failed:
        return None
    lines = [
        f"{check['rule']}: {check['says']}" if check["says"] else check["rule"] for check in failed
    ]
    if proof.is_unknown:
        return CheckUnknown("check_unknown", task_id=proof.task, failed=failed, shows=lines)
    return CheckFailed("check_failed", task_id=proof.task, failed=failed, shows=lines)


def _refuse_tampered(state: PlanState, task: Task, proof: Proof) -> None:
    """Refuse a proof if checks or protected files differ from the baseline."""
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
    """Refuse what only a person may do, if the actor is an agent."""
    if actor != PERSON:
        raise InvalidArgument("only_a_person", argument=argument, person=PERSON)


def check_proof(proof: object) -> Proof:
    """Refuse an invalid proof, or one that exceeds a limit."""
    if type(proof) is not Proof:
        raise wrong_type_error("proof", "Proof", proof)
    check_number(proof.task, "proof.task", 1, LARGEST_ID)
    check_choice(proof.stage, "proof.stage", STAGES)
    if not isinstance(proof.at, datetime):
        raise wrong_type_error("proof.at", "datetime", proof.at)
    for field in ("protected", "files", "seal", "content"):
        check_length(getattr(proof, field), f"proof.{field}", _DIGEST_CHARACTERS)
    check_tuple(proof.evidence, "proof.evidence", LARGEST_LIST)
    for evidence in proof.evidence:
        _check_evidence(evidence)
    return proof


def _check_evidence(evidence: Evidence) -> None:
    where = "proof.evidence"
    if type(evidence) is not Evidence:
        raise wrong_type_error(where, "Evidence", evidence)
    check_rule(evidence.check, f"{where}.check")
    if evidence.ok is not None:
        check_flag(evidence.ok, f"{where}.ok")
    check_length(evidence.says, f"{where}.says", _SAYS_CHARACTERS)
    check_length(evidence.tail, f"{where}.tail", _TAIL_CHARACTERS)
    check_length(evidence.digest, f"{where}.digest", _DIGEST_CHARACTERS)
    check_choice(evidence.baseline, f"{where}.seen", BASELINE_RESULTS)
    if evidence.code is not None:
        check_number(evidence.code, f"{where}.code", -LARGEST_ID, LARGEST_ID)
    if evidence.took_ms is not None:
        check_number(evidence.took_ms, f"{where}.took_ms", 0, LARGEST_ID)


def note_proof(state: PlanState, command: NoteProof, _now: datetime) -> tuple[c.Change, ...]:
    """Record a proof of an existing task."""
    proof = check_proof(command.proof)
    state.task(proof.task)
    return (c.ProofNoted(proof),)


def confirm(state: PlanState, command: Confirm, _now: datetime) -> tuple[c.Change, ...]:
    """Record a person's confirmation of a check of an unfinished task."""
    check_ref(command.task, "task")
    check_rule(command.check, "check")
    require_person(command.actor, "actor")
    task = state.task(command.task)
    if command.check.kind != "person" or command.check not in task.checks:
        raise InvalidArgument("not_a_person_check", argument="check", task_id=task.id)
    require_unfinished(task)
    known = state.ledger.proofs.get(task.id)
    if known and any(given.check == command.check for given in known.confirmed):
        return ()
    return (c.CheckConfirmed(task.id, command.check, command.actor),)
