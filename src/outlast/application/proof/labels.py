"""How well it is known that a task is done, in one word and with the evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from outlast.domain.ledger import Proving
from outlast.domain.model import Proof

if TYPE_CHECKING:
    from outlast.domain.model import Check, Evidence, Task
    from outlast.domain.state import PlanState
    from outlast.ports.check import Doubt

Glance = Callable[["Task", Proof], "Doubt"]
Touched = Callable[["Task", Proving], bool]
Known = tuple["Task", Proving]
Label = Literal[
    "",
    "proved",
    "proved (was green)",
    "proved (not seen red)",
    "stale",
    "tampered",
    "forged",
    "unproved",
    "unproved, fails now",
    "reported",
    "assumed",
    "fails now",
    "passes now",
    "not approved",
]

LABEL_TEXTS: Final[dict[Label, str]] = {
    "proved": "label_proved",
    "proved (was green)": "label_was_green",
    "proved (not seen red)": "label_not_seen_red",
    "stale": "label_stale",
    "tampered": "label_tampered",
    "forged": "label_forged",
    "unproved": "label_unproved",
    "unproved, fails now": "label_unproved_fails",
    "reported": "label_reported",
    "assumed": "label_assumed",
    "fails now": "label_fails_now",
    "passes now": "label_passes_now",
    "not approved": "label_not_approved",
}


class Standing(Struct, frozen=True):
    """What a task's completion is worth; the proof is the newest there is.

    A task that is not completed has a label only if its checks were run, or tampered with.
    """

    task: int
    label: Label
    proof: Proof | None = None


class Approval(Struct, frozen=True):
    """What a person has allowed: how many checks that nobody had allowed yet.

    `pardoned` has the tasks whose `protect`, `checks` or `baseline` had been changed, and are taken
    as they are now.
    """

    count: int
    pardoned: dict[int, str] = {}


def known_of(state: PlanState, task: Task) -> Known:
    """Return a task with what is known of its checks."""
    return task, state.ledger.proofs.get(task.id, Proving())


def all_known(state: PlanState) -> list[Known]:
    """Return the tasks that are completed or whose checks were run, with what is known of them."""
    proofs = state.ledger.proofs
    tasks = (one for one in state.in_order() if one.status == "completed" or one.id in proofs)
    return [known_of(state, task) for task in tasks]


def standing(task: Task, known: Proving, glance: Glance, touched: Touched) -> Standing:
    """Return where a task stands.

    `glance` tells whether a proof still holds, `touched` whether what an unfinished task is
    measured by was changed.
    """
    return Standing(task.id, _label(task, known, glance, touched), known.latest)


def _label(task: Task, known: Proving, glance: Glance, touched: Touched) -> Label:
    if task.status != "completed":
        return _now(task, known, touched)
    if task.how != "proved":
        return _unproved(task, known)
    latest = known.latest
    if latest is None:
        return "forged"
    doubt = glance(task, latest)
    if doubt in ("forged", "tampered"):
        return doubt
    if not _holds(latest):
        return "fails now"
    return doubt or ("stale" if is_older(latest, task) else _strength(latest))


def _now(task: Task, known: Proving, touched: Touched) -> Label:
    """Return how the checks of an unfinished task were seen last, if they are still the same."""
    if task.finished:
        return ""
    return "tampered" if touched(task, known) else _seen_last(task, known)


def _seen_last(task: Task, known: Proving) -> Label:
    """Return what they showed; a person's word on an earlier attempt says nothing of this one."""
    latest = known.latest
    if latest is None or not latest.evidence or checks_of(latest) != task.checks:
        return ""
    if not _holds(latest):
        return "fails now"
    given = {one.check for one in known.confirmed}
    asked = (check for check in task.checks if check.kind == "person")
    return "passes now" if given.issuperset(asked) else ""


def _unproved(task: Task, known: Proving) -> Label:
    """Return what a completion without proof is; checks that were taken away do not go unseen."""
    before, latest = known.baseline, known.latest
    if before is not None and before.stage == "before" and checks_of(before) != task.checks:
        return "tampered"
    if task.checks or task.protect or task.how == "unproved":
        red = latest is not None and not _holds(latest) and _is_later(latest, task)
        return "unproved, fails now" if red else "unproved"
    return "assumed" if task.how == "assumed" else "reported"


def _is_later(proof: Proof, task: Task) -> bool:
    return task.ended_at is None or proof.at > task.ended_at


def is_older(proof: Proof, task: Task) -> bool:
    """Tell whether a proof is of an earlier attempt than the one that is said to have ended."""
    begun, ended = task.started_at, task.ended_at
    return begun is not None and ended is not None and proof.at < begun < ended


def _strength(proof: Proof) -> Label:
    """Tell a proof that shows work from one of which nobody knows, or that shows none.

    It does if one of its checks at least was seen red before, and only then.
    """
    seen = {one.seen for one in _by_machine(proof)}
    if not seen or "red" in seen:
        return "proved"
    return "proved (was green)" if seen == {"green"} else "proved (not seen red)"


def is_green_before(known: Proving) -> bool:
    """Tell whether all that a machine checks passed already when the attempt began."""
    before = known.baseline
    machine = _by_machine(before) if before is not None and before.stage == "before" else []
    return bool(machine) and all(one.ok and one.seen != "red" for one in machine)


def _by_machine(proof: Proof) -> list[Evidence]:
    return [one for one in proof.evidence if one.check.kind != "person"]


def _holds(proof: Proof) -> bool:
    return all(one.ok for one in proof.evidence)


def checks_of(proof: Proof) -> tuple[Check, ...]:
    """Return the checks that a proof is about."""
    return tuple(one.check for one in proof.evidence)
