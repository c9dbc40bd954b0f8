"""Fields of `plan.json` (R0) that parser and renderer share: names of statuses, foreign fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, ValidationError, convert, to_builtins

from outlast.documents.json import foreign_fields
from outlast.documents.json.extension import EXTENSION

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
    others = foreign_fields.load(extra)
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
    return foreign_fields.dump(others, where)
