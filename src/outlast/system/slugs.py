"""A readable key for a plan that was given none."""

from __future__ import annotations

import os
from typing import Final

_WORDS: Final = 4
_LETTERS: Final = 16
_LOOKED_AT: Final = 400


def new_key(goal: str) -> str:
    """Return a key made from the first words of a goal and chance, such as `add-oauth-3f2`."""
    words = [word[:_LETTERS] for word in _plain(goal[:_LOOKED_AT]).split()[:_WORDS]]
    return "-".join([*(words or ["plan"]), os.urandom(2).hex()[:3]])


def _plain(text: str) -> str:
    """Return only small ASCII letters and digits, with spaces for everything else."""
    if not text.isascii():
        text = _without_accents(text)
    joined = text.lower().replace("'", "")
    return "".join(c if c.isascii() and c.isalnum() else " " for c in joined)


def _without_accents(text: str) -> str:
    from unicodedata import combining, normalize

    apart = normalize("NFKD", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return "".join(c for c in apart if not combining(c))
