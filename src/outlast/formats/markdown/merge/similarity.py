"""How alike two names are."""

from __future__ import annotations

from typing import Final

_CHARACTERS: Final = 200


def likeness(one: str, other: str) -> float:
    """Return 1 for the same name, 0 for names that have nothing in common."""
    if one == other:
        return 1.0
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one[:_CHARACTERS], other[:_CHARACTERS], autojunk=False).ratio()
