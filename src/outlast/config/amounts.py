"""Parse amounts as people write them: `200k` tokens, `$2`, `30m`."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from outlast.errors import InvalidSetting
from outlast.model.budget import AMOUNTS, Budget

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST: Final = 20
_NUMBER: Final = r"([0-9]+(?:\.[0-9]+)?)"
_COUNT: Final = re.compile(_NUMBER + "([kmg]?)")
_MONEY: Final = re.compile(r"\$?" + _NUMBER + "()")
_TIME: Final = re.compile(_NUMBER + "([smhd]?)")
_THOUSANDS: Final = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}


def parse_budget(given: str) -> Budget:
    """Parse a budget such as `tokens=200k,money=2,time=30m`."""
    limits: dict[str, int | float] = {}
    for part in given.split(","):
        name, _, written = (word.strip() for word in part.partition("="))
        amount = parse_amount(name, written) if name in AMOUNTS else None
        if amount is None or name in limits:
            raise InvalidSetting("budget_unclear", part=part.strip(), known=list(AMOUNTS))
        limits[name] = amount
    return Budget(**limits)  # type: ignore[arg-type]


def parse_amount(name: str, given: str) -> int | float | None:
    """Parse one amount of a budget: a count, dollars or seconds. Return None if it is unclear."""
    if name == "money":
        money = _parse_number(_MONEY, {"": 1}, given)
        return None if money is None else float(money)
    if name == "time":
        seconds = _parse_number(_TIME, _SECONDS, given)
        return None if seconds is None else float(seconds)
    count = _parse_number(_COUNT, _THOUSANDS, given.lower())
    return int(count) if count is not None and count == int(count) else None


def _parse_number(pattern: re.Pattern[str], units: Mapping[str, int], given: str) -> Decimal | None:
    match = pattern.fullmatch(given) if len(given) <= _LONGEST else None
    return None if match is None else Decimal(match[1]) * units[match[2]]
