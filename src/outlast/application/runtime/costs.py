"""What an effect can cost at most, and what it has cost."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

from msgspec import json
from msgspec.structs import replace

from outlast.domain.budget import Spend, within
from outlast.ports import effects as e

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.ports.model import Price, Usage

_MILLION: Final = 1_000_000
_MOST: Final = 10**12  # tokens or dollars of one reply


def cost_of(effect: e.Think | e.Act, reply: e.Thought | e.Acted, seconds: float) -> Spend:
    """Return what an effect has cost; where nobody counted, what was set aside for that."""
    aside = effect.reserve.time
    took = aside if seconds < 0 else min(seconds, aside or seconds)  # a clock may be set back
    if isinstance(reply, e.Acted):
        return replace(effect.reserve, model_calls=0, tool_calls=1, time=took)
    if reply.usage is not None:
        usage = reply.usage
        return Spend(1, usage.tokens, usage.money or 0.0, took)
    return Spend(1, effect.reserve.tokens, effect.reserve.money, took)


def of_planning(
    effect: e.Think | e.Act,
    reply: e.Thought | e.Acted,
    spent: Spend,
    is_planning: Callable[[str], bool],
) -> Spend:
    """Return the part of a cost that went into the plan itself."""
    if isinstance(effect, e.Act):
        return spent if is_planning(effect.call.name) else Spend()
    if not isinstance(reply, e.Thought) or reply.usage is None:
        return Spend()
    shown = min(effect.planning / max(characters(effect), 1), 1.0)
    plans = sum(size(call) for call in reply.calls if is_planning(call.name))
    said = plans / max(len(reply.text) + sum(map(size, reply.calls)), 1)
    tokens = ceil(reply.usage.input * shown) + ceil(reply.usage.output * said)
    return within(Spend(tokens=tokens), spent)


def characters(effect: e.Think) -> int:
    """Return how long a request is, about."""
    return sum(len(one.text) for one in effect.messages) + sum(map(size, effect.tools))


def size(value: object) -> int:
    """Return how many bytes a value has as JSON: no tokenizer makes more tokens out of it."""
    return len(json.encode(value))


def price_of(input_tokens: int, output_tokens: int, price: Price) -> float:
    """Return the dollars for so many tokens."""
    return (input_tokens * price.input + output_tokens * price.output) / _MILLION


def priced(usage: Usage | None, price: Price | None) -> Usage | None:
    """Return a usage with its price, where that is known; None if nobody can have used that."""
    if usage is None or not _is_possible(usage):
        return None
    if usage.money is not None or price is None:
        return usage
    return replace(usage, money=price_of(usage.input, usage.output, price))


def _is_possible(usage: Usage) -> bool:
    amounts = (usage.input, usage.output, usage.cached, usage.money or 0.0)
    return all(isinstance(one, int | float) and 0 <= one <= _MOST for one in amounts)
