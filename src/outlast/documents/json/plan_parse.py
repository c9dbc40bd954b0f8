"""Parse `plan.json` (R0); unknown fields are kept as foreign fields."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

from outlast.documents.json import extension_parse
from outlast.documents.json.extension import EXTENSION, infer_status
from outlast.documents.json.foreign_fields import (
    EXTRA_KEY,
    PLAN_NAMES,
    STEP_NAMES,
    Foreign,
    join_extra,
)
from outlast.documents.json.reader import Reader, copy_json, decode, wrong_type
from outlast.errors import InvalidDocument
from outlast.language import times
from outlast.model.commands import CreatePlan
from outlast.model.limits import SHOWN_CHARACTERS
from outlast.model.model import PlanStatus, Progress, Task, TaskStatus
from outlast.model.replies.results import cut
from outlast.model.state import task_number

if TYPE_CHECKING:
    from datetime import datetime


Json = dict[str, Any]
_Times = dict[str, tuple[str | None, str | int | float]]
_PLAN: Final[dict[str, PlanStatus]] = {name: status for status, name in PLAN_NAMES.items()}
_STEP: Final[dict[str, TaskStatus]] = {
    **{name: status for status, name in STEP_NAMES.items() if status != "skipped"},
    "blocked": "pending",
}
_PLAN_SECTIONS: Final = ("times", "meta", "state", "outlast", "top")
_STEP_SECTIONS: Final = ("outlast",)


class _Utf8Reader(Reader):
    """A reader that refuses text that cannot be written as UTF-8 again."""

    def take(self, name: str, kinds: tuple[type, ...], default: Any = None) -> Any:  # noqa: ANN401 - JSON
        """Take a field; refuse a lone surrogate."""
        value = super().take(name, kinds, default)
        if type(value) is str:
            try:
                value.encode()
            except UnicodeEncodeError as error:
                where = self.path_of(name)
                raise InvalidDocument("document_not_json", where=where, got=str(error)) from error
        return value


def parse(data: object, plan_id: str, now: datetime) -> CreatePlan:
    """Parse a whole plan from bytes or a decoded object; `InvalidDocument` names the place."""
    top = _Utf8Reader(_fields(data), "")
    own = top.section(EXTENSION)
    foreign: _Times = {}
    created = _take_time(top, own, "created_at", foreign, now)
    updated = _take_time(top, own, "updated_at", foreign, now)
    tasks = _tasks(top.sections("steps"))
    top.take("current_step_index", (int,))
    status = _PLAN[top.choice("status", _PLAN, PLAN_NAMES[infer_status(tasks)])]
    fields = extension_parse.plan_fields(own, top.text("goal"), "sequential", status, tasks)
    return CreatePlan(
        id=top.text("id") or plan_id,
        **fields,
        iteration_count=top.whole_number("iteration_count"),
        created_at=created,
        updated_at=updated,
        extra=_extra(top, own, _PLAN_SECTIONS, times=foreign),
    )


def _fields(data: object) -> Json:
    if type(data) is not bytes:
        return copy_json(data, "document")
    value = decode(data, "document")
    if type(value) is not dict:
        raise wrong_type("document", "object", value)
    return value


class _StepId(NamedTuple):
    """The id of a step in the plan, and the one in the document."""

    id: int
    ref: extension_parse.Ref
    written: extension_parse.Ref


def _tasks(readers: list[Reader]) -> tuple[Task, ...]:
    extensions = [reader.section(EXTENSION) for reader in readers]
    given = [own.whole_number("id") for own in extensions]
    written = [extension_parse.take_id(reader) for reader in readers]
    refs = [_ref(ref, own) for ref, own in zip(written, given, strict=True)]
    ids = extension_parse.number_tasks(readers, refs, given)
    known: dict[extension_parse.Ref, int] = {task_id: task_id for task_id in ids}
    known.update(zip(refs, ids, strict=True))
    names = map(_StepId, ids, refs, written)
    return tuple(map(_task, readers, extensions, names, repeat(known)))


def _ref(written: extension_parse.Ref, given: int) -> extension_parse.Ref:
    """Return the number in `step_<n>`, unless the extension gives the step another number."""
    number = 0 if given else task_number(str(written))
    return number if number and written == f"step_{number}" else written


def _task(
    reader: Reader, own: Reader, name: _StepId, known: dict[extension_parse.Ref, int]
) -> Task:
    status = _STEP[reader.choice("status", _STEP, "pending")]
    if own.choice("status", ("", "skipped"), "") and status == "completed":
        status = "skipped"
    foreign: _Times = {}
    shown, whole = reader.text("result"), own.take("result", (str,))
    progress, unknown = _progress(reader.section("progress"))
    return Task(
        id=name.id,
        name=reader.require("description", (str,)),
        needs=extension_parse.take_dependencies(own, known),
        reasoning=own.text("reasoning"),
        result=whole if shown == cut(whole or "", SHOWN_CHARACTERS) else shown,
        progress=progress,
        started_at=_take_time(reader, own, "started_at", foreign),
        ended_at=_take_time(reader, own, "completed_at", foreign),
        alias=name.ref if type(name.ref) is str else "",
        **extension_parse.task_fields(own, status),
        extra=_extra(
            reader,
            own,
            _STEP_SECTIONS,
            times=foreign,
            progress=unknown,
            numbered=type(name.written) is int,
        ),
    )


def _progress(reader: Reader) -> tuple[Progress | None, Json]:
    """Read `current` of `total`, and unknown fields; 0 of 0 is no progress."""
    fields = dict(reader.rest)
    progress = Progress(reader.whole_number("current"), reader.whole_number("total"))
    return (progress, reader.rest) if progress.current or progress.total else (None, fields)


@overload
def _take_time(
    reader: Reader, own: Reader, name: str, foreign: _Times, default: datetime
) -> datetime: ...
@overload
def _take_time(reader: Reader, own: Reader, name: str, foreign: _Times) -> datetime | None: ...
def _take_time(
    reader: Reader, own: Reader, name: str, foreign: _Times, default: datetime | None = None
) -> datetime | None:
    """Take a time; keep its spelling in `foreign` if we would write it differently."""
    written = reader.take(name, (str, int, float))
    exact = extension_parse.take_time(own, name)
    if exact and times.write_seconds(exact) == written:
        return exact
    moment = times.read(written) or default
    if written is not None and (moment is None or times.write_seconds(moment) != written):
        foreign[name] = (times.write(moment) if moment else None, written)
    return moment


def _extra(reader: Reader, own: Reader, sections: tuple[str, ...], **fields: Any) -> str:  # noqa: ANN401 - fields of `Foreign`
    """Return `extra`: unknown fields, and what other formats keep, `sections` among it."""
    extra = own.section("extra")
    others = dict(extra.rest)
    for name in sections:
        if name in others:
            others[name] = extra.section(name).rest
    if EXTRA_KEY in others.get(EXTENSION, {}):  # it would be read as our own
        raise InvalidDocument(
            "document_unknown_field", where=extra.path_of(f"{EXTENSION}.{EXTRA_KEY}")
        )
    foreign = Foreign(fields=reader.rest, outlast=own.rest, **fields)
    return join_extra(foreign, others, reader.where or "document")
