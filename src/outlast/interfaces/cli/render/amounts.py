"""Amounts of work in words: tokens, dollars, seconds, calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.budget import AMOUNTS
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.domain.budget import Budget, Spend
    from outlast.texts import Language

_WORDS: Final = {
    "steps": "amount_of_steps",
    "tokens": "amount_of_tokens",
    "money": "amount_of_money",
    "seconds": "amount_of_time",
    "calls": "amount_of_calls",
    "replans": "amount_of_replans",
}
_MINUTE: Final = 60
_HOUR: Final = 3_600


def amounts(spend: Spend, language: Language) -> list[str]:
    """Return each amount that is not nothing, in words."""
    given = ((what, value) for what, value in _given(spend) if value)
    return [in_words(what, figure(what, value), language) for what, value in given]


def limited(budget: Budget) -> Iterator[tuple[str, float]]:
    """Yield what a budget limits, and to how much."""
    return ((what, limit) for what, limit in _given(budget) if limit is not None)


def in_words(what: str, count: str, language: Language) -> str:
    """Return the figure of an amount with what it is an amount of."""
    return text(_WORDS[what], language, count=count)


def figure(what: str, value: float) -> str:
    """Return the figure of an amount, as short as it can be read."""
    if what == "money":
        return f"{value:.2f}" if value >= 1 or not value else f"{value:.4f}"
    if what == "seconds":
        return _time(value)
    return f"{round(value):,}"


def _time(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), _MINUTE)
    if seconds < _HOUR:
        return f"{minutes} min {rest} s"
    return f"{minutes // _MINUTE} h {minutes % _MINUTE} min"


def _given(of: Spend | Budget) -> Iterator[tuple[str, float]]:
    return ((what, getattr(of, what)) for what in AMOUNTS)
