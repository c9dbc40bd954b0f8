"""Redact short texts on hot paths: the patterns are loaded only if a text has a hint."""

from __future__ import annotations

from typing import Final, TypeVar

from outlast.redact.hints import has_hint

TEXT_BYTES: Final = 64 * 1024  # of a text in a plan; a longer one is refused
T = TypeVar("T", str, str | None)
_SHORTEST: Final = 6  # characters: a short name, a sign, a short value


def redact_text(value: T) -> T:
    """Redact the secrets in a text; return a value that is no text, or too long, as it is.

    Validation refuses such a value later.
    """
    if type(value) is str and _SHORTEST <= len(value) <= TEXT_BYTES and has_hint(value):
        from outlast.redact.secrets import redact

        return redact(value)
    return value
