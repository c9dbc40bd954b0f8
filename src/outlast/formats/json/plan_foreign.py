"""What R0's `plan.json` keeps beside the model: unknown fields, and values as they were written."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct, ValidationError, convert, to_builtins

from outlast.formats.json import foreign_fields
from outlast.formats.json.extension import EXTENSION

Json = dict[str, Any]
MINE: Final = "plan_json"


class Foreign(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Of a plan or a step; `times` has a time as we would write it, and as it was written."""

    fields: Json = {}
    outlast: Json = {}
    times: dict[str, tuple[str | None, str | int | float]] = {}
    progress: Json = {}
    numbered: bool = False


_NOTHING: Final = Foreign()


def split(extra: str) -> tuple[Foreign, Json]:
    """Return what is ours of the extra of a plan or a task, and what other forms keep there."""
    if not extra:
        return _NOTHING, {}
    theirs = foreign_fields.load(extra)
    shared = theirs.get(EXTENSION, {})
    mine = _sound(shared.pop(MINE, {}))
    if not shared:
        theirs.pop(EXTENSION, None)
    return mine, theirs


def _sound(found: object) -> Foreign:
    """Return what we kept; nothing if another form let in something else under its name."""
    try:
        return convert(found, Foreign)
    except ValidationError:
        return _NOTHING


def join(mine: Foreign, theirs: Json, where: str) -> str:
    """Return the extra of a plan or a task."""
    fields = to_builtins(mine)
    if fields:
        theirs = {**theirs, EXTENSION: {**theirs.get(EXTENSION, {}), MINE: fields}}
    return foreign_fields.dump(theirs, where)
