"""Parse the PlanManager dictionary (R2); unknown fields are kept as foreign fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.documents.json import extension_parse, foreign_fields
from outlast.documents.json.extension import EXTENSION, infer_status
from outlast.documents.json.reader import Reader, copy_json
from outlast.language import times
from outlast.model.commands import CreatePlan
from outlast.model.model import PLAN_STATUSES, STATUS_FILTERS, TASK_STATUSES, Progress, Task

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.model import TaskStatus


def parse(data: object, plan_id: str, now: datetime) -> CreatePlan:
    """Parse a whole plan; `InvalidDocument` names the place of an error."""
    top = Reader(copy_json(data, "document"), "")
    meta, section, own = top.section("meta"), top.section("state"), top.section(EXTENSION)
    bare = "id" not in own.rest
    foreign: dict[str, list[object]] = {}
    created = _take_time(meta, "created_at", now, foreign)
    updated = _take_time(meta, "updated_at", now, foreign)
    goal = meta.text("goal")
    tasks = _tasks(top.sections("tasks"))
    section.take("current_task_id", (int, str))
    status = section.choice("status", PLAN_STATUSES, infer_status(tasks))
    return CreatePlan(
        id=own.text("id", plan_id),
        **extension_parse.plan_fields(own, goal, "graph", status, tasks),
        iteration_count=own.whole_number("iteration_count"),
        created_at=created,
        updated_at=updated,
        extra=foreign_fields.dump(
            _drop_empty(
                bare=bare,
                times=foreign,
                meta=meta.rest,
                state=section.rest,
                outlast=own.rest,
                top=top.rest,
            ),
            "document",
        ),
    )


def _tasks(readers: list[Reader]) -> tuple[Task, ...]:
    extensions = [reader.section(EXTENSION) for reader in readers]
    refs = [extension_parse.take_id(reader) for reader in readers]
    ids = extension_parse.number_tasks(
        readers, refs, [own.whole_number("id") for own in extensions]
    )
    known = dict(zip(refs, ids, strict=True))
    return tuple(
        _task(reader, own, task_id, alias if type(alias) is str else "", known)
        for reader, own, task_id, alias in zip(readers, extensions, ids, refs, strict=True)
    )


def _task(
    reader: Reader, own: Reader, task_id: int, alias: str, known: dict[extension_parse.Ref, int]
) -> Task:
    own.take("blocked_by", (list,))
    status: TaskStatus = reader.choice("status", STATUS_FILTERS, "pending")
    if status not in TASK_STATUSES:
        status = "pending"
    if reader.rest.get("reasoning", "") is None:
        nothing = {"reasoning": reader.rest.pop("reasoning")}
    else:
        nothing = {}
    return Task(
        id=task_id,
        name=reader.require("name", (str,)),
        needs=extension_parse.take_dependencies(reader, known),
        reasoning=reader.text("reasoning"),
        result=reader.take("result", (str,)),
        progress=_progress(own),
        started_at=extension_parse.take_time(own, "started_at"),
        ended_at=extension_parse.take_time(own, "ended_at"),
        alias=alias,
        **extension_parse.task_fields(own, status),
        extra=foreign_fields.dump(
            {**nothing, **reader.rest, **({EXTENSION: own.rest} if own.rest else {})}, reader.where
        ),
    )


def _progress(own: Reader) -> Progress | None:
    if not own.rest.get("progress"):
        return None
    progress = own.section("progress")
    return progress.refuse_unknown(
        Progress(progress.whole_number("current"), progress.whole_number("total"))
    )


def _take_time(
    reader: Reader, name: str, now: datetime, foreign: dict[str, list[object]]
) -> datetime:
    """Take a time; keep its spelling in `foreign` if we would write it differently."""
    original = reader.take(name, (str, int, float))
    moment = times.read(original) or now
    rendered = times.write(moment)
    if original is not None and original != rendered:
        foreign[name] = [rendered, original]
    return moment


def _drop_empty(**sections: object) -> dict[str, object]:
    return {name: section for name, section in sections.items() if section}
