"""Create a plan from a `task_plan.md` or a checklist that belongs to no plan yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.documents.markdown.elements import References, shown_status
from outlast.documents.markdown.syntax import find_conflict
from outlast.errors import InvalidDocument
from outlast.model.commands import CreatePlan
from outlast.model.limits import LARGEST_GIVEN_ID, make_slug
from outlast.model.model import MAIN, MAIN_PHASE, PERSON, Order, Phase, Prose, Task
from outlast.redact.text_fields import redact_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from outlast.documents.markdown.document import Document, Item, Section


def to_plan(document: Document, plan_id: str, now: datetime) -> CreatePlan:
    """Return the command that creates the plan; ids in the file are kept.

    Raises `InvalidDocument` for a merge conflict and for an unknown word in `needs`.
    """
    if line := find_conflict(document.lines):
        raise InvalidDocument("document_unmerged", where=f"line {line}")
    ids = _ids(document)
    numbers = ids.values() if any(item.id for item in document.items()) else ()
    references = References(document.items(), ids, numbers)
    phases = _phases(document)
    tasks = tuple(
        _task(item, ids[item.line], phase.id, references, now)
        for phase, section in zip(phases, document.sections, strict=False)
        for item in section.items
    )
    title = document.title
    return CreatePlan(
        id=plan_id,
        goal=(title or "") if document.goal is None else document.goal,
        title=title,
        order=_order(tasks),
        phases=phases or (MAIN,),
        tasks=tasks,
        next_id=max(ids.values(), default=0) + 1,
        begun=any(task.status != "pending" for task in tasks),
        created_at=document.updated,
        updated_at=document.updated,
    )


def prose_of(document: Document, command: CreatePlan) -> tuple[Prose, ...]:
    """Return the prose of a file, anchored to the phases and tasks that `command` creates."""
    places: list[tuple[str, tuple[str, ...]]] = [("top", document.top), ("head", document.head)]
    tasks = iter(command.tasks)
    for phase, section in zip(command.phases, document.sections, strict=False):
        places.append((f"phase:{phase.id}", section.prose))
        places += [(f"task:{next(tasks).id}", item.prose) for item in section.items]
    places += [("end", document.end), ("after", document.after)]
    return tuple(Prose(anchor, lines) for anchor, lines in places if lines)


def _ids(document: Document) -> dict[int, int]:
    """Return the id of each line: its own unless a line above has it, else the next free one."""
    taken: dict[int, int] = {}
    for item in document.items():
        if item.id and item.id < LARGEST_GIVEN_ID:
            taken.setdefault(item.id, item.line)
    own = {line: task for task, line in taken.items()}
    following = iter(range(max(taken, default=0) + 1, LARGEST_GIVEN_ID))
    return {item.line: own.get(item.line) or next(following) for item in document.items()}


def _phases(document: Document) -> tuple[Phase, ...]:
    phases: dict[str, Phase] = {}
    for section in document.sections:
        phase = _phase(section, phases)
        phases[phase.id] = phase
    return tuple(phases.values())


def _phase(section: Section, taken: Mapping[str, Phase]) -> Phase:
    title = MAIN.title if section.title is None else redact_text(section.title)
    is_main = title == MAIN.title and MAIN_PHASE not in taken
    return Phase(MAIN_PHASE if is_main else make_slug(title, taken), title, section.notes)


def _task(item: Item, task: int, phase: str, references: References, now: datetime) -> Task:
    needs: dict[int, None] = {}
    for line, words in item.needs_by_line.items():
        tasks, unknown = references.find(words)
        if unknown:
            where = f"line {line}"
            raise InvalidDocument("document_unknown_task", where=where, task_id=unknown[0])
        needs |= dict.fromkeys(tasks)
    status = shown_status(item)
    return Task(
        task,
        item.name or str(item.id),
        phase,
        tuple(needs),
        description=item.description or "",
        status=status,
        result=item.result or None,
        checks=item.checks,
        run=item.run,
        files=item.files,
        protect=item.protect,
        how=("assumed" if item.assumed else "reported") if status == "completed" else "",
        actor="" if status in ("pending", "skipped") else PERSON,
        started_at=now if status == "in_progress" else None,
    )


def _order(tasks: tuple[Task, ...]) -> Order:
    """Return `sequential`, unless a task needs one further down."""
    seen: set[int] = set()
    for task in tasks:
        if not seen.issuperset(task.needs):
            return "graph"
        seen.add(task.id)
    return "sequential"
