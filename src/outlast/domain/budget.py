"""What work may cost, and what it has cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST: Final = 2**53  # of anything: what is more is not counted any further
_PLACES: Final = 9  # of a dollar or a second: what is less is noise of the arithmetic

_ZERO: Final = 0.0  # this very value is left out where an amount is written


class Spend(Struct, frozen=True, gc=False, omit_defaults=True):
    """An amount of work: model calls, tokens, dollars, seconds, tool calls and replans."""

    model_calls: int = field(default=0, name="steps")
    tokens: int = 0
    money: float = _ZERO
    time: float = field(default=_ZERO, name="seconds")
    tool_calls: int = field(default=0, name="calls")
    replans: int = 0


class Budget(Struct, frozen=True, gc=False, omit_defaults=True):
    """How much of each may be spent in all; None sets no limit."""

    model_calls: int | None = field(default=None, name="steps")
    tokens: int | None = None
    money: float | None = None
    time: float | None = field(default=None, name="seconds")
    tool_calls: int | None = field(default=None, name="calls")
    replans: int | None = None


class Overrun(Struct, frozen=True, gc=False):
    """A limit that would be passed: what is used of it, and what is needed beyond that."""

    what: str
    limit: float
    used: float
    needs: float


NOTHING: Final = Spend()
REPLAN: Final = Spend(replans=1)  # a change to the list of tasks once work on it has begun
NO_LIMIT: Final = Budget()
AMOUNTS: Final = Spend.__struct_fields__


def rounded(amount: float) -> float:
    """Return an amount without the noise of the arithmetic, so that cents add up to a dollar."""
    return round(amount, _PLACES) or _ZERO


def renewed(known: Budget, given: Budget) -> Budget:
    """Return a budget with the limits that are given now; the others stay."""
    limits = ((what, getattr(given, what)) for what in AMOUNTS)
    return replace(known, **{what: limit for what, limit in limits if limit is not None})


def plus(one: Spend, other: Spend) -> Spend:
    """Return two amounts together."""
    if NOTHING in (one, other):
        return one if other == NOTHING else other
    return Spend(
        min(one.model_calls + other.model_calls, MOST),
        min(one.tokens + other.tokens, MOST),
        _sum(one.money, other.money),
        _sum(one.time, other.time),
        min(one.tool_calls + other.tool_calls, MOST),
        min(one.replans + other.replans, MOST),
    )


def total(amounts: Iterable[Spend]) -> Spend:
    """Return any number of amounts together."""
    found = NOTHING
    for amount in amounts:
        found = plus(found, amount)
    return found


def within(part: Spend, whole: Spend) -> Spend:
    """Return a part, cut to what the whole is."""
    if part == NOTHING:
        return NOTHING
    return Spend(
        min(part.model_calls, whole.model_calls),
        min(part.tokens, whole.tokens),
        min(part.money, whole.money) or _ZERO,
        min(part.time, whole.time) or _ZERO,
        min(part.tool_calls, whole.tool_calls),
        min(part.replans, whole.replans),
    )


def exceeds(budget: Budget, used: Spend, needs: Spend) -> Overrun | None:
    """Return the first limit that would be passed by using so much more; what needs none may."""
    for what in AMOUNTS:
        limit: float | None = getattr(budget, what)
        need: float = getattr(needs, what)
        if need and limit is not None:
            before: float = getattr(used, what)
            if rounded(before + need) > limit:
                return Overrun(what, limit, before, need)
    return None


def left(budget: Budget, used: Spend) -> Budget:
    """Return how much may still be used of each; None has no limit."""
    return Budget(
        _rest(budget.model_calls, used.model_calls),
        _rest(budget.tokens, used.tokens),
        _remains(budget.money, used.money),
        _remains(budget.time, used.time),
        _rest(budget.tool_calls, used.tool_calls),
        _rest(budget.replans, used.replans),
    )


def _sum(one: float, other: float) -> float:
    return min(rounded(one + other), float(MOST))


def _rest(limit: int | None, used: int) -> int | None:
    return None if limit is None else max(limit - used, 0)


def _remains(limit: float | None, used: float) -> float | None:
    return None if limit is None else max(rounded(limit - used), 0.0)
