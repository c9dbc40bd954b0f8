"""What came from outside and has no place in the model, kept as JSON text beside it."""

from __future__ import annotations

import json
from typing import Any, Final

from outlast.errors import InvalidDocument

Json = dict[str, Any]
DEEPEST: Final = 100


def load(extra: str) -> Json:
    """Return what is kept; nothing if there is nothing."""
    fields: Json = json.loads(extra) if extra else {}
    return fields


def dump(fields: Json, where: str) -> str:
    """Return what is to be kept as text; refuse what is nested so deep that it might not fit."""
    if not fields:
        return ""
    level: list[object] = [fields]
    for _ in range(DEEPEST):
        level = [value for item in level for value in _inside(item)]
        if not level:
            return json.dumps(fields)
    raise InvalidDocument("document_too_deep", where=where, limit=DEEPEST)


def beside(made: Json, theirs: Json) -> Json:
    """Return an object with what is kept behind its own fields, which win."""
    return {**made, **theirs, **made} if theirs else made


def _inside(item: object) -> list[object]:
    if type(item) is dict:
        return list(item.values())
    return item if type(item) is list else []
