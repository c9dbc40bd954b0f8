"""Import and export: a whole plan in one document, in any of its formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.domain.commands import CreatePlan
from outlast.domain.model import Prose
from outlast.errors import InvalidDocument
from outlast.formats.json import manager_parse, manager_render, plan_parse
from outlast.formats.json import plan_render as plan_json
from outlast.formats.json.reader import LARGEST_BYTES, decode
from outlast.formats.markdown import checklist
from outlast.formats.markdown.document import UnparsedLine

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.state import PlanState

PLAN_JSON: Final = "plan.json"
MANAGER: Final = "manager"
MARKDOWN: Final = "markdown"
CHECKLIST: Final = "checklist"
TODOS: Final = "todos"  # only read
TASK_MASTER: Final = "task-master"  # only read


class PlanDocument(Struct, frozen=True):
    """An imported document: the plan, its prose, and the lines that were not understood."""

    form: str
    plan: CreatePlan
    prose: tuple[Prose, ...] = ()
    unread: tuple[UnparsedLine, ...] = ()


def write(state: PlanState, form: str) -> bytes:
    """Write a plan as a document."""
    if form == PLAN_JSON:
        return plan_json.render(state)
    if form == MANAGER:
        written = json.dumps(manager_render.render(state), ensure_ascii=False, indent=2)
        return f"{written}\n".encode(errors="backslashreplace")
    if form == CHECKLIST:
        return checklist.render(state).encode()
    from outlast.formats.markdown.render import render

    return render(state).encode()


def read(
    data: bytes, form: str | None, plan_id: str, now: datetime, where: str = "document"
) -> PlanDocument:
    """Read the plan in a document; without a form it is detected from the content.

    Raises `InvalidDocument` for a document that is none of the forms.
    """
    if len(data) > LARGEST_BYTES:
        raise InvalidDocument("document_too_large", where=where, limit=LARGEST_BYTES)
    form = form or _form(data, where)
    if form in (MARKDOWN, CHECKLIST):
        return _read_markdown(data, form, plan_id, now, where)
    if form == PLAN_JSON:
        return PlanDocument(form, plan_parse.parse(data, plan_id, now))
    decoded = decode(data, where)
    if form == MANAGER:
        return PlanDocument(form, manager_parse.parse(decoded, plan_id, now))
    from outlast.formats.json import task_lists

    parse = task_lists.parse_todos if form == TODOS else task_lists.parse_task_master
    return PlanDocument(form, parse(decoded, plan_id))


def _form(data: bytes, where: str) -> str:
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start not in (b"{", b"["):
        return MARKDOWN
    try:
        return _json_form(decode(data, where), where)
    except InvalidDocument as error:
        if start == b"[" and error.text == "document_not_json":
            return MARKDOWN  # a link, or a task without a bullet
        raise


def _json_form(document: object, where: str) -> str:
    from outlast.formats.json.task_lists import is_task_master, is_todo_list

    fields = document if isinstance(document, dict) else {}
    if "steps" in fields:
        return PLAN_JSON
    if is_todo_list(document):
        return TODOS
    if is_task_master(document):
        return TASK_MASTER
    if "tasks" in fields:
        return MANAGER
    if "goal" in fields:
        return PLAN_JSON
    raise InvalidDocument("document_no_plan", where=where)


def _read_markdown(data: bytes, form: str, plan_id: str, now: datetime, where: str) -> PlanDocument:
    from outlast.formats.markdown.parse import parse
    from outlast.formats.markdown.to_plan import prose_of, to_plan

    try:
        document = parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidDocument("document_not_text", where=where, offset=error.start) from error
    plan = to_plan(document, plan_id, now)
    if not plan.tasks and document.goal is None:
        raise InvalidDocument("document_no_plan", where=where)
    return PlanDocument(form, plan, prose_of(document, plan), document.unread)
