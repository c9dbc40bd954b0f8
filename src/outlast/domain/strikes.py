"""Strikes: the key under which equal errors of a tool are counted (R4.07)."""

from __future__ import annotations

import re
from typing import Final

_NUMBERS: Final = re.compile("[0-9]+")
_CHARACTERS: Final = 100


def strike_key(tool: str, message: str) -> str:
    """Return the tool and the message with every number replaced by N."""
    return f"{tool}:{_NUMBERS.sub('N', message)[:_CHARACTERS]}"
