"""A run: the plan that the handlers of a loop read and commit to, under a lease."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from outlast.application.plan.plan_view import plan_view
from outlast.application.runtime.guards import error_text
from outlast.domain.budget import NO_LIMIT, NOTHING
from outlast.domain.commands import Charge, Interject, SetBudget
from outlast.domain.costs import used_amount
from outlast.domain.model import PERSON
from outlast.errors import ClaimLost, StoreError
from outlast.ports.effects import LeaseLost

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


class Run:
    """One plan at a time, worked on under the actor of its handle and the lease of its runner.

    `is_scratch` marks a scratch plan. `store_error` is why the stored plan had to be left.
    `attempts_started` counts the attempts of this run. `switch_lock` is held while the run switches
    to another plan: a message posted meanwhile would stay in the old one.
    """

    def __init__(
        self, plan: Plan, lease: Lease, *, is_scratch: bool = False, language: Language = "en"
    ) -> None:
        self.language = language
        self.store_error: StoreError | None = None
        self.attempts_started = 0
        self.switch_lock = Lock()
        self.used = self.planning = NOTHING
        self.budget: Budget = NO_LIMIT
        self._messages: tuple[Interjection, ...] = ()
        self.switch_to(plan, lease, is_scratch=is_scratch)

    def switch_to(self, plan: Plan, lease: Lease, *, is_scratch: bool = False) -> None:
        """Work on another plan from now on."""
        self.unfenced_plan, self.plan, self.is_scratch = plan, plan.with_lease(lease), is_scratch
        self.now = plan.now
        self.token = lease.token
        self._lease = lease
        self._last_view: PlanView | None = None

    def post_message(self, message: str) -> None:
        """Send a person's message to the loop; may be called from any thread."""
        with self.switch_lock:
            self.unfenced_plan.acting_as(PERSON).say(message)

    def handover_commands(self) -> tuple[Command, ...]:
        """Return the commands that carry budget, spending and messages over to another plan."""
        messages = (Interject(message.text, message.by) for message in self._messages)
        return SetBudget(self.budget), Charge(self.used, planning=self.planning), *messages

    def error_text(self, error: Exception) -> str:
        """Return the text of an error in the run's language."""
        return error_text(error, self.language)

    def view(self) -> PlanView:
        """Return the current view of the plan, or the last one if the plan cannot be read.

        A read error is stored in `store_error` instead of raised: the effect just executed must not
        be executed again because of it. Raise `LeaseLost` if another runner holds the plan.
        """
        try:
            return self.plan.read(self._checked_view)
        except StoreError as error:
            if self._last_view is None:
                raise
            self.store_error = error
            return self._last_view

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Read anything else from the plan."""
        return self.plan.read(question)

    def commit(
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str = "",
        key: str = "",
    ) -> T:
        """Commit commands; raise `LeaseLost`, or the error that refuses them."""

        def remember_then(state: PlanState, commit: Commit) -> T:
            self._remember(state)
            return then(state, commit)

        try:
            return self.plan.commit(commands, remember_then, reason=reason, key=key)
        except ClaimLost as error:
            raise LeaseLost from error

    def commit_with_checks(self, commands: Sequence[Command], reason: str) -> PlanView:
        """Commit commands; the task that the last one completes must pass its checks."""
        try:
            self.plan.apply_edit(commands, reason)
        except ClaimLost as error:
            raise LeaseLost from error
        return self.view()

    def view_after(self, state: PlanState, _commit: Commit) -> PlanView:
        """Return the view after a commit; pass this as its `then`."""
        return self._checked_view(state)

    def with_key(self, key: str) -> Plan:
        """Return a handle whose single commit has an idempotency key."""
        return self.plan.with_lease(self._lease, key)

    def _checked_view(self, state: PlanState) -> PlanView:
        lease = state.ledger.leases.get(0)
        if lease is None or lease.token != self.token:  # another runner's plan now
            raise LeaseLost
        self._remember(state)
        self._last_view = plan_view(state, self.plan.actor, is_scratch=self.is_scratch)
        return self._last_view

    def _remember(self, state: PlanState) -> None:
        """Remember the limits that stay in force if the plan can no longer be read."""
        counters = state.ledger.counters
        self.used, self.planning = used_amount(state), counters.planning
        self.budget = counters.budgets.get(0, NO_LIMIT)
        self._messages = state.ledger.conversation.interjections
