"""Labels: the worth of a completion in one word, with the newest proof."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from outlast.model.ledger import TaskProofs
from outlast.model.model import Check, Label, Proof, Task

if TYPE_CHECKING:
    from outlast.model.state import PlanState
    from outlast.proof.checks.checker import ProofDefect

VerifyProof = Callable[["Task", Proof], "ProofDefect"]
IsTampered = Callable[["Task", TaskProofs], bool]


class ProofStatus(Struct, frozen=True):
    """What a task's completion is worth, with its newest proof.

    An unfinished task has a label only if its checks were run, or tampered with.
    """

    task: int
    label: Label
    proof: Proof | None = None


class Approval(Struct, frozen=True):
    """What a person approved: the number of checks that had not been approved before.

    `accepted` has the tasks whose `protect`, `checks` or `baseline` had been changed, and whose
    changes the person accepts.
    """

    count: int
    accepted: dict[int, str] = {}


def task_proofs(state: PlanState, task: Task) -> TaskProofs:
    """Return the recorded proofs of a task."""
    return state.ledger.proofs.get(task.id, TaskProofs())


def all_task_proofs(state: PlanState) -> list[tuple[Task, TaskProofs]]:
    """Return the tasks that are completed or whose checks were run, with their proofs."""
    proofs = state.ledger.proofs
    return [
        (task, task_proofs(state, task))
        for task in state.tasks_in_order()
        if task.status == "completed" or task.id in proofs
    ]


def proof_status(
    task: Task, proofs: TaskProofs, verify: VerifyProof, is_tampered: IsTampered
) -> ProofStatus:
    """Return the label of a task.

    `verify` returns why a proof no longer holds; `is_tampered` whether the checks or protected
    files of an unfinished task were changed.
    """
    return ProofStatus(task.id, _label(task, proofs, verify, is_tampered), proofs.latest)


def _label(task: Task, proofs: TaskProofs, verify: VerifyProof, is_tampered: IsTampered) -> Label:
    if task.status != "completed":
        return _label_unfinished(task, proofs, is_tampered)
    if task.how != "proved":
        return _label_without_proof(task, proofs)
    latest = proofs.latest
    if latest is None:
        return "forged"
    defect = verify(task, latest)
    if defect in ("forged", "tampered"):
        return defect
    if not latest.is_green:
        return "unknown" if latest.is_unknown else "fails now"
    return defect or ("stale" if is_of_earlier_attempt(latest, task) else latest.strength)


def _label_unfinished(task: Task, proofs: TaskProofs, is_tampered: IsTampered) -> Label:
    if task.finished:
        return ""
    return "tampered" if is_tampered(task, proofs) else _label_last_run(task, proofs)


def _label_last_run(task: Task, proofs: TaskProofs) -> Label:
    """Return what the checks showed last, if they are still the same checks.

    A person's word on an earlier attempt does not count for this one.
    """
    latest = proofs.latest
    if latest is None or not latest.evidence or checks_of(latest) != task.checks:
        return ""
    if latest.is_unknown:
        return "unknown"
    if not latest.is_green:
        return "fails now"
    confirmed = {confirmation.check for confirmation in proofs.confirmed}
    by_person = (check for check in task.checks if check.kind == "person")
    return "passes now" if confirmed.issuperset(by_person) else ""


def _label_without_proof(task: Task, proofs: TaskProofs) -> Label:
    """Return the label of an unproved completion; removed checks count as tampering."""
    before, latest = proofs.baseline, proofs.latest
    if before is not None and before.stage == "before" and checks_of(before) != task.checks:
        return "tampered"
    if task.checks or task.protect or task.how == "unproved":
        red = latest is not None and latest.is_red and _is_after_end(latest, task)
        return "unproved, fails now" if red else "unproved"
    return "assumed" if task.how == "assumed" else "reported"


def _is_after_end(proof: Proof, task: Task) -> bool:
    return task.ended_at is None or proof.at > task.ended_at


def is_of_earlier_attempt(proof: Proof, task: Task) -> bool:
    """Return whether a proof was made before the attempt that ended the task."""
    started, ended = task.started_at, task.ended_at
    return started is not None and ended is not None and proof.at < started < ended


def is_green_at_start(proofs: TaskProofs) -> bool:
    """Return whether all machine checks already passed when the attempt began."""
    before = proofs.baseline
    machine = before.machine_evidence if before is not None and before.stage == "before" else []
    return bool(machine) and all(item.ok and item.baseline != "red" for item in machine)


def checks_of(proof: Proof) -> tuple[Check, ...]:
    """Return the checks that a proof has evidence of."""
    return tuple(evidence.check for evidence in proof.evidence)
