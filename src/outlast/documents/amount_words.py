"""Amounts in words: money, durations, tokens and calls, as short as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.language import Language, text
from outlast.model.budget import AMOUNTS, Budget, Spend

if TYPE_CHECKING:
    from collections.abc import Iterator


COUNTED: Final = {
    "model_calls": ("amount_of_model_calls", "unit_model_calls"),
    "tokens": ("amount_of_tokens", "unit_tokens"),
    "tool_calls": ("amount_of_tool_calls", "unit_tool_calls"),
    "replans": ("amount_of_replans", "unit_replans"),
}
_MINUTE: Final = 60
_HOUR: Final = 3_600


def amount_texts(spend: Spend, language: Language) -> list[str]:
    """Return each amount that is not zero, with its unit."""
    return [amount_text(kind, value, language) for kind, value in _amount_items(spend) if value]


def limits_in(budget: Budget) -> Iterator[tuple[str, float]]:
    """Yield each limit of a budget."""
    return ((kind, limit) for kind, limit in _amount_items(budget) if limit is not None)


def amount_text(kind: str, value: float, language: Language) -> str:
    """Return an amount with its unit, such as `3 model calls`."""
    if kind not in COUNTED:
        return figure(kind, value, language)
    return text(COUNTED[kind][0], language, count=round(value))


def part_of_limit(kind: str, amount: float, limit: float, language: Language) -> str:
    """Return an amount as part of a limit, such as `3 of 20 model calls`."""
    words = text(
        "amount_of_limit",
        language,
        amount=figure(kind, amount, language),
        limit=figure(kind, limit, language),
        unit=text(COUNTED[kind][1], language) if kind in COUNTED else "",
    )
    return words.strip()


def figure(kind: str, value: float, language: Language) -> str:
    """Return the figure of an amount, as short as possible."""
    if kind == "money":
        return f"${value:,.2f}" if value >= 1 or not value else f"${value:.4f}"
    if kind == "time":
        return duration(value, language)
    return f"{round(value):,}"


def duration(seconds: float, language: Language) -> str:
    """Return a duration with its units."""
    if seconds < _MINUTE:
        return text("time_seconds", language, seconds=f"{seconds:.1f}")
    minutes, rest = divmod(round(seconds), _MINUTE)
    if seconds < _HOUR:
        return text("time_minutes", language, minutes=minutes, seconds=rest)
    hours, minutes = divmod(minutes, _MINUTE)
    return text("time_hours", language, hours=hours, minutes=minutes)


def _amount_items(of: Spend | Budget) -> Iterator[tuple[str, float]]:
    return ((kind, getattr(of, kind)) for kind in AMOUNTS)
