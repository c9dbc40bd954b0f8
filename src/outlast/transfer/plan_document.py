"""Import and export: a whole plan in one document, in any of its formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from outlast.documents.json import manager_parse, manager_render, plan_parse
from outlast.documents.json import plan_render as plan_json
from outlast.documents.json.reader import LARGEST_BYTES, decode
from outlast.documents.markdown import checklist
from outlast.errors import InvalidDocument
from outlast.transfer.imports import outlines, planning_with_files
from outlast.transfer.imports.document import PlanDocument
from outlast.transfer.imports.outline import Outline
from outlast.transfer.imports.outlines import CHECKLIST, KIRO, SPEC_KIT
from outlast.transfer.imports.planning_with_files import PLANNING_WITH_FILES
from outlast.transfer.imports.recognize import (
    CLAUDE_TASKS,
    IN_JSON,
    MANAGER,
    MARKDOWN,
    PLAN_JSON,
    TODOS,
    recognize,
    refuse,
)

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.state import PlanState
    from outlast.transfer.imports.document import ImportSource

__all__ = ["MANAGER", "MARKDOWN", "PLAN_JSON", "PlanDocument", "read_source", "write"]
_OUTLINES: Final = {
    PLANNING_WITH_FILES: planning_with_files.read,
    SPEC_KIT: outlines.read_spec_kit,
    KIRO: outlines.read_kiro,
}


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
    from outlast.transfer.imports import task_lists

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
    from outlast.documents.markdown.parse import parse
    from outlast.documents.markdown.to_plan import prose_of, to_plan

    text = source.text()
    if form == CHECKLIST and outlines.is_nested(Outline(text)):
        return outlines.read_nested(source, plan_id)
    document = parse(text)
    plan = to_plan(document, plan_id, now)
    if not plan.tasks and document.goal is None:
        raise refuse(source)
    return PlanDocument(form, plan, prose_of(document, plan), document.unread)
