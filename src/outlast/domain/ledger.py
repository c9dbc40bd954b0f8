"""Facts that stand beside the plan and are never undone: who holds what, what is under way."""

# No annotations as text here: making a decoder would take it several times as long to read them.

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.domain.budget import NOTHING, Spend, plus
from outlast.domain.counters import EMPTY, SILENCE, Books, Talk
from outlast.domain.model import (
    Attempt,
    Confirmation,
    Lease,
    PauseWhy,
    PhaseStatus,
    Proof,
    SettledBy,
)

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
    twice, not even when a new plan follows. `struck` are the parameters, as digests, with which a
    tool is refused. What stands in the last three is replaced, never altered, but for what was
    spent, of which there is as much as of tasks: see `part`.
    """

    leases: dict[int, Lease] = {}
    attempts: dict[str, Attempt] = {}
    attempts_begun: int = 0
    last_token: int = 0
    done: dict[int, tuple[Done, ...]] = {}
    proofs: dict[int, Proving] = {}
    marked: dict[str, PhaseStatus] = {}
    books: Books = EMPTY
    talk: Talk = SILENCE
    struck: dict[str, tuple[str, ...]] = {}

    def copy(self) -> "Ledger":
        """Return the same facts, to be put back when a commit is refused half-way.

        What was spent belongs to both until this one parts from it.
        """
        return Ledger(
            dict(self.leases),
            dict(self.attempts),
            self.attempts_begun,
            self.last_token,
            dict(self.done),
            dict(self.proofs),
            dict(self.marked),
            self.books,
            self.talk,
            self.struck,
        )

    def followed(self) -> "Ledger":
        """Return the ledger of the plan that follows: empty, but counting on.

        The runner stays: it may be the one that begins the next plan.
        """
        kept: dict[int, Lease] = {0: self.leases[0]} if 0 in self.leases else {}
        next_one = Ledger(kept, attempts_begun=self.attempts_begun, last_token=self.last_token)
        next_one.record_message(asked=self.talk.asked, spoken=self.talk.spoken)
        return next_one

    def book(self, **counts: object) -> None:
        """Replace what is counted; books in which nothing is counted are always the same ones."""
        books = replace(self.books, **counts)
        self.books = EMPTY if books == EMPTY else books

    def charge(self, task: int, spend: Spend, planning: Spend = NOTHING) -> None:
        """Count a cost for the plan, and for the task it was made for."""
        spent = self.books.spent or {}  # nothing spent is the same for all
        for one in {0, task}:
            spent[one] = plus(spent.get(one, NOTHING), spend)
        self.book(spent=spent, planning=plus(self.books.planning, planning))

    def part(self) -> None:
        """Keep what is spent from now on apart from what a copy has."""
        self.book(spent=dict(self.books.spent))

    def rest(self, why: PauseWhy) -> None:
        """Remember why the plan rests, or that it does not."""
        if self.books.paused_for != why:
            self.book(paused_for=why)

    def record_message(self, **words: object) -> None:
        """Replace what is said; as long as nobody has said anything it is always the same."""
        talk = replace(self.talk, **words)
        self.talk = SILENCE if talk == SILENCE else talk

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

    def turn(self, task: int, *, leaves: bool) -> None:
        """Forget what a loop counts only until a task changes its state, or leaves progress."""
        counts = self.books.iterations
        if leaves and task in counts:
            counts = {one: count for one, count in counts.items() if one != task}
        self.book(iterations=counts, stops=0)

    def doubt(self, task: int) -> None:
        """Forget people's words on the checks of a task: it is going to be done anew."""
        known = self.proofs.get(task)
        if known is not None and known.confirmed:
            self.proofs[task] = replace(known, confirmed=())
            if self.proofs[task] == Proving():
                del self.proofs[task]

    def expired(self, now: datetime) -> Iterator[int]:
        """Yield the tasks whose lease has run out, in no particular order."""
        leases = self.leases.values()
        return (lease.task for lease in leases if lease.task and not lease.is_live(now))
