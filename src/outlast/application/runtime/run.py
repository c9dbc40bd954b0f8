"""The plan as the handlers of a loop use it: look at it, change it, move on to another one."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from outlast.application.plan.view import view
from outlast.application.runtime.error_text import words
from outlast.domain.budget import NO_LIMIT, NOTHING
from outlast.domain.costs import used
from outlast.domain.loop_commands import Charge, Interject, SetBudget
from outlast.domain.model import PERSON
from outlast.errors import ClaimLost, StoreError
from outlast.ports.effects import Overtaken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.application.plan.plan import Plan
    from outlast.domain.budget import Budget
    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.model import Interjection, Lease
    from outlast.domain.state import PlanState
    from outlast.ports.effects import PlanView
    from outlast.texts import Language

T = TypeVar("T")


class Desk:
    """One plan at a time, in the name of the actor of its handle, under the lease of its runner.

    `kept` is false while it is the makeshift plan in memory on which a loop counts where it has no
    other. `trouble` is why the plan that was kept had to be left, `begun` how many attempts there
    have been here. What goes wrong is said in `language`. Who leaves a plan for another is `moving`
    until all that has to come along is there: what is said meanwhile would stay behind.
    """

    def __init__(
        self, plan: Plan, lease: Lease, *, kept: bool = True, language: Language = "en"
    ) -> None:
        """Work on a plan that is held by this lease."""
        self.language = language
        self.trouble: StoreError | None = None
        self.begun = 0
        self.moving = Lock()
        self.used = self.planning = NOTHING
        self.budget: Budget = NO_LIMIT
        self._said: tuple[Interjection, ...] = ()
        self.move(plan, lease, kept=kept)

    def move(self, plan: Plan, lease: Lease, *, kept: bool = True) -> None:
        """Work on another plan from now on."""
        self.origin, self.plan, self.kept = plan, plan.fenced(lease), kept
        self.now = plan.now
        self.token = lease.token
        self._lease = lease
        self._seen: PlanView | None = None

    def say(self, message: str) -> None:
        """Say something to the loop in a person's name; may be called from any thread."""
        with self.moving:
            self.origin.acting_as(PERSON).say(message)

    def carried(self) -> tuple[Command, ...]:
        """Return what another plan has to be told before it can take the place of this one."""
        told = (Interject(one.text, one.by) for one in self._said)
        return SetBudget(self.budget), Charge(self.used, planning=self.planning), *told

    def words(self, error: Exception) -> str:
        """Say what went wrong."""
        return words(error, self.language)

    def look(self) -> PlanView:
        """Return the plan as it is now; if it cannot be read, as it was, and that is trouble.

        Something may have been done just before, which must not be done again for that.
        """
        try:
            return self.plan.read(self._view)
        except StoreError as error:
            if self._seen is None:
                raise
            self.trouble = error
            return self._seen

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Ask something else about the plan."""
        return self.plan.read(question)

    def commit(
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str = "",
        key: str = "",
    ) -> T:
        """Change the plan; raise what refuses it, with words."""

        def noted(state: PlanState, commit: Commit) -> T:
            self._note(state)
            return then(state, commit)

        try:
            return self.plan.commit(commands, noted, reason=reason, key=key)
        except ClaimLost as error:
            raise Overtaken from error

    def prove(self, commands: Sequence[Command], reason: str) -> PlanView:
        """Change the plan; the task that the last command completes has to pass its checks."""
        try:
            self.plan.carry_out(commands, reason)
        except ClaimLost as error:
            raise Overtaken from error
        return self.look()

    def view_after(self, state: PlanState, _commit: Commit) -> PlanView:
        """Answer a commit with the plan that it left."""
        return self._view(state)

    def under(self, key: str) -> Plan:
        """Return a handle whose one change is known by a key."""
        return self.plan.fenced(self._lease, key)

    def _view(self, state: PlanState) -> PlanView:
        lease = state.ledger.leases.get(0)
        if lease is None or lease.token != self.token:  # what is seen here is another runner's
            raise Overtaken
        self._note(state)
        self._seen = view(state, self.plan.actor, kept=self.kept)
        return self._seen

    def _note(self, state: PlanState) -> None:
        """Remember what must go on to hold if the plan cannot be read any more."""
        books = state.ledger.books
        self.used, self.planning = used(state), books.planning
        self.budget = books.budgets.get(0, NO_LIMIT)
        self._said = state.ledger.talk.said
