"""Foreign fields: what the model has no place for, kept as JSON text in `extra`.

Those of `plan.json` (R0) stand in it under a key of their own, beside those of other formats.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, ValidationError, convert, to_builtins

from outlast.documents.json.extension import EXTENSION
from outlast.documents.json.reader import DEEPEST
from outlast.errors import InvalidDocument

if TYPE_CHECKING:
    from outlast.model.model import PlanStatus, TaskStatus

Json = dict[str, Any]
EXTRA_KEY: Final = "plan_json"
PLAN_NAMES: Final[dict[PlanStatus, str]] = {
    "idle": "pending",
    "running": "running",
    "paused": "paused",
    "completed": "completed",
    "failed": "failed",
}
STEP_NAMES: Final[dict[TaskStatus, str]] = {
    "pending": "pending",
    "in_progress": "running",
    "completed": "completed",
    "failed": "failed",
    "skipped": "completed",
}


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


class Foreign(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Foreign fields of a plan or a step; `times` has our spelling of a time and the original."""

    fields: Json = {}
    outlast: Json = {}
    times: dict[str, tuple[str | None, str | int | float]] = {}
    progress: Json = {}
    numbered: bool = False


_NO_FIELDS: Final = Foreign()


def split_extra(extra: str) -> tuple[Foreign, Json]:
    """Split `extra` into the fields of this format and those of other formats."""
    if not extra:
        return _NO_FIELDS, {}
    others = load(extra)
    shared = others.get(EXTENSION, {})
    foreign = _convert(shared.pop(EXTRA_KEY, {}))
    if not shared:
        others.pop(EXTENSION, None)
    return foreign, others


def _convert(value: object) -> Foreign:
    """Return the fields of this format; none if another document used its name."""
    try:
        return convert(value, Foreign)
    except ValidationError:
        return _NO_FIELDS


def join_extra(foreign: Foreign, others: Json, where: str) -> str:
    """Return `extra` of a plan or a task."""
    fields = to_builtins(foreign)
    if fields:
        others = {**others, EXTENSION: {**others.get(EXTENSION, {}), EXTRA_KEY: fields}}
    return dump(others, where)
