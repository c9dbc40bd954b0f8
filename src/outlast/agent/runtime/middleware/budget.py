"""Reserve the maximum cost of a call before it starts, and report what was spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Outcome, Thought
from outlast.agent.events import Notified, Spent
from outlast.agent.runtime.attempt_costs import tokens_price
from outlast.agent.runtime.delegation import uses_lane
from outlast.errors import InvalidArgument, OutOfBudget
from outlast.language import explain, text
from outlast.model.budget import AMOUNTS, NO_LIMIT, NOTHING, Budget, Spend
from outlast.model.commands import Charge
from outlast.model.execute import return_commit
from outlast.model.plan_costs import tightest_budget
from outlast.plan.tools.tool_sets import LIST_TOOLS, is_replan

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from outlast.agent.runtime.lane import CallNext, Lane
    from outlast.config.settings import Limits
    from outlast.context.chat_model import Price
    from outlast.context.plan_view import PlanView

T = TypeVar("T", e.Think, e.Act, e.Delegate)
S = TypeVar("S")
MIN_ANSWER_TOKENS: Final = 256  # a shorter answer is not useful
_LEAST_MONEY: Final = 0.01  # dollars that must be left to start an agent
_WARNING_LEVEL: Final = 0.8


async def reserve_tokens(effect: e.Think, lane: Lane, call_next: CallNext) -> Outcome:
    """Fill in the reservation of a model call; the commit that starts the attempt enforces it.

    The input tokens are at most the bytes of the request, and at most those of the last request
    plus the bytes that are new. The answer is limited to what the budget allows, as long as that is
    useful.
    """
    model = lane.run.resources.model
    limits = lane.run.spec.settings.limits
    if lane.budget_left.money is not None and model.price is None:
        return _refuse_unknown_price(lane)
    size = lane.requests.measure(effect.messages, effect.tools)

    def reserve(left: Budget, answer_tokens: int) -> Spend:
        return Spend(
            model_calls=1,
            tokens=0 if left.tokens is None else size.max_tokens + answer_tokens,
            money=_money_to_reserve(left, size.max_tokens, answer_tokens, model.price),
            time=_seconds_to_reserve(limits.model_seconds, left.time),
        )

    def fill_in(left: Budget) -> e.Think:
        answer_tokens = _answer_tokens(left, size.max_tokens, limits, model.price)
        reserved = reserve(left, answer_tokens)
        return replace(effect, reserve=reserved, max_tokens=answer_tokens)

    least = replace(
        reserve(lane.budget_left, min(MIN_ANSWER_TOKENS, limits.max_tokens)), time=0.0
    )  # any time that is left is enough
    outcome = await _call_within_budget(effect, lane, call_next, fill_in, least)
    if isinstance(outcome, Thought) and outcome.usage is not None and outcome.usage.input:
        lane.requests.count(outcome.usage.input)
    return outcome


async def reserve_tool_call(effect: e.Act, lane: Lane, call_next: CallNext) -> Outcome:
    """Fill in the reservation of a tool call."""
    seconds = lane.run.spec.settings.limits.tool_seconds

    def fill_in(left: Budget) -> e.Act:
        reserve = Spend(tool_calls=1, time=_seconds_to_reserve(seconds, left.time))
        return replace(effect, reserve=reserve)

    return await _call_within_budget(effect, lane, call_next, fill_in, Spend(tool_calls=1))


async def reserve_order(effect: e.Delegate, lane: Lane, call_next: CallNext) -> Outcome:
    """Start an agent only if something is left of the budget, and give it no more time than that.

    What it will cost is not known, so that agents side by side may exceed the budget together. The
    calls of an agent that works inside of the run have reservations of their own.
    """
    if uses_lane(effect, lane):
        return await call_next(effect)
    order = effect.order

    def fill_in(left: Budget) -> e.Delegate:
        seconds = _seconds_to_reserve(order.timeout, left.time)
        reserve = Spend(
            tokens=0 if left.tokens is None else 1,
            money=0.0 if left.money is None else _LEAST_MONEY,
            time=seconds,
        )
        timeout = max(round(seconds, 1), 0.1) if seconds else order.timeout
        limited = replace(order, timeout=timeout, money=left.money)
        return replace(effect, order=limited, reserve=reserve)

    least = Spend(tokens=1, money=_LEAST_MONEY)
    return await _call_within_budget(effect, lane, call_next, fill_in, least)


async def charge_plan_tool(effect: e.PlanTool, lane: Lane, call_next: CallNext) -> Outcome:
    """Charge a call of a plan tool, before it runs if its cost is limited; its time afterwards."""
    monotonic = lane.run.resources.monotonic
    before, started = _used_share(lane.view), monotonic()
    is_limited = lane.snapshot.remaining != NO_LIMIT
    replans = 0
    if effect.call.name in LIST_TOOLS:
        replans = int(await lane.read(lambda state: is_replan(state, effect.call)))
    cost = Spend(tool_calls=1, replans=replans)
    if is_limited:
        charge = Charge(cost, effect.task, planning=cost, limited=True)
        try:
            await _wait_while_reserved(lane, cost, lambda: lane.commit((charge,), return_commit))
        except OutOfBudget as error:
            return Acted(error=lane.run.error_text(error), code=error.code)
        cost, started = NOTHING, monotonic()
    outcome = await call_next(effect)
    cost = replace(cost, time=monotonic() - started)  # it may have run checks
    lane.defer(Charge(cost, effect.task, planning=cost))
    _emit_spent(lane, before, was_counted=False)
    return outcome


async def _call_within_budget(
    effect: T, lane: Lane, call_next: CallNext, fill_in: Callable[[Budget], T], least: Spend
) -> Outcome:
    """Start an attempt with a reservation of what is left, but of no less than `least`.

    Tell listeners what was spent.
    """
    before, commands = _used_share(lane.view), effect.commands

    async def start() -> Outcome:
        nonlocal commands
        filled_in = replace(fill_in(await _budget_left(lane, effect.task)), commands=commands)
        commands = ()  # a refused start has committed them
        return await call_next(filled_in)

    try:
        outcome = await _wait_while_reserved(lane, least, start)
    except OutOfBudget as error:
        outcome = effect.failure(lane.run.error_text(error), error.code)
    _emit_spent(lane, before, was_counted=isinstance(outcome, Thought) and _was_counted(outcome))
    return outcome


def _was_counted(thought: Thought) -> bool:
    usage = thought.usage
    return usage is not None and bool(usage.tokens or not thought.error)


async def _wait_while_reserved(lane: Lane, least: Spend, call: Callable[[], Awaitable[S]]) -> S:
    """Make a call; repeat it while only what other lanes have reserved is in its way."""
    while True:
        ended = lane.run.ended_attempts
        try:
            return await call()
        except OutOfBudget as error:
            facts: dict[str, Any] = error.details
            needed = facts["used"] - facts["reserved"] + getattr(least, facts["what"])
            if needed > facts["limit"] or not await lane.run.wait_for_budget(ended):
                raise
            await lane.refresh()


async def _budget_left(lane: Lane, task: int | None) -> Budget:
    """Return what a task may still spend; its lane knows that of its current task."""
    current = lane.view.current
    if (task or 0) == (current.id if current else 0):
        return lane.budget_left
    return await lane.read(lambda state: tightest_budget(state, task or 0))


def _refuse_unknown_price(lane: Lane) -> Thought:
    """Refuse a call whose price is unknown: a limit in dollars could not be enforced."""
    model = lane.run.resources.model.name
    error = InvalidArgument("price_unknown", argument="budget.money", model=model)
    return Thought(error=explain(error, lane.run.language), code=error.code)


def _answer_tokens(left: Budget, input_tokens: int, limits: Limits, price: Price | None) -> int:
    """Return the limit of the answer: the usual one, or what the budget can pay for."""
    usual = limits.max_tokens
    limit = usual if left.tokens is None else min(usual, left.tokens - input_tokens)
    if left.money is not None and price is not None and price.output > 0:
        money_left = left.money - tokens_price(input_tokens, 0, price)
        limit = min(limit, int(money_left * 1_000_000 / price.output))
    return usual if limit < min(MIN_ANSWER_TOKENS, usual) else limit


def _money_to_reserve(
    left: Budget, input_tokens: int, answer_tokens: int, price: Price | None
) -> float:
    if left.money is None or price is None:
        return 0.0
    return tokens_price(input_tokens, answer_tokens, price)


def _seconds_to_reserve(usual: float, left: float | None) -> float:
    """Return the seconds to reserve: 0 if time is not limited."""
    return 0.0 if left is None else min(usual, left) or usual


def _emit_spent(lane: Lane, before: float, *, was_counted: bool) -> None:
    plan = lane.view
    if plan.budget == NO_LIMIT and not was_counted:
        return
    lane.emit(Spent(plan.used, plan.budget))
    level = _used_share(plan)
    if before < _WARNING_LEVEL <= level:
        warning = text("budget_warning", lane.run.language, percent=int(level * 100))
        lane.emit(Notified(warning, "budget"))


def _used_share(plan: PlanView) -> float:
    """Return the largest used share of any limited amount."""
    limits = ((getattr(plan.used, what), getattr(plan.budget, what)) for what in AMOUNTS)
    return max((used / limit for used, limit in limits if limit), default=0.0)
