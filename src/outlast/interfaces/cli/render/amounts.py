"""Amounts of work in words: tokens, dollars, seconds, calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.budget import AMOUNTS
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.domain.budget import Budget, Spend
    from outlast.texts import Language

_COUNTS: Final = {
    "model_calls": ("amount_of_model_calls", "unit_model_calls"),
    "tokens": ("amount_of_tokens", "unit_tokens"),
    "tool_calls": ("amount_of_tool_calls", "unit_tool_calls"),
    "replans": ("amount_of_replans", "unit_replans"),
}
_MINUTE: Final = 60
_HOUR: Final = 3_600


def amounts(spend: Spend, language: Language) -> list[str]:
    """Return each amount that is not zero, in words."""
    return [in_words(what, value, language) for what, value in _given(spend) if value]


def limited(budget: Budget) -> Iterator[tuple[str, float]]:
    """Yield what a budget limits, and to how much."""
    return ((what, limit) for what, limit in _given(budget) if limit is not None)


def in_words(what: str, value: float, language: Language) -> str:
    """Return an amount with its unit, such as `3 model calls`."""
    if what not in _COUNTS:
        return figure(what, value, language)
    return text(_COUNTS[what][0], language, count=round(value))


def part_of_limit(what: str, amount: float, limit: float, language: Language) -> str:
    """Return how much of a limit an amount is, such as `3 of 20 model calls`."""
    words = text(
        "amount_of_limit",
        language,
        amount=figure(what, amount, language),
        limit=figure(what, limit, language),
        unit=text(_COUNTS[what][1], language) if what in _COUNTS else "",
    )
    return words.strip()


def figure(what: str, value: float, language: Language) -> str:
    """Return the figure of an amount, as short as it can be read."""
    if what == "money":
        return f"${value:,.2f}" if value >= 1 or not value else f"${value:.4f}"
    if what == "time":
        return duration(value, language)
    return f"{round(value):,}"


def duration(seconds: float, language: Language) -> str:
    """Return a time span in words."""
    if seconds < _MINUTE:
        return text("time_seconds", language, seconds=f"{seconds:.1f}")
    minutes, rest = divmod(round(seconds), _MINUTE)
    if seconds < _HOUR:
        return text("time_minutes", language, minutes=minutes, seconds=rest)
    hours, minutes = divmod(minutes, _MINUTE)
    return text("time_hours", language, hours=hours, minutes=minutes)


def _given(of: Spend | Budget) -> Iterator[tuple[str, float]]:
    return ((what, getattr(of, what)) for what in AMOUNTS)
