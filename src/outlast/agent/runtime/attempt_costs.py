"""The cost of attempts, and the part of it that was spent on planning."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Final

from msgspec import json
from msgspec.structs import replace

from outlast.agent.effects import Acted, Delegated, Thought
from outlast.model.budget import Spend, cap_spend
from outlast.plan.tools.tool_sets import find_tool

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.context.chat_model import Price, Usage

_MILLION: Final = 1_000_000
_MAX_AMOUNT: Final = 10**12  # tokens or dollars of one reply


def attempt_cost(
    effect: e.Attempted[Any], outcome: Thought | Acted | Delegated, seconds: float
) -> Spend:
    """Return the cost of an attempt; amounts that were not measured count as reserved."""
    reserved = effect.reserve.time
    # Negative seconds: the clock was set back.
    elapsed = reserved if seconds < 0 else min(seconds, reserved or seconds)
    if isinstance(outcome, Delegated):
        return replace(outcome.result.spent, time=elapsed)
    if isinstance(outcome, Acted):
        return replace(effect.reserve, model_calls=0, tool_calls=1, time=elapsed)
    if outcome.usage is not None:
        usage = outcome.usage
        return Spend(1, usage.tokens, usage.money or 0.0, elapsed)
    return Spend(1, effect.reserve.tokens, effect.reserve.money, elapsed)


def planning_cost(
    effect: e.Think, thought: Thought, spent: Spend, request_characters: int
) -> Spend:
    """Return the part of the cost of a thought that was spent on planning."""
    if thought.usage is None:
        return Spend()
    input_share = min(effect.planning_characters / max(request_characters, 1), 1.0)
    planning_size = sum(json_size(call) for call in thought.calls if find_tool(call.name))
    output_share = planning_size / max(len(thought.text) + sum(map(json_size, thought.calls)), 1)
    tokens = ceil(thought.usage.input * input_share) + ceil(thought.usage.output * output_share)
    return cap_spend(Spend(tokens=tokens), spent)


def json_size(value: object) -> int:
    """Return the size of a value as JSON in bytes; no tokenizer makes more tokens of it."""
    return len(json.encode(value))


def tokens_price(input_tokens: int, output_tokens: int, price: Price) -> float:
    """Return the price of tokens in dollars."""
    return (input_tokens * price.input + output_tokens * price.output) / _MILLION


def add_price(usage: Usage | None, price: Price | None) -> Usage | None:
    """Return a usage with its price, if that is known; None for an implausible usage."""
    if usage is None or not _is_plausible(usage):
        return None
    if usage.money is not None or price is None:
        return usage
    return replace(usage, money=tokens_price(usage.input, usage.output, price))


def _is_plausible(usage: Usage) -> bool:
    amounts = (usage.input, usage.output, usage.cached, usage.money or 0.0)
    return all(isinstance(amount, int | float) and 0 <= amount <= _MAX_AMOUNT for amount in amounts)
