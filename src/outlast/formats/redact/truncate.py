"""Both ends of a long text, cut so that no secret is left of which nobody could tell what it is."""

from __future__ import annotations

from typing import Final

from outlast.formats.redact.engine import redact

_NEAR: Final = 8_000  # characters: a secret is not longer, be it a private key


def both_ends(value: str, half: int) -> tuple[str, str]:
    """Return the beginning and the end of a text; a secret in two pieces is taken out of them."""
    return _beginning(value, half), _end(value, half)


def _beginning(value: str, count: int) -> str:
    near = min(_NEAR, count)
    before = value[count - near : count]
    whole = redact(value[count - near : count + _NEAR])
    if whole.startswith(redact(before)):
        return value[:count]
    return value[: count - near] + whole[:near]


def _end(value: str, count: int) -> str:
    near, first = min(_NEAR, count), max(len(value) - count, 0)
    after = value[first : first + near]
    whole = redact(value[max(first - _NEAR, 0) : first + near])
    if whole.endswith(redact(after)):
        return value[first:]
    return whole[-near:] + value[first + near :]
