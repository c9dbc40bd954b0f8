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
_WHERE: Final = "document"


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


def read(data: bytes, form: str | None, plan_id: str, now: datetime) -> PlanDocument:
    """Read the plan in a document; without a form it is detected from the content."""
    if len(data) > LARGEST_BYTES:
        raise InvalidDocument("document_too_large", where=_WHERE, limit=LARGEST_BYTES)
    form = form or _form(data)
    if form == PLAN_JSON:
        return PlanDocument(form, plan_parse.parse(data, plan_id, now))
    if form == MANAGER:
        return PlanDocument(form, manager_parse.parse(decode(data, _WHERE), plan_id, now))
    return _read_markdown(data, form, plan_id, now)


def _form(data: bytes) -> str:
    if not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return MARKDOWN
    decoded = decode(data, _WHERE)
    is_manager = isinstance(decoded, dict) and "steps" not in decoded and "tasks" in decoded
    return MANAGER if is_manager else PLAN_JSON


def _read_markdown(data: bytes, form: str, plan_id: str, now: datetime) -> PlanDocument:
    from outlast.formats.markdown.parse import parse
    from outlast.formats.markdown.to_plan import prose_of, to_plan

    try:
        document = parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidDocument("document_not_text", where=_WHERE, offset=error.start) from error
    plan = to_plan(document, plan_id, now)
    return PlanDocument(form, plan, prose_of(document, plan), document.unread)
