"""What a person allows the runs of a plan to do, kept outside of the project."""

from __future__ import annotations

from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace


class PlanPermissions(Struct, frozen=True, omit_defaults=True):
    """What the runs of one plan may do without a question.

    `patterns` are those of `--allow`, `calls` the single calls to which a person said "always".
    `model` and `max_iterations` are what this user chose last for the plan, and so is the `agent`
    with what it may do (`level`), and its `mailbox` with the `layout`. `withdrawal` changes
    whenever a person takes permissions back; a run at work sees that.
    """

    patterns: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    model: str = ""
    max_iterations: int = 0
    withdrawal: str = ""
    agent: str = ""
    level: str = ""
    mailbox: str = ""
    layout: str = ""


NO_PERMISSIONS: Final = PlanPermissions()


def merge_permissions(before: PlanPermissions, new: PlanPermissions) -> PlanPermissions:
    """Return the patterns and calls of both, the newest last, and the newer choices."""
    last = new if new.agent else before
    return replace(
        last,
        patterns=tuple(dict.fromkeys((*before.patterns, *new.patterns))),
        calls=tuple(dict.fromkeys((*before.calls, *new.calls))),
        model=new.model or before.model,
        max_iterations=new.max_iterations or before.max_iterations,
        withdrawal=before.withdrawal,
    )


class PermissionStore(Protocol):
    """The permissions of plans, by plan id. Every failure raises `StoreError`."""

    def read(self, plan_id: str) -> PlanPermissions:
        """Return what the runs of a plan may do."""

    def add(self, plan_id: str, permissions: PlanPermissions) -> None:
        """Add patterns and calls, and replace model and limit; nothing if no person acts here.

        What cannot be kept is named in the `StoreError`; the rest is kept.
        """
