"""A whole plan in one document: recognize its form by the content, read it, write it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from outlast.documents.json import manager_parse, manager_render, plan_parse
from outlast.documents.json import plan_render as plan_json
from outlast.documents.json.reader import LARGEST_BYTES, decode
from outlast.documents.markdown import checklist
from outlast.documents.markdown.outline import BULLET
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.syntax import REVISION, STATUSES, UPDATED
from outlast.errors import InvalidDocument, UnknownForm
from outlast.transfer.imports import planning_with_files, task_lists, tasks_md
from outlast.transfer.imports.document import ImportSource, PlanDocument
from outlast.transfer.imports.outline import Outline
from outlast.transfer.imports.planning_with_files import PLANNING_WITH_FILES
from outlast.transfer.imports.tasks_md import CHECKLIST, KIRO, SPEC_KIT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from outlast.model.state import PlanState

PLAN_JSON: Final = "plan.json"
MANAGER: Final = "manager"
MARKDOWN: Final = "markdown"
TODOS: Final = "todos"
CLAUDE_TASKS: Final = "claude-tasks"
TASK_MASTER: Final = "task-master"
FORMS: Final = (
    PLAN_JSON,
    MANAGER,
    MARKDOWN,
    CHECKLIST,
    TODOS,
    CLAUDE_TASKS,
    TASK_MASTER,
    PLANNING_WITH_FILES,
    SPEC_KIT,
    KIRO,
)
IN_JSON: Final = (PLAN_JSON, MANAGER, TODOS, CLAUDE_TASKS, TASK_MASTER)
_NEAR_FIELDS: Final = {  # what a document with the field seems to be
    "steps": PLAN_JSON,
    "goal": PLAN_JSON,
    "todos": TODOS,
    "activeForm": TODOS,
    "blockedBy": CLAUDE_TASKS,
    "subject": CLAUDE_TASKS,
    "master": TASK_MASTER,
    "subtasks": TASK_MASTER,
    "tasks": MANAGER,
    "meta": MANAGER,
}
_PLAN_FIELDS: Final = frozenset(
    ("id", "goal", "status", "created_at", "updated_at", "current_step_index", "iteration_count")
)
_BULLET: Final = re.compile(rf"\s*{BULLET}\s+\S")
_OUTLINES: Final = {
    PLANNING_WITH_FILES: planning_with_files.read,
    SPEC_KIT: tasks_md.read_spec_kit,
    KIRO: tasks_md.read_kiro,
}


def recognize(source: ImportSource) -> str:
    """Return the form of a document; raise `UnknownForm`, or `InvalidDocument` for no text."""
    if source.is_directory and not _is_task_directory(source):
        raise UnknownForm(
            "form_no_directory", where=source.where, expected=[*FORMS], near="", line=0
        )
    if len(source.files) > 1 or is_json(source):
        return _json_form(source)
    outline = Outline(source.text())
    return _markdown_form(outline)


def _is_task_directory(source: ImportSource) -> bool:
    """Return whether one of the files of a directory is a task of Claude Code."""
    if not all(name.endswith(".json") for name in source.files):
        return False
    return any(map(_is_claude_file, source.files.values()))


def _is_claude_file(data: bytes) -> bool:
    try:
        return task_lists.is_claude_tasks(decode(data, ""))
    except InvalidDocument:
        return False


def is_json(source: ImportSource) -> bool:
    """Return whether a document is meant as JSON; a Markdown text may begin with a bracket."""
    start = source.main.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start == b"{":
        return True
    if start != b"[":
        return False
    try:
        decode(source.main, source.where)
    except InvalidDocument as error:
        if error.text != "document_not_json":
            raise
        return not any(parse(source.text()).items())
    return True


def _markdown_form(outline: Outline) -> str:
    is_ours = any(entry.text[0] in STATUSES for entry in outline.entries())
    if is_ours or any(REVISION.match(line) or UPDATED.match(line) for line in outline.lines):
        return MARKDOWN
    forms = (
        (SPEC_KIT, tasks_md.is_spec_kit),
        (KIRO, tasks_md.is_kiro),
        (PLANNING_WITH_FILES, planning_with_files.is_planning_with_files),
        (CHECKLIST, tasks_md.is_nested),
    )
    return next((form for form, test in forms if test(outline)), MARKDOWN)


def _json_form(source: ImportSource) -> str:
    documents = [_decode(source, name) for name in source.files]
    document = documents[0]
    fields = document if isinstance(document, dict) else {}
    if _has_items(fields, "steps", "description"):
        return PLAN_JSON
    if any(map(task_lists.is_claude_tasks, documents)):
        return CLAUDE_TASKS
    if task_lists.is_todo_list(document):
        return TODOS
    if task_lists.is_task_master(document):
        return TASK_MASTER
    if _has_items(fields, "tasks", "name"):
        return MANAGER
    if "goal" in fields and "steps" not in fields and fields.keys() <= _PLAN_FIELDS:
        return PLAN_JSON
    raise refuse(source)


def _has_items(fields: dict[str, object], name: str, text: str) -> bool:
    """Return whether an object has a list of our items, or an empty one.

    One item with an id and a text is enough: a mistake in another one is reported with its place.
    """
    items = fields.get(name)
    if not isinstance(items, list):
        return False
    needed = {"id", text}
    return not items or any(isinstance(item, dict) and item.keys() >= needed for item in items)


def _decode(source: ImportSource, name: str) -> object:
    where = f"{source.where}/{name}" if source.is_directory else source.where
    data = source.files[name]
    try:
        return decode(data, where)
    except InvalidDocument as error:
        if error.text != "document_not_json":
            raise
        file = ImportSource(where, {name: data})
        raise refuse(file, problem=str(error.details["got"])) from error


def refuse(
    source: ImportSource, forms: Iterable[str] = FORMS, near: str = "", problem: str = ""
) -> UnknownForm:
    """Return the refusal of a document: the known forms, the nearest one, where it stopped."""
    start = source.main.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    found, line = _near_json(source) if start in (b"{", b"[") else _near_markdown(source)
    near = near or found
    text = "form_unknown_near" if near else "form_unknown"
    return UnknownForm(
        "form_no_json" if problem else text,
        where=source.where,
        expected=[*forms],
        near=near,
        line=line,
        problem=problem,
    )


def _near_json(source: ImportSource) -> tuple[str, int]:
    """Return the form of a JSON text by the first of its fields that one has, and the line."""
    text = source.main.decode("utf-8-sig", "replace")
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        stopped = error.lineno
    except (ValueError, RecursionError):
        stopped = 1
    else:
        stopped = 0
    near, place = "", len(text)
    for field, form in _NEAR_FIELDS.items():
        at = text.find(f'"{field}"', 0, place)
        if at >= 0:
            near, place = form, at
    return near, stopped or (text.count("\n", 0, place) + 1 if near else 1)


def _near_markdown(source: ImportSource) -> tuple[str, int]:
    """Return the form of a text without tasks, and the line where a task was expected."""
    text = source.main.decode("utf-8-sig", "replace")
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if _BULLET.match(line):
            return CHECKLIST, number
    return "", max(len(lines), 1)


def write(state: PlanState, form: str) -> bytes:
    """Write a plan as a document."""
    if form == PLAN_JSON:
        return plan_json.render(state)
    if form == MANAGER:
        written = json.dumps(manager_render.render(state), ensure_ascii=False, indent=2)
        return f"{written}\n".encode(errors="backslashreplace")
    if form == CHECKLIST:
        return checklist.render(state).encode()
    from outlast.documents.markdown.render import render

    return render(state).encode()


def read_source(
    source: ImportSource, form: str | None, plan_id: str, now: datetime
) -> PlanDocument:
    """Read the plan in a document; without a form it is recognized by the content.

    Raises `UnknownForm` for a document that is none of the forms, and `InvalidDocument` for one
    with a mistake.
    """
    if sum(map(len, source.files.values())) > LARGEST_BYTES:
        raise InvalidDocument("document_too_large", where=source.where, limit=LARGEST_BYTES)
    form = form or recognize(source)
    if form in IN_JSON:
        return _read_json(source, form, plan_id, now)
    if form in (MARKDOWN, CHECKLIST):
        return _read_markdown(source, form, plan_id, now)
    document = _OUTLINES[form](source, plan_id)
    if not document.plan.tasks:
        raise refuse(source, near=form)
    return document


def _read_json(source: ImportSource, form: str, plan_id: str, now: datetime) -> PlanDocument:
    where = source.where
    if form == PLAN_JSON:
        return PlanDocument(form, plan_parse.parse(source.main, plan_id, now))
    if form == MANAGER:
        return PlanDocument(form, manager_parse.parse(decode(source.main, where), plan_id, now))
    beside = source.is_directory
    documents = {
        name: decode(data, f"{where}/{name}" if beside else where)
        for name, data in source.files.items()
    }
    if not task_lists.HAS_FORM[form](next(iter(documents.values()), None)):
        raise refuse(source, near=form)
    if form == CLAUDE_TASKS:
        plan, unread = task_lists.parse_claude_tasks(documents, plan_id)
        return PlanDocument(form, plan, unread=unread)
    parse = task_lists.parse_todos if form == TODOS else task_lists.parse_task_master
    return PlanDocument(form, parse(next(iter(documents.values())), plan_id))


def _read_markdown(source: ImportSource, form: str, plan_id: str, now: datetime) -> PlanDocument:
    from outlast.documents.markdown.to_plan import prose_of, to_plan

    text = source.text()
    if form == CHECKLIST and tasks_md.is_nested(Outline(text)):
        return tasks_md.read_nested(source, plan_id)
    document = parse(text)
    plan = to_plan(document, plan_id, now)
    if not plan.tasks and document.goal is None:
        raise refuse(source)
    needs = any(item.needs_by_line for section in document.sections for item in section.items)
    prose = prose_of(document, plan)
    return PlanDocument(form, plan, prose, document.unread, tells_needs=needs)
