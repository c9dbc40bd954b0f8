"""Reserve the maximum cost of a call before it starts, and report what was spent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import json
from msgspec.structs import replace

from outlast.application.runtime.costs import tokens_price
from outlast.application.tools.replans import is_replan
from outlast.domain.budget import AMOUNTS, NO_LIMIT, Budget, Spend
from outlast.domain.costs import remaining_budget
from outlast.errors import InvalidArgument
from outlast.ports import effects as e
from outlast.ports.events import Notified, Spent
from outlast.texts import explain, text

if TYPE_CHECKING:
    from outlast.application.runtime.run import Run
    from outlast.config.settings import Limits
    from outlast.domain.state import PlanState
    from outlast.ports.model import Model
    from outlast.texts import Language

N = TypeVar("N", int, float)
MIN_ANSWER_TOKENS: Final = 256  # a shorter answer is not useful
_WARNING_LEVEL: Final = 0.8


class BudgetMiddleware:
    """Fills in the reservation of a call; the commit that starts the attempt enforces it.

    The input tokens are at most the bytes of the request, and at most those of the last request
    plus the bytes that are new. The answer is limited to what the budget allows, as long as that is
    useful.
    """

    def __init__(
        self,
        inner: e.Handler,
        run: Run,
        model: Model,
        limits: Limits,
        language: Language = "en",
    ) -> None:
        self._inner, self._run = inner, run
        self._model_name, self._price = model.name, model.price
        self._limits, self._language = limits, language
        self._last_request: tuple[int, Counter[bytes]] | None = None

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Reserve the cost of `Think` and `Act`."""
        if not isinstance(effect, e.Think | e.Act):
            return await self._inner.handle(effect)
        before = self._used_share(self._run.view())
        left = self._run.read(lambda state: _tighter_budget(state, effect.task or 0))
        if isinstance(effect, e.Think) and left.money is not None and self._price is None:
            return self._refuse_unknown_price()
        parts = _request_parts(effect) if isinstance(effect, e.Think) else Counter[bytes]()
        reply = await self._inner.handle(self._reserve(effect, left, parts))
        if isinstance(reply, e.Thought) and reply.usage is not None and reply.usage.input:
            self._last_request = reply.usage.input, parts
        if isinstance(reply, e.Thought | e.Acted):
            await self._emit_spent(before, reply)
        return reply

    def _refuse_unknown_price(self) -> e.Thought:
        """Refuse a call whose price is unknown: a limit in dollars could not be enforced."""
        error = InvalidArgument("price_unknown", argument="budget.money", model=self._model_name)
        now, plan = self._run.now(), self._run.view()
        return e.Thought(now, plan, error=explain(error, self._language), code=error.code)

    def _reserve(
        self, effect: e.Think | e.Act, left: Budget, parts: Counter[bytes]
    ) -> e.Think | e.Act:
        if isinstance(effect, e.Act):
            replans = self._run.read(lambda state: is_replan(state, effect.call))
            seconds = _seconds_to_reserve(self._limits.tool_seconds, left.time)
            return replace(effect, reserve=Spend(tool_calls=1, time=seconds, replans=int(replans)))
        input_tokens = self._input_tokens(parts)
        answer_tokens = self._answer_tokens(left, input_tokens)
        reserve = Spend(
            model_calls=1,
            tokens=0 if left.tokens is None else input_tokens + answer_tokens,
            money=self._money_to_reserve(left, input_tokens, answer_tokens),
            time=_seconds_to_reserve(self._limits.model_seconds, left.time),
        )
        return replace(effect, reserve=reserve, max_tokens=answer_tokens)

    def _input_tokens(self, parts: Counter[bytes]) -> int:
        whole = sum(map(len, parts.elements()))
        if self._last_request is None:
            return whole
        tokens, known_parts = self._last_request
        return min(whole, tokens + sum(map(len, (parts - known_parts).elements())))

    def _answer_tokens(self, left: Budget, input_tokens: int) -> int:
        """Return the limit of the answer: the usual one, or what the budget can pay for."""
        usual = self._limits.max_tokens
        limit = usual if left.tokens is None else min(usual, left.tokens - input_tokens)
        if left.money is not None and self._price is not None and self._price.output > 0:
            money_left = left.money - tokens_price(input_tokens, 0, self._price)
            limit = min(limit, int(money_left * 1_000_000 / self._price.output))
        return usual if limit < min(MIN_ANSWER_TOKENS, usual) else limit

    def _money_to_reserve(self, left: Budget, input_tokens: int, answer_tokens: int) -> float:
        if left.money is None or self._price is None:
            return 0.0
        return tokens_price(input_tokens, answer_tokens, self._price)

    async def _emit_spent(self, before: float, reply: e.Thought | e.Acted) -> None:
        plan = reply.plan
        usage = reply.usage if isinstance(reply, e.Thought) else None
        was_counted = usage is not None and (usage.tokens or not reply.error)
        if plan.budget == NO_LIMIT and not was_counted:
            return
        await self._inner.handle(e.Emit(Spent(plan.used, plan.budget)))
        level = self._used_share(plan)
        if before < _WARNING_LEVEL <= level:
            warning = text("budget_warning", self._language, percent=int(level * 100))
            await self._inner.handle(e.Emit(Notified(warning, "budget")))

    def _used_share(self, plan: e.PlanView) -> float:
        """Return the largest used share of any limited amount."""
        limits = ((getattr(plan.used, what), getattr(plan.budget, what)) for what in AMOUNTS)
        return max((used / limit for used, limit in limits if limit), default=0.0)


def _tighter_budget(state: PlanState, task: int) -> Budget:
    """Return the remaining budget of the task or of the plan, whichever is lower."""
    whole, own = remaining_budget(state), remaining_budget(state, task) if task else NO_LIMIT
    return Budget(
        tokens=_lower(whole.tokens, own.tokens),
        money=_lower(whole.money, own.money),
        time=_lower(whole.time, own.time),
    )


def _lower(first: N | None, second: N | None) -> N | None:
    return min((value for value in (first, second) if value is not None), default=None)


def _seconds_to_reserve(usual: float, left: float | None) -> float:
    """Return the seconds to reserve: 0 if time is not limited."""
    return 0.0 if left is None else min(usual, left) or usual


def _request_parts(effect: e.Think) -> Counter[bytes]:
    return Counter(json.encode(part) for part in (*effect.messages, *effect.tools))
