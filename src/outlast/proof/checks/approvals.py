"""Remember which checks a person approved, and which checks a person set for a task."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.model import Check, Task
    from outlast.proof.port import PinState
    from outlast.system.state_home import StateHome

_APPROVED: Final = "approved"
_PINNED: Final = "given"


class Approvals:
    """Approvals in the user's state directory, where no project file can forge them."""

    def __init__(self, home: StateHome, workspace: str) -> None:
        """Take the state directory and the digest of the workspace's real path."""
        self._home, self._workspace = home, workspace

    def approve(self, plan_id: str, checks: Iterable[Check]) -> int:
        """Approve checks and return how many are new; those that run nothing need none."""
        names = {self._approval_name(plan_id, check) for check in checks if not check.is_word}
        return sum(self._home.add_mark(_APPROVED, name) for name in sorted(names))

    def list_unapproved(self, plan_id: str, checks: Iterable[Check]) -> tuple[Check, ...]:
        """Return the checks without an approval, each once."""
        return tuple(
            check
            for check in dict.fromkeys(checks)
            if not check.is_word and not self._is_approved(plan_id, check)
        )

    def pin_checks(self, plan_id: str, task: Task) -> None:
        """Record the current checks and protected files of a task as set by a person."""
        self._home.write_value(_PINNED, self._pin_name(plan_id, task), _definition_digest(task))

    def pin_state(self, plan_id: str, task: Task) -> PinState:
        """Return whether a task still has what was pinned; empty if nothing was."""
        pinned = self._home.read_value(_PINNED, self._pin_name(plan_id, task))
        if not pinned:
            return ""
        return "pinned" if pinned == _definition_digest(task) else "changed"

    def _pin_name(self, plan_id: str, task: Task) -> str:
        return _digest([self._workspace, plan_id, task.id])

    def _is_approved(self, plan_id: str, check: Check) -> bool:
        return self._home.has_mark(_APPROVED, self._approval_name(plan_id, check))

    def _approval_name(self, plan_id: str, check: Check) -> str:
        return _digest([self._workspace, plan_id, check.kind, check.rule])


def _definition_digest(task: Task) -> str:
    return _digest([task.checks, task.protect])


def _digest(values: list[object]) -> str:
    return sha256(msgspec.json.encode(values)).hexdigest()
