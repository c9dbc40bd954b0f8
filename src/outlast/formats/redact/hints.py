"""Hints: substrings that every text with a secret contains. Most texts need no other search."""

from __future__ import annotations

from typing import Final

FORM_HINTS: Final = (
    *("-", "_", "://", "earer", "asic", "eyJ", "AKIA", "ASIA", "AIza"),
    *("ya29.", "SG.", "hvs.", ":AA", "hooks.slack"),
)
NAME_HINTS: Final = (
    *("pass", "pwd", "token", "secret", "key", "credential", "authorization", "_auth", "cookie"),
    *("密码", "口令", "密钥", "令牌"),
)


def has_hint(text: str) -> bool:
    """Return whether a text may contain a secret."""
    for sign in FORM_HINTS:
        if sign in text:
            return True
    low = lowercase(text)
    for sign in NAME_HINTS:  # noqa: SIM110 - a generator would cost more than the search
        if sign in low:
            return True
    return False


def lowercase(text: str) -> str:
    """Lowercase a text without changing its length: `İ` would become two characters."""
    return text.replace("İ", "i").lower()
