"""The types of fields with text of people or models, which is redacted before it is stored or sent.

A field of the type `str` stays exact: an id, a name, a reference, a command to run, a pattern, a
digest.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeVar

from msgspec import Meta

T = TypeVar("T")
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
