"""Amounts as people write them: `200k` tokens, `$2`, `30m`."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from outlast.domain.budget import AMOUNTS, Budget
from outlast.errors import InvalidSetting

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST: Final = 20
_NUMBER: Final = r"([0-9]+(?:\.[0-9]+)?)"
_COUNT: Final = re.compile(_NUMBER + "([kmg]?)")
_MONEY: Final = re.compile(r"\$?" + _NUMBER + "()")
_TIME: Final = re.compile(_NUMBER + "([smhd]?)")
_THOUSANDS: Final = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}


def read_budget(given: str) -> Budget:
    """Return a budget that is written as `tokens=200k,money=2,time=30m`."""
    found: dict[str, int | float] = {}
    for part in given.split(","):
        name, _, written = (one.strip() for one in part.partition("="))
        amount = read_amount(name, written) if name in AMOUNTS else None
        if amount is None or name in found:
            raise InvalidSetting("budget_unclear", part=part.strip(), known=list(AMOUNTS))
        found[name] = amount
    return Budget(**found)  # type: ignore[arg-type]


def read_amount(name: str, given: str) -> int | float | None:
    """Return one amount of a budget: so many tokens and the like, dollars, or seconds.

    None stands for what cannot be understood.
    """
    if name == "money":
        money = _read(_MONEY, {"": 1}, given)
        return None if money is None else float(money)
    if name == "time":
        seconds = _read(_TIME, _SECONDS, given)
        return None if seconds is None else float(seconds)
    count = _read(_COUNT, _THOUSANDS, given.lower())
    return int(count) if count is not None and count == int(count) else None


def _read(pattern: re.Pattern[str], units: Mapping[str, int], given: str) -> Decimal | None:
    match = pattern.fullmatch(given) if len(given) <= _LONGEST else None
    return None if match is None else Decimal(match[1]) * units[match[2]]
