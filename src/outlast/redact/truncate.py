"""Truncate the middle of a text without leaving half a secret at the cut."""

from __future__ import annotations

from typing import Final

from outlast.redact.secrets import redact
from outlast.redact.text_fields import TEXT_BYTES

_TEXT_BYTES: Final = TEXT_BYTES - 64  # a redaction at the end may need some more
_NEAR: Final = 8_000  # characters: no secret is longer, not even a private key


def text_of(message: str) -> str:
    """Return a goal or an answer as a plan stores it: redacted and truncated."""
    return redact(redact(message).encode()[:_TEXT_BYTES].decode(errors="ignore"))


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
