"""A whole plan in one document, in any of the forms that there are for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.domain.commands import CreatePlan
from outlast.domain.model import Prose
from outlast.errors import InvalidDocument
from outlast.formats import checklist
from outlast.formats.json import manager, manager_parse, plan_parse
from outlast.formats.json import plan as plan_json
from outlast.formats.json.text import LARGEST_BYTES, decode
from outlast.formats.markdown.document import Unread

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.state import PlanState

PLAN_JSON: Final = "plan.json"
MANAGER: Final = "manager"
MARKDOWN: Final = "markdown"
CHECKLIST: Final = "checklist"
_WHERE: Final = "document"


class Found(Struct, frozen=True):
    """What a document says: the plan, people's own lines, and lines that nobody understands."""

    form: str
    plan: CreatePlan
    prose: tuple[Prose, ...] = ()
    unread: tuple[Unread, ...] = ()


def write(state: PlanState, form: str) -> bytes:
    """Return a plan as a document."""
    if form == PLAN_JSON:
        return plan_json.write(state)
    if form == MANAGER:
        written = json.dumps(manager.write(state), ensure_ascii=False, indent=2)
        return f"{written}\n".encode(errors="backslashreplace")
    if form == CHECKLIST:
        return checklist.write(state).encode()
    from outlast.formats.markdown.render import render

    return render(state).encode()


def read(data: bytes, form: str | None, plan_id: str, now: datetime) -> Found:
    """Return the plan in a document, whose form is told by what is in it unless it is given."""
    if len(data) > LARGEST_BYTES:
        raise InvalidDocument("document_too_large", where=_WHERE, limit=LARGEST_BYTES)
    form = form or _form(data)
    if form == PLAN_JSON:
        return Found(form, plan_parse.parse(data, plan_id, now))
    if form == MANAGER:
        return Found(form, manager_parse.parse(decode(data, _WHERE), plan_id, now))
    return _read_markdown(data, form, plan_id, now)


def _form(data: bytes) -> str:
    if not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return MARKDOWN
    found = decode(data, _WHERE)
    is_manager = isinstance(found, dict) and "steps" not in found and "tasks" in found
    return MANAGER if is_manager else PLAN_JSON


def _read_markdown(data: bytes, form: str, plan_id: str, now: datetime) -> Found:
    from outlast.formats.markdown.parse import parse
    from outlast.formats.markdown.to_plan import prose_of, to_plan

    try:
        document = parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidDocument("document_not_text", where=_WHERE, offset=error.start) from error
    plan = to_plan(document, plan_id, now)
    return Found(form, plan, prose_of(document, plan), document.unread)
