"""The types of fields with text of people or models, which is redacted before it is stored or sent.

A field of the type `str` stays exact: an id, a name, a reference, a command to run, a pattern, a
digest.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeVar

from msgspec import Meta

from outlast.redact.hints import has_hint

T = TypeVar("T")
S = TypeVar("S", str, str | None)
REDACT: Final = "redact"  # under this key a type says how its values are redacted
Text = Annotated[str, Meta(extra={REDACT: "text"})]
JsonText = Annotated[str, Meta(extra={REDACT: "json"})]
"""Foreign JSON, in which a secret may also be known by its key."""
JsonValues = Annotated[T, Meta(extra={REDACT: "values"})]
"""JSON as values."""
Lines = Annotated[tuple[str, ...], Meta(extra={REDACT: "lines"})]
"""Lines of one text."""
Subject = Annotated[str, Meta(extra={REDACT: "subject"})]
"""What a question is about: its `kind` says whether this is a text, JSON, or exact."""
Stored = Annotated[T, Meta(extra={REDACT: "not"})]
"""What was redacted when it was stored, and has to be found again as it is."""
TEXT_BYTES: Final = 64 * 1024  # of a text in a plan; a longer one is refused
_SHORTEST: Final = 6  # characters: a short name, a sign, a short value


def redact_text(value: S) -> S:
    """Redact the secrets in a short text, with patterns that are loaded only if it has a hint.

    Return a value that is no text, or too long, as it is: validation refuses it later.
    """
    if type(value) is str and _SHORTEST <= len(value) <= TEXT_BYTES and has_hint(value):
        from outlast.redact.secrets import redact

        return redact(value)
    return value
