"""Foreign fields: what the model has no place for, kept as JSON text in `extra`."""

from __future__ import annotations

import json
from typing import Any, Final

from outlast.errors import InvalidDocument

Json = dict[str, Any]
DEEPEST: Final = 100


def load(extra: str) -> Json:
    """Decode the foreign fields in `extra`."""
    fields: Json = json.loads(extra) if extra else {}
    return fields


def dump(fields: Json, where: str) -> str:
    """Encode foreign fields for `extra`; raise `InvalidDocument` if they are nested too deep."""
    if not fields:
        return ""
    level: list[object] = [fields]
    for _ in range(DEEPEST):
        level = [value for item in level for value in _children(item)]
        if not level:
            return json.dumps(fields)
    raise InvalidDocument("document_too_deep", where=where, limit=DEEPEST)


def dump_of_form(form: str, fields: Json) -> str:
    """Encode what a plan in the form of another tool says about itself, for the plan's `extra`."""
    return dump({"top": {form: fields}}, form) if fields else ""


def add_foreign(own: Json, foreign: Json) -> Json:
    """Return an object with foreign fields after its own, which win."""
    return {**own, **foreign, **own} if foreign else own


def _children(item: object) -> list[object]:
    if type(item) is dict:
        return list(item.values())
    return item if type(item) is list else []
