"""What attempts cost: the size of requests, prices, and the part that was spent on planning."""

from __future__ import annotations

from hashlib import sha256
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, json
from msgspec.structs import replace

from outlast.agent.effects import Acted, Delegated, Thought
from outlast.context.chat_model import Message, Price, ToolSpec, Usage
from outlast.model.budget import Spend, cap_spend
from outlast.plan.tools.tool_sets import find_tool

if TYPE_CHECKING:
    from outlast.agent import effects as e

_MILLION: Final = 1_000_000
_MAX_AMOUNT: Final = 10**12  # tokens or dollars of one reply


def attempt_cost(
    effect: e.Attempted[Any], outcome: Thought | Acted | Delegated, seconds: float
) -> Spend:
    """Return the cost of an attempt; amounts that were not measured count as reserved."""
    reserved = effect.reserve.time
    elapsed = min(seconds, reserved or seconds)
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


class RequestSize(Struct, frozen=True):
    """The size of a request, in bytes and characters.

    No tokenizer makes more tokens than bytes, so `max_tokens` bounds the input. The `new` messages
    are those that the request before did not have.
    """

    characters: int
    max_tokens: int
    new: tuple[Message, ...]
    digest: str


class _Prefix(Struct, frozen=True):
    """The beginning of a conversation: its size, and the hash of its messages."""

    bytes: int
    characters: int
    hash: Any

    def extend(self, message: Message) -> _Prefix:
        encoded = json.encode(message)
        longer = self.hash.copy()
        longer.update(encoded)
        return _Prefix(self.bytes + len(encoded), self.characters + len(message.text), longer)


class RequestCursor:
    """Compares each request with the one before, which usually is its beginning.

    `last` is the size of the request that was measured last.
    """

    def __init__(self) -> None:
        self.last = RequestSize(0, 0, (), "")
        self._messages: tuple[Message, ...] = ()
        self._prefixes = [_Prefix(0, 0, sha256())]  # of each length
        self._tools: tuple[ToolSpec, ...] = ()
        self._tool_bytes = 0
        self._counted_tokens: int | None = None
        self._counted_messages = 0  # that this request shares with the one that was counted

    def measure(self, messages: tuple[Message, ...], tools: tuple[ToolSpec, ...]) -> RequestSize:
        """Measure a request; only messages that the last one did not have are encoded."""
        if tools != self._tools:
            self._tools, self._tool_bytes = tools, sum(len(json.encode(tool)) for tool in tools)
            self._counted_tokens = None
        same = _common_prefix(self._messages, messages)
        self._counted_messages = min(self._counted_messages, same)
        del self._prefixes[same + 1 :]
        for message in messages[same:]:
            self._prefixes.append(self._prefixes[-1].extend(message))
        replaced, self._messages = self._messages[same:], messages  # usually the plan's block
        new = tuple(message for message in messages[same:] if message not in replaced)
        whole = self._prefixes[-1]
        self.last = RequestSize(
            whole.characters + self._tool_bytes, self._max_tokens(), new, whole.hash.hexdigest()
        )
        return self.last

    def count(self, input_tokens: int) -> None:
        """Remember how many tokens the request measured last had."""
        self._counted_tokens, self._counted_messages = input_tokens, len(self._messages)

    def _max_tokens(self) -> int:
        """Return the bytes of the request, or the counted tokens and the bytes that are new."""
        whole = self._prefixes[-1].bytes
        if self._counted_tokens is None:
            return whole + self._tool_bytes
        new_bytes = whole - self._prefixes[self._counted_messages].bytes
        return min(whole + self._tool_bytes, self._counted_tokens + new_bytes)


def _common_prefix(first: tuple[Message, ...], second: tuple[Message, ...]) -> int:
    """Return how many messages two conversations have in common at their beginning."""
    length = min(len(first), len(second))
    if first[:length] == second[:length]:  # identical objects are equal at once
        return length
    return next(index for index in range(length) if first[index] != second[index])
