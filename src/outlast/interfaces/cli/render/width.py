"""How many columns of a terminal a text takes."""

from __future__ import annotations

from unicodedata import combining, east_asian_width


def width(text: str) -> int:
    """Return the columns of a text; Chinese characters take two."""
    return sum(2 if east_asian_width(c) in "WF" else not combining(c) for c in text)
