"""How a loop ends: the plan is put in order, and people are told why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.commands import Abort, Pause
from outlast.errors import OutOfBudget
from outlast.ports import effects as e
from outlast.ports.events import Stopped
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.domain.commands import Command
    from outlast.domain.model import PauseWhy
    from outlast.ports.events import Why
    from outlast.texts import Language

_PAUSING: Final[dict[Why, PauseWhy]] = {
    "limit": "limit",
    "budget": "budget",
    "waiting": "waiting",
    "unsettled": "unsettled",
    "model_failed": "model_failed",
    "cancelled": "cancelled",
}


class Ended(Exception):
    """There is nothing more to be done in this run: why, and that in words."""

    def __init__(self, why: Why, words: str) -> None:
        """Say why."""
        super().__init__(why, words)
        self.why, self.words = why, words


def ended(work: e.Loop[Ended], language: Language) -> e.Loop[Stopped]:
    """See a loop to its end: pause a plan that is not finished, and say where it stands."""
    try:
        end = yield from work
    except Ended as raised:
        end = raised
    except e.Cancelled:
        end = Ended("cancelled", text("loop_cancelled", language))
    plan = (yield from e.record()).plan
    if end.why in _PAUSING and plan.kept and plan.status in ("idle", "running"):
        plan = (yield from e.record(Pause(_PAUSING[end.why]), reason=end.words)).plan
    stopped = Stopped(plan.status, end.why, end.words)
    yield from e.tell(stopped)
    return stopped


def cancel(plan: e.PlanView, language: Language, *taken: Command) -> e.Loop[Ended]:
    """Give the plan up, and return the end that this makes."""
    if not plan.kept or plan.ended:
        return Ended("answered", text("nothing_to_cancel", language))
    words = text("loop_dropped", language)
    yield from e.record(*taken, Abort(), reason=words)
    return Ended("cancelled", words)


def failed(reply: e.Thought | e.Acted, language: Language) -> Ended:
    """Return the end that comes of a model that failed, or of a budget that is used up."""
    if reply.code == OutOfBudget.code:
        return Ended("budget", reply.failed)
    return Ended("model_failed", text("loop_model_failed", language, problem=reply.failed))
