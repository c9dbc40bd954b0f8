"""Which checks a person has allowed, and has given to tasks, in which plan of which workspace."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.domain.model import Check, Task
    from outlast.system.state_home import StateHome

_KIND: Final = "approved"
_GIVEN: Final = "given"


class Approvals:
    """Kept in the user's own directory: nothing in a project can stand for them."""

    def __init__(self, home: StateHome, workspace: str) -> None:
        """Speak of the plans of one workspace, named by its real path."""
        self._home, self._workspace = home, workspace

    def approve(self, plan_id: str, checks: Iterable[Check]) -> int:
        """Allow checks; return how many of them are new. A person's word needs no leave."""
        names = {self._name(plan_id, check) for check in checks if check.kind != "person"}
        return sum(self._home.mark(_KIND, name) for name in sorted(names))

    def missing(self, plan_id: str, checks: Iterable[Check]) -> tuple[Check, ...]:
        """Return the checks that are not allowed, each once."""
        return tuple(
            check
            for check in dict.fromkeys(checks)
            if check.kind != "person" and not self._has(plan_id, check)
        )

    def give(self, plan_id: str, task: Task) -> None:
        """Note that a person wants a task to be measured as it is now."""
        self._home.keep(_GIVEN, self._place(plan_id, task), _measure(task))

    def is_given(self, plan_id: str, task: Task) -> bool | None:
        """Tell whether a task is measured as a person wants it; None if none has said."""
        given = self._home.kept(_GIVEN, self._place(plan_id, task))
        return given == _measure(task) if given else None

    def _place(self, plan_id: str, task: Task) -> str:
        return _digest([self._workspace, plan_id, task.id])

    def _has(self, plan_id: str, check: Check) -> bool:
        return self._home.has_mark(_KIND, self._name(plan_id, check))

    def _name(self, plan_id: str, check: Check) -> str:
        return _digest([self._workspace, plan_id, check.kind, check.rule])


def _measure(task: Task) -> str:
    return _digest([task.checks, task.protect])


def _digest(told: list[object]) -> str:
    return sha256(msgspec.json.encode(told)).hexdigest()
