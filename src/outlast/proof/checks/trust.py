"""What a user trusts: seals of proofs, so that a forged one is recognized, and approved checks.

Both are kept in the user's state directory, where no project file can forge them.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.model import Check, Proof, Task
    from outlast.system.state_home import StateHome

PinState = Literal["", "pinned", "changed"]
_KEY: Final = "key"
_APPROVED: Final = "approved"
_PINNED: Final = "given"


class Trust:
    """Seals and approvals of one user in one workspace."""

    def __init__(self, home: StateHome, workspace: str) -> None:
        """Take the state directory and the digest of the workspace's real path."""
        self._home, self._workspace = home, workspace

    # Seals: HMAC-SHA256 over workspace, plan and proof, with a key of the user

    def seal(self, plan_id: str, proof: Proof) -> Proof:
        """Return the proof with the seal of this user and this machine; make the key if needed."""
        return replace(proof, seal=self._signature(self._home.secret(_KEY), plan_id, proof))

    def is_sealed(self, plan_id: str, proof: Proof) -> bool:
        """Return whether the proof was sealed here, for this user, and is unchanged."""
        key = self._home.secret(_KEY, make=False)
        return bool(key) and hmac.compare_digest(
            self._signature(key, plan_id, proof).encode(), proof.seal.encode()
        )

    def _signature(self, key: bytes, plan_id: str, proof: Proof) -> str:
        payload = msgspec.json.encode([self._workspace, plan_id, replace(proof, seal="")])
        return hmac.digest(key, payload, "sha256").hex()

    # Approvals

    def approve(self, plan_id: str, checks: Iterable[Check]) -> int:
        """Allow checks of a plan to run and return how many are new; words need no approval."""
        names = {self._approval_name(plan_id, check) for check in checks if not check.is_word}
        return sum(self._home.add_mark(_APPROVED, name) for name in sorted(names))

    def list_unapproved(self, plan_id: str, checks: Iterable[Check]) -> tuple[Check, ...]:
        """Return the checks that still need an approval, each once."""
        return tuple(
            check
            for check in dict.fromkeys(checks)
            if not check.is_word
            and not self._home.has_mark(_APPROVED, self._approval_name(plan_id, check))
        )

    def pin_checks(self, plan_id: str, task: Task) -> None:
        """Record that a person set the current checks and protected files of a task."""
        self._home.write_value(_PINNED, self._pin_name(plan_id, task), _definition_digest(task))

    def pin_state(self, plan_id: str, task: Task) -> PinState:
        """Return whether a task still has the checks that a person pinned; empty without a pin."""
        pinned = self._home.read_value(_PINNED, self._pin_name(plan_id, task))
        if not pinned:
            return ""
        return "pinned" if pinned == _definition_digest(task) else "changed"

    def _approval_name(self, plan_id: str, check: Check) -> str:
        return _digest([self._workspace, plan_id, check.kind, check.rule])

    def _pin_name(self, plan_id: str, task: Task) -> str:
        return _digest([self._workspace, plan_id, task.id])


def _definition_digest(task: Task) -> str:
    return _digest([task.checks, task.protect])


def _digest(values: list[object]) -> str:
    return sha256(msgspec.json.encode(values)).hexdigest()
