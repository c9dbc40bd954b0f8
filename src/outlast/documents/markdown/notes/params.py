"""Parameters of a failed tool call as JSON text: redacted and truncated."""

from __future__ import annotations

import json
from typing import Final

from outlast.redact.text_fields import TEXT_BYTES
from outlast.redact.values import redact_value

_LONGEST: Final = 1_000  # characters of one string


def dump_params(value: object) -> str:
    """Return parameters as JSON; values that JSON cannot express as text, long strings truncated.

    Returns nothing for parameters that are still too large, or that contain themselves.
    """
    try:
        plain = json.loads(json.dumps(value, default=str))
        text = json.dumps(_truncate(redact_value(plain)), ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""
    valid = text.encode(errors="replace")
    return valid.decode() if len(valid) <= TEXT_BYTES else ""


def _truncate(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    if isinstance(value, dict):
        return {key: _truncate(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_truncate(inner) for inner in value]
    return value
