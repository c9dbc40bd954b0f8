"""A lane of a run, as a driver uses it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.agent.effects import Effect, Outcome, Reply
    from outlast.agent.events import Event

Unsubscribe = Callable[[], Awaitable[object]]


class LaneRunner(Protocol):
    """Carries out the effects of one loop."""

    id: str

    async def perform(self, effect: Effect) -> Reply[Any]:
        """Carry out an effect. Failures of models, tools and commits are in the outcome."""

    async def reply(self, outcome: Outcome) -> Reply[Any]:
        """Return the reply for an outcome that the driver found itself."""

    def latest_reply(self, outcome: Outcome) -> Reply[Any]:
        """Return the same with the plan as the lane saw it last."""

    def now(self) -> datetime:
        """Return the time by the clock of the plan."""

    async def finish(self) -> None:
        """Commit what waits in the lane."""

    def close(self) -> None:
        """Give up what the lane holds, however it ended."""

    def emit(self, event: Event) -> None:
        """Send an event to the listener."""

    def open_lane(self, task: int | None, actor: str) -> LaneRunner:
        """Open another lane of the same run."""

    def on_wait(self, callback: Callable[[bool], object]) -> None:
        """Call `callback` with True when the lane starts to wait for a person, then with False."""

    async def on_plan_change(self, callback: Callable[[int], object]) -> Unsubscribe:
        """Call `callback` with the revision of every commit, in any thread.

        Returns a function that ends this.
        """

    async def take_slot(self) -> None:
        """Wait until the run has a free slot for this lane."""

    def free_slot(self) -> bool:
        """Give the slot back; return whether there was one."""
