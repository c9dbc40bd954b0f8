"""Columns of a terminal, in which Chinese characters and emoji take two."""

from __future__ import annotations

from typing import Final
from unicodedata import category, east_asian_width

_WITHOUT_WIDTH: Final = ("Mn", "Me", "Cf")  # accents, variation selectors, joiners


def text_width(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(map(character_width, text))


def character_width(character: str) -> int:
    """Return how many columns a character takes."""
    if character.isascii():
        return 1
    if category(character) in _WITHOUT_WIDTH:
        return 0
    return 2 if is_wide(character) else 1


def is_wide(character: str) -> bool:
    """Return whether a character takes two columns."""
    return bool(character) and east_asian_width(character) in "WF"
