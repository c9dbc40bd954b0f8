"""Budgets and spending: limits on six amounts, and the arithmetic with them (X4)."""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from outlast.model.values import Value

LARGEST_AMOUNT: Final = 2**53  # sums stop here
_LARGEST_FRACTION: Final = float(LARGEST_AMOUNT)
_PLACES: Final = 9  # decimal places of dollars and seconds; the rest is rounding noise
_ZERO: Final = 0.0  # the very default, so that msgspec omits it


class Spend(Value, frozen=True, gc=False, omit_defaults=True):
    """An amount of work: model calls, tokens, dollars, seconds, tool calls and replans."""

    model_calls: int = field(default=0, name="steps")
    tokens: int = 0
    money: float = _ZERO
    time: float = field(default=_ZERO, name="seconds")
    tool_calls: int = field(default=0, name="calls")
    replans: int = 0


class Budget(Value, frozen=True, gc=False, omit_defaults=True):
    """The limits on each amount; None is no limit."""

    model_calls: int | None = field(default=None, name="steps")
    tokens: int | None = None
    money: float | None = None
    time: float | None = field(default=None, name="seconds")
    tool_calls: int | None = field(default=None, name="calls")
    replans: int | None = None


class Overrun(Struct, frozen=True, gc=False):
    """A limit that would be exceeded: how much of it is used, and how much more is needed."""

    what: str
    limit: float
    used: float
    needs: float


NOTHING: Final = Spend()
REPLAN: Final = Spend(replans=1)  # changing the list of tasks after work has begun
NO_LIMIT: Final = Budget()
AMOUNTS: Final = Spend.__struct_fields__


def round_amount(amount: float) -> float:
    """Remove floating-point noise, so that cents add up to a dollar."""
    return round(amount, _PLACES) or _ZERO


def update_budget(known: Budget, given: Budget) -> Budget:
    """Replace the limits that are given; the others stay."""
    limits = ((what, getattr(given, what)) for what in AMOUNTS)
    return replace(known, **{what: limit for what, limit in limits if limit is not None})


def add_spend(first: Spend, second: Spend) -> Spend:
    """Add two amounts."""
    if NOTHING in (first, second):
        return first if second == NOTHING else second
    return Spend(
        min(first.model_calls + second.model_calls, LARGEST_AMOUNT),
        min(first.tokens + second.tokens, LARGEST_AMOUNT),
        min(round(first.money + second.money, _PLACES), _LARGEST_FRACTION) or _ZERO,
        min(round(first.time + second.time, _PLACES), _LARGEST_FRACTION) or _ZERO,
        min(first.tool_calls + second.tool_calls, LARGEST_AMOUNT),
        min(first.replans + second.replans, LARGEST_AMOUNT),
    )


def spend_between(before: Spend, after: Spend) -> Spend:
    """Return what was spent between two amounts of the same account."""
    return Spend(
        max(after.model_calls - before.model_calls, 0),
        max(after.tokens - before.tokens, 0),
        max(round_amount(after.money - before.money), _ZERO),
        max(round_amount(after.time - before.time), _ZERO),
        max(after.tool_calls - before.tool_calls, 0),
        max(after.replans - before.replans, 0),
    )


def sum_spend(amounts: Iterable[Spend]) -> Spend:
    """Add any number of amounts."""
    total = NOTHING
    for amount in amounts:
        total = add_spend(total, amount)
    return total


def cap_spend(part: Spend, whole: Spend) -> Spend:
    """Limit each amount of a part to that of the whole."""
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


def find_overrun(budget: Budget, used: Spend, needs: Spend) -> Overrun | None:
    """Return the first limit that using `needs` more would exceed; a need of 0 exceeds none."""
    for what in AMOUNTS:
        limit: float | None = getattr(budget, what)
        need: float = getattr(needs, what)
        if need and limit is not None:
            before: float = getattr(used, what)
            if round_amount(before + need) > limit:
                return Overrun(what, limit, before, need)
    return None


def subtract_spend(budget: Budget, used: Spend) -> Budget:
    """Return what is left of a budget; None is no limit."""
    return Budget(
        _subtract_count(budget.model_calls, used.model_calls),
        _subtract_count(budget.tokens, used.tokens),
        _subtract_amount(budget.money, used.money),
        _subtract_amount(budget.time, used.time),
        _subtract_count(budget.tool_calls, used.tool_calls),
        _subtract_count(budget.replans, used.replans),
    )


def free_reservation(left: Budget, reserved: Spend, spent: Spend) -> Budget:
    """Return what is left of a budget once a reservation is replaced by what was spent."""
    difference = (getattr(spent, what) - getattr(reserved, what) for what in AMOUNTS)
    return subtract_spend(left, Spend(*difference))


def _subtract_count(limit: int | None, used: int) -> int | None:
    return None if limit is None else max(limit - used, 0)


def _subtract_amount(limit: float | None, used: float) -> float | None:
    return None if limit is None else max(round_amount(limit - used), 0.0)
