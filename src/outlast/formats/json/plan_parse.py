"""R0's `plan.json`, read: everything in it ends up in the model, unknown fields included."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

from outlast.domain.commands import CreatePlan
from outlast.domain.model import Progress, Task
from outlast.domain.state import number
from outlast.errors import InvalidDocument
from outlast.formats import times
from outlast.formats.json.extension import EXTENSION
from outlast.formats.json.extension_parse import (
    dependencies,
    instant,
    number_tasks,
    plan_fields,
    take_id,
    task_fields,
)
from outlast.formats.json.plan import PLAN_NAMES, STEP_NAMES
from outlast.formats.json.plan_foreign import MINE, Foreign, join
from outlast.formats.json.reader import Reader, plain, wrong_type
from outlast.formats.json.text import decode

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.model import PlanStatus, TaskStatus
    from outlast.formats.json.extension_parse import Ref

Json = dict[str, Any]
_Times = dict[str, tuple[str | None, str | int | float]]
_PLAN: Final[dict[str, PlanStatus]] = {name: status for status, name in PLAN_NAMES.items()}
_STEP: Final[dict[str, TaskStatus]] = {
    **{name: status for status, name in STEP_NAMES.items() if status != "skipped"},
    "blocked": "pending",
}
_OF_A_PLAN: Final = ("times", "meta", "state", "outlast", "top")
_OF_A_STEP: Final = ("outlast",)


class _Strict(Reader):
    """A reader for what is to be written as UTF-8 again."""

    def take(self, name: str, kinds: tuple[type, ...], default: Any = None) -> Any:  # noqa: ANN401 - JSON
        """Take a field; refuse half of a character."""
        value = super().take(name, kinds, default)
        if type(value) is str:
            try:
                value.encode()
            except UnicodeEncodeError as error:
                where = self.place(name)
                raise InvalidDocument("document_not_json", where=where, got=str(error)) from error
        return value


def parse(data: object, plan_id: str, now: datetime) -> CreatePlan:
    """Read a whole plan, from bytes or from what they decode to; say where it is not one."""
    top = _Strict(_fields(data), "")
    own = top.section(EXTENSION)
    foreign: _Times = {}
    created = _time(top, own, "created_at", foreign, now)
    updated = _time(top, own, "updated_at", foreign, now)
    tasks = _tasks(top.sections("steps"))
    top.take("current_step_index", (int,))
    status = _PLAN[top.choice("status", _PLAN, "pending")]
    fields = plan_fields(own, top.text("goal"), "sequential", status, tasks)
    return CreatePlan(
        id=top.text("id") or plan_id,
        **fields,
        iteration_count=top.whole("iteration_count"),
        created_at=created,
        updated_at=updated,
        extra=_extra(top, own, _OF_A_PLAN, times=foreign),
    )


def _fields(data: object) -> Json:
    if type(data) is not bytes:
        return plain(data, "document")
    found = decode(data, "document")
    if type(found) is not dict:
        raise wrong_type("document", "object", found)
    return found


class _Name(NamedTuple):
    """What a step is called here (`id`) and what it is called in the document."""

    id: int
    ref: Ref
    written: Ref


def _tasks(readers: list[Reader]) -> tuple[Task, ...]:
    extensions = [reader.section(EXTENSION) for reader in readers]
    given = [own.whole("id") for own in extensions]
    written = [take_id(reader) for reader in readers]
    refs = [_ref(ref, own) for ref, own in zip(written, given, strict=True)]
    ids = number_tasks(readers, refs, given)
    known: dict[Ref, int] = {task_id: task_id for task_id in ids}
    known.update(zip(refs, ids, strict=True))
    names = map(_Name, ids, refs, written)
    return tuple(map(_task, readers, extensions, names, repeat(known)))


def _ref(written: Ref, given: int) -> Ref:
    """Return the number in `step_<n>`; a step with another number of its own bears a foreign id."""
    found = 0 if given else number(str(written))
    return found if found and written == f"step_{found}" else written


def _task(reader: Reader, own: Reader, name: _Name, known: dict[Ref, int]) -> Task:
    status = _STEP[reader.choice("status", _STEP, "pending")]
    if own.choice("status", ("", "skipped"), "") and status == "completed":
        status = "skipped"
    foreign: _Times = {}
    empty = own.take("result", (str,))
    progress, unknown = _progress(reader.section("progress"))
    return Task(
        id=name.id,
        name=reader.need("description", (str,)),
        needs=dependencies(own, known),
        reasoning=own.text("reasoning"),
        result=reader.text("result") or empty,
        progress=progress,
        started_at=_time(reader, own, "started_at", foreign),
        ended_at=_time(reader, own, "completed_at", foreign),
        alias=name.ref if type(name.ref) is str else "",
        **task_fields(own, status),
        extra=_extra(
            reader,
            own,
            _OF_A_STEP,
            times=foreign,
            progress=unknown,
            numbered=type(name.written) is int,
        ),
    )


def _progress(reader: Reader) -> tuple[Progress | None, Json]:
    """Read `current` of `total`, and what else is said there; 0 of 0 says nothing."""
    said = dict(reader.rest)
    found = Progress(reader.whole("current"), reader.whole("total"))
    return (found, reader.rest) if found.current or found.total else (None, said)


@overload
def _time(
    reader: Reader, own: Reader, name: str, foreign: _Times, default: datetime
) -> datetime: ...
@overload
def _time(reader: Reader, own: Reader, name: str, foreign: _Times) -> datetime | None: ...
def _time(
    reader: Reader, own: Reader, name: str, foreign: _Times, default: datetime | None = None
) -> datetime | None:
    """Read a time; note how it was written, if we would write it differently."""
    written = reader.take(name, (str, int, float))
    exact = instant(own, name)
    if exact and times.write_seconds(exact) == written:
        return exact
    moment = times.read(written) or default
    if written is not None and (moment is None or times.write_seconds(moment) != written):
        foreign[name] = (times.write(moment) if moment else None, written)
    return moment


def _extra(reader: Reader, own: Reader, sections: tuple[str, ...], **said: Any) -> str:  # noqa: ANN401 - fields of `Foreign`
    """Keep what nobody has asked for, and what other forms keep, in `sections` among others."""
    others = own.section("extra")
    theirs = dict(others.rest)
    for name in sections:
        if name in theirs:
            theirs[name] = others.section(name).rest
    if MINE in theirs.get(EXTENSION, {}):  # it would pass for what we keep ourselves
        raise InvalidDocument("document_unknown_field", where=others.place(f"{EXTENSION}.{MINE}"))
    mine = Foreign(fields=reader.rest, outlast=own.rest, **said)
    return join(mine, theirs, reader.where or "document")
