"""`redact` for what people and models say all the time: it is loaded only when it is needed."""

from __future__ import annotations

from typing import Final, TypeVar

from outlast.domain.limits import TEXT_BYTES
from outlast.formats.redact.signs import has_sign

T = TypeVar("T", str, str | None)
_SHORTEST: Final = 6  # characters: a short name, a sign, a short value


def without_secrets(value: T) -> T:
    """Return a text without the secrets in it; what is no text, or too long, is refused later."""
    if type(value) is str and _SHORTEST <= len(value) <= TEXT_BYTES and has_sign(value):
        from outlast.formats.redact.engine import redact

        return redact(value)
    return value
