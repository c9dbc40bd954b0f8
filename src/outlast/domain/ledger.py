"""Facts that stand beside the plan and are never undone: who holds what, what is under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.domain.model import Attempt, Confirmation, Lease, PhaseStatus, Proof, SettledBy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

THINK: Final = "think"  # the kind of attempt that leaves nothing behind to be done twice
_NOTED: Final = 5
_CHARACTERS: Final = 200


class Done(Struct, frozen=True, gc=False, omit_defaults=True):
    """An attempt that was done, in short; `settled_by` if nobody watched it end."""

    id: str
    kind: str
    what: str
    settled_by: SettledBy = ""


class Proving(Struct, frozen=True, gc=False, omit_defaults=True):
    """What is known of a task's checks: as its attempt began, as they were run last, by people."""

    baseline: Proof | None = None
    latest: Proof | None = None
    confirmed: tuple[Confirmation, ...] = ()


class Ledger(Struct, omit_defaults=True):
    """Leases by task, attempts without an outcome by id, and how many there have been of both.

    The lease of task 0 is the plan's own: of the one runner that works on it. `done` has the last
    few attempts of each task in progress that were done since it was begun. `marked` are phases
    that are shown in a state of somebody's own. A token or an attempt's number is never given
    twice, not even when a new plan follows.
    """

    leases: dict[int, Lease] = {}
    attempts: dict[str, Attempt] = {}
    attempts_begun: int = 0
    last_token: int = 0
    done: dict[int, tuple[Done, ...]] = {}
    proofs: dict[int, Proving] = {}
    marked: dict[str, PhaseStatus] = {}

    def copy(self) -> Ledger:
        """Return the same facts, to be put back when a commit is refused half-way."""
        return Ledger(
            dict(self.leases),
            dict(self.attempts),
            self.attempts_begun,
            self.last_token,
            dict(self.done),
            dict(self.proofs),
            dict(self.marked),
        )

    def followed(self) -> Ledger:
        """Return the ledger of the plan that follows: empty, but counting on.

        The runner stays: it may be the one that begins the next plan.
        """
        kept: dict[int, Lease] = {0: self.leases[0]} if 0 in self.leases else {}
        return Ledger(kept, attempts_begun=self.attempts_begun, last_token=self.last_token)

    def note(self, attempt: Attempt, settled_by: SettledBy) -> None:
        """Remember that an attempt was done: the last few different ones, and no thoughts."""
        if attempt.kind != THINK:
            noted = Done(attempt.id, attempt.kind, attempt.what[:_CHARACTERS], settled_by)
            others = (one for one in self.done.get(attempt.task, ()) if one.what != noted.what)
            self.done[attempt.task] = (*others, noted)[-_NOTED:]

    def leave(self, task: int) -> None:
        """Forget what holds only while a task is in progress."""
        self.leases.pop(task, None)
        self.done.pop(task, None)

    def doubt(self, task: int) -> None:
        """Forget people's words on the checks of a task: it is going to be done anew."""
        known = self.proofs.get(task)
        if known is not None and known.confirmed:
            self.proofs[task] = replace(known, confirmed=())

    def expired(self, now: datetime) -> Iterator[int]:
        """Yield the tasks whose lease has run out, in no particular order."""
        leases = self.leases.values()
        return (lease.task for lease in leases if lease.task and not lease.is_live(now))
