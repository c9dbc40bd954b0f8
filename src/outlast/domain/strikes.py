"""When two errors are the same one: the key under which strikes are counted (R4.07)."""

from __future__ import annotations

import re
from typing import Final

_NUMBERS: Final = re.compile("[0-9]+")
_CHARACTERS: Final = 100


def strike_key(tool: str, message: str) -> str:
    """Return the key of an error: its tool, and its message without what only counts."""
    return f"{tool}:{_NUMBERS.sub('N', message)[:_CHARACTERS]}"
