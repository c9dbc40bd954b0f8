"""R2's form of a plan, read: everything in it ends up in the model, unknown fields included."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from outlast.domain.commands import CreatePlan
from outlast.domain.limits import LARGEST_ID, default_title
from outlast.domain.model import (
    CHECK_KINDS,
    HOLDS,
    HOWS,
    MAIN,
    MAIN_PHASE,
    ORDERS,
    PLAN_STATUSES,
    TASK_STATUSES,
    Check,
    Phase,
    Progress,
    Task,
)
from outlast.domain.state import number
from outlast.errors import InvalidDocument
from outlast.formats import times
from outlast.formats.manager_infer import infer_stand, infer_work
from outlast.formats.manager_task import EXTENSION
from outlast.formats.reader import Reader, plain, wrong_type

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.model import TaskStatus

_STATUSES: Final = (*TASK_STATUSES, "blocked")


def parse(data: object, plan_id: str, now: datetime) -> CreatePlan:
    """Read a whole plan; say at which place it is not one."""
    top = Reader(plain(data, "document"), "")
    meta, stand, own = top.section("meta"), top.section("state"), top.section(EXTENSION)
    bare = "id" not in own.rest
    foreign: dict[str, list[object]] = {}
    created = _moment(meta, "created_at", now, foreign)
    updated = _moment(meta, "updated_at", now, foreign)
    goal = meta.text("goal")
    tasks = _tasks(top.sections("tasks"))
    stand.take("current_task_id", (int, str))
    begun, hold = infer_stand(stand.choice("status", PLAN_STATUSES, "idle"), tasks)
    return CreatePlan(
        id=own.text("id", plan_id),
        goal=goal,
        key=own.text("key"),
        title=own.text("title", default_title(goal)),
        order=own.choice("order", ORDERS, "graph"),
        phases=_phases(own),
        tasks=tasks,
        next_id=max(own.whole("next_id"), *(task.id + 1 for task in tasks), 1),
        begun=own.take("begun", (bool,), begun),
        hold=own.choice("hold", HOLDS, hold),
        iteration_count=own.whole("iteration_count"),
        created_at=created,
        updated_at=updated,
        extra=_dump(
            _filled(
                bare=bare,
                times=foreign,
                meta=meta.rest,
                state=stand.rest,
                outlast=own.rest,
                top=top.rest,
            )
        ),
    )


def _tasks(readers: list[Reader]) -> tuple[Task, ...]:
    extensions = [reader.section(EXTENSION) for reader in readers]
    raw = [reader.need("id", (int, str)) for reader in readers]
    if "" in raw:
        raise InvalidDocument("document_missing", where=readers[raw.index("")].place("id"))
    seen: set[int | str] = set()
    for reader, ref in zip(readers, raw, strict=True):
        if ref in seen:
            raise InvalidDocument("document_id_twice", where=reader.place("id"), id=ref)
        seen.add(ref)
    ids = _ids(raw, [own.whole("id") for own in extensions])
    known = dict(zip(raw, ids, strict=True))
    return tuple(
        _task(reader, own, task_id, alias if type(alias) is str else "", known)
        for reader, own, task_id, alias in zip(readers, extensions, ids, raw, strict=True)
    )


def _ids(raw: list[int | str], own: list[int]) -> list[int]:
    """Give each task a number: its own, that which its foreign id contains, else a free one."""
    wanted = [
        ref if type(ref) is int else given or number(str(ref))
        for ref, given in zip(raw, own, strict=True)
    ]
    taken = {ref for ref in raw if type(ref) is int}
    free = max([0, *(w for w in wanted if w <= LARGEST_ID)])
    ids = []
    for ref, want in zip(raw, wanted, strict=True):
        if type(ref) is int or (want and want not in taken):
            ids.append(want)
        else:
            free += 1
            ids.append(free)
        taken.add(ids[-1])
    return ids


def _task(
    reader: Reader, own: Reader, task_id: int, alias: str, known: dict[int | str, int]
) -> Task:
    own.take("blocked_by", (list,))
    status: TaskStatus = reader.choice("status", _STATUSES, "pending")
    if status not in TASK_STATUSES:
        status = "pending"
    how, actor = infer_work(status)
    return Task(
        id=task_id,
        name=reader.need("name", (str,)),
        phase=own.text("phase", MAIN_PHASE),
        dependencies=_dependencies(reader, known),
        reasoning=reader.text("reasoning"),
        status=status,
        result=reader.take("result", (str,)),
        error=own.take("error", (str,)),
        retry_count=own.whole("retry_count"),
        progress=_progress(own),
        active_form=own.text("active_form"),
        kind=own.text("kind"),
        checks=_checks(own),
        how=own.choice("how", HOWS, how),
        actor=own.text("actor", actor),
        started_at=_instant(own, "started_at"),
        ended_at=_instant(own, "ended_at"),
        alias=alias,
        extra=_dump({**reader.rest, **({EXTENSION: own.rest} if own.rest else {})}),
    )


def _dependencies(reader: Reader, known: dict[int | str, int]) -> tuple[int, ...]:
    found: dict[int, None] = {}
    for index, ref in enumerate(reader.take("dependencies", (list,), [])):
        where = f"{reader.place('dependencies')}[{index}]"
        if type(ref) is not int and type(ref) is not str:
            raise wrong_type(where, "task id", ref)
        task = known.get(ref) or known.get(number(str(ref)))
        if task is None:
            raise InvalidDocument("document_unknown_task", where=where, task_id=ref)
        found[task] = None
    return tuple(found)


def _progress(own: Reader) -> Progress | None:
    if not own.rest.get("progress"):
        return None
    progress = own.section("progress")
    return progress.all_read(Progress(progress.whole("current"), progress.whole("total")))


def _checks(own: Reader) -> tuple[Check, ...]:
    return tuple(
        check.all_read(Check(check.choice("kind", CHECK_KINDS, "command"), check.text("rule")))
        for check in own.sections("checks")
    )


def _phases(own: Reader) -> tuple[Phase, ...]:
    found = tuple(
        phase.all_read(
            Phase(phase.need("id", (str,)), phase.need("title", (str,)), phase.text("notes"))
        )
        for phase in own.sections("phases")
    )
    return found or (MAIN,)


def _moment(reader: Reader, name: str, now: datetime, foreign: dict[str, list[object]]) -> datetime:
    """Read a time; note how it was written, if we would write it differently."""
    theirs = reader.take(name, (str, int, float))
    moment = times.read(theirs) or now
    ours = times.write(moment)
    if theirs is not None and theirs != ours:
        foreign[name] = [ours, theirs]
    return moment


def _instant(own: Reader, name: str) -> datetime | None:
    value = own.take(name, (str,))
    moment = times.read(value)
    if value is not None and moment is None:
        raise InvalidDocument("document_bad_time", where=own.place(name))
    return moment


def _filled(**sections: object) -> dict[str, object]:
    return {name: section for name, section in sections.items() if section}


def _dump(kept: dict[str, Any]) -> str:
    """Write down what the model has no place for; nothing if there is nothing."""
    return json.dumps(kept) if kept else ""
