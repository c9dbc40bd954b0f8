"""The parameters of a tool that went wrong: JSON without secrets, and not too much of it."""

from __future__ import annotations

import json
from typing import Final

from outlast.domain.limits import TEXT_BYTES
from outlast.formats.redact.engine import redact_value
from outlast.formats.redact.fast import without_secrets

_LONGEST: Final = 1_000  # characters of one string: a whole file is no help here


def write(value: object) -> str:
    """Write parameters as JSON; what JSON cannot say as text, long strings cut.

    Nothing is written of what is too large even so, or goes round in circles.
    """
    try:
        made = json.dumps(
            _cut(redact_value(value)), ensure_ascii=False, separators=(",", ":"), default=str
        )
    except (TypeError, ValueError, RecursionError):
        return ""
    found = without_secrets(made.encode(errors="replace").decode())
    return found if len(found.encode()) <= TEXT_BYTES else ""


def without_secrets_in(params: str) -> str:
    """Return parameters that somebody wrote by hand without the secrets in them."""
    try:
        return json.dumps(
            redact_value(json.loads(params)), ensure_ascii=False, separators=(",", ":")
        )
    except (ValueError, RecursionError):
        return without_secrets(params)


def _cut(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    if isinstance(value, dict):
        return {key: _cut(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(one) for one in value]
    return value
