"""Set aside what a call can cost at most, before it is made, and say what has been spent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import json
from msgspec.structs import replace

from outlast.application.runtime.costs import price_of
from outlast.application.tools.replans import is_replanning
from outlast.domain.budget import AMOUNTS, NO_LIMIT, Budget, Spend
from outlast.domain.costs import remaining
from outlast.errors import InvalidArgument
from outlast.ports import effects as e
from outlast.ports.events import Notified, Spent
from outlast.texts import explain, text

if TYPE_CHECKING:
    from outlast.application.runtime.run import Desk
    from outlast.config.settings import Limits
    from outlast.domain.state import PlanState
    from outlast.ports.model import Model
    from outlast.texts import Language

N = TypeVar("N", int, float)
LEAST_TOKENS: Final = 256  # of an answer: with fewer, nothing useful can be said
_WARNING: Final = 0.8


class Budgeting:
    """Fills in what may be spent at most; whether that much is left is decided where it is begun.

    The tokens of a request are at most its bytes, and at most those of the request before plus the
    bytes that are new in it. The answer is cut to what is left, as long as that is worth having.
    """

    def __init__(
        self,
        inner: e.Handler,
        desk: Desk,
        model: Model,
        limits: Limits,
        language: Language = "en",
    ) -> None:
        """Wrap a handler."""
        self._inner, self._desk = inner, desk
        self._model, self._price = model.name, model.price
        self._limits, self._language = limits, language
        self._last: tuple[int, Counter[bytes]] | None = None

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Set aside what thinking and acting can cost; let the rest through."""
        if not isinstance(effect, e.Think | e.Act):
            return await self._inner.handle(effect)
        before = self._level(self._desk.look())
        left = self._desk.read(lambda state: _left(state, effect.task or 0))
        if isinstance(effect, e.Think) and left.money is not None and self._price is None:
            return self._unpriced()
        pieces = _pieces(effect) if isinstance(effect, e.Think) else Counter[bytes]()
        reply = await self._inner.handle(self._reserved(effect, left, pieces))
        if isinstance(reply, e.Thought) and reply.usage is not None and reply.usage.input:
            self._last = reply.usage.input, pieces
        if isinstance(reply, e.Thought | e.Acted):
            await self._tell(before, reply)
        return reply

    def _unpriced(self) -> e.Thought:
        """Refuse to think for a price that nobody knows: the limit in dollars would not hold."""
        error = InvalidArgument("price_unknown", argument="budget.money", model=self._model)
        now, plan = self._desk.now(), self._desk.look()
        return e.Thought(now, plan, failed=explain(error, self._language), code=error.code)

    def _reserved(
        self, effect: e.Think | e.Act, left: Budget, pieces: Counter[bytes]
    ) -> e.Think | e.Act:
        if isinstance(effect, e.Act):
            replans = self._desk.read(lambda state: is_replanning(state, effect.call))
            seconds = _at_most(self._limits.tool_seconds, left.time)
            return replace(effect, reserve=Spend(tool_calls=1, time=seconds, replans=int(replans)))
        asked = self._input(pieces)
        answer = self._answer(left, asked)
        aside = Spend(
            model_calls=1,
            tokens=0 if left.tokens is None else asked + answer,
            money=self._money(left, asked, answer),
            time=_at_most(self._limits.model_seconds, left.time),
        )
        return replace(effect, reserve=aside, max_tokens=answer)

    def _input(self, pieces: Counter[bytes]) -> int:
        whole = sum(map(len, pieces.elements()))
        if self._last is None:
            return whole
        tokens, known = self._last
        return min(whole, tokens + sum(map(len, (pieces - known).elements())))

    def _answer(self, left: Budget, asked: int) -> int:
        """Return how long the answer may be: as usual, or as long as can be paid for."""
        usual = self._limits.max_tokens
        most = usual if left.tokens is None else min(usual, left.tokens - asked)
        if left.money is not None and self._price is not None and self._price.output > 0:
            rest = left.money - price_of(asked, 0, self._price)
            most = min(most, int(rest * 1_000_000 / self._price.output))
        return usual if most < min(LEAST_TOKENS, usual) else most

    def _money(self, left: Budget, asked: int, answer: int) -> float:
        if left.money is None or self._price is None:
            return 0.0
        return price_of(asked, answer, self._price)

    async def _tell(self, before: float, reply: e.Thought | e.Acted) -> None:
        plan = reply.plan
        usage = reply.usage if isinstance(reply, e.Thought) else None
        counted = usage is not None and (usage.tokens or not reply.failed)
        if plan.budget == NO_LIMIT and not counted:
            return
        await self._inner.handle(e.Tell(Spent(plan.used, plan.budget)))
        level = self._level(plan)
        if before < _WARNING <= level:
            said = text("budget_warning", self._language, percent=int(level * 100))
            await self._inner.handle(e.Tell(Notified(said, "budget")))

    def _level(self, plan: e.PlanView) -> float:
        """Return how far the budget is used up, of whatever it is used up most."""
        limits = ((getattr(plan.used, what), getattr(plan.budget, what)) for what in AMOUNTS)
        return max((used / limit for used, limit in limits if limit), default=0.0)


def _left(state: PlanState, task: int) -> Budget:
    """Return what is left for a task and for the plan, whichever is less."""
    whole, own = remaining(state), remaining(state, task) if task else NO_LIMIT
    return Budget(
        tokens=_less(whole.tokens, own.tokens),
        money=_less(whole.money, own.money),
        time=_less(whole.time, own.time),
    )


def _less(one: N | None, other: N | None) -> N | None:
    return min((value for value in (one, other) if value is not None), default=None)


def _at_most(usual: float, left: float | None) -> float:
    """Return the seconds to set aside: none where time is not limited."""
    return 0.0 if left is None else min(usual, left) or usual


def _pieces(effect: e.Think) -> Counter[bytes]:
    return Counter(json.encode(one) for one in (*effect.messages, *effect.tools))
