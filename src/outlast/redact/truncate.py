"""Truncate the middle of a text without leaving half a secret at the cut."""

from __future__ import annotations

from typing import Final

from outlast.redact.secrets import redact

_NEAR: Final = 8_000  # characters: no secret is longer, not even a private key


def head_and_tail(value: str, half: int) -> tuple[str, str]:
    """Return the first and the last `half` characters; a secret that is cut is redacted."""
    return _head(value, half), _tail(value, half)


def _head(value: str, count: int) -> str:
    near = min(_NEAR, count)
    before = value[count - near : count]
    whole = redact(value[count - near : count + _NEAR])
    if whole.startswith(redact(before)):
        return value[:count]
    return value[: count - near] + whole[:near]


def _tail(value: str, count: int) -> str:
    near, first = min(_NEAR, count), max(len(value) - count, 0)
    after = value[first : first + near]
    whole = redact(value[max(first - _NEAR, 0) : first + near])
    if whole.endswith(redact(after)):
        return value[first:]
    return whole[-near:] + value[first + near :]
