"""The views of each layout, and how they are rendered. Each format is imported on first use."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Final

from msgspec import Struct

from outlast.errors import InvalidDocument
from outlast.model.commands import CreatePlan
from outlast.model.state import PlanState
from outlast.system.clock import now

PLAN_JSON: Final = "plan.json"
TASK_PLAN: Final = "task_plan.md"
UNMERGED: Final = "document_unmerged"  # the text of the error about a merge conflict
_CLOSING_LINE: Final = rb"<!-- outlast r\d+(?: [0-9a-f]{8})? -->"


class View(Struct, frozen=True):
    """A file that a plan is rendered into, with the mark of its last commit; empty means no file.

    `is_sound` tells an edit from damage. `ending` matches in every complete file. A view `is_bare`
    in the form of the document, which leaves some of the plan out. A view that `is_rare` is looked
    at only once it has been rendered: most plans never have content for it.
    """

    name: str
    render: Callable[[PlanState, str], bytes]
    is_sound: Callable[[bytes], bool]
    is_editable: bool = True
    ending: bytes = b""
    is_bare: bool = False
    is_rare: bool = False

    def is_complete(self, data: bytes) -> bool:
        """Return whether a file is certainly complete, not torn or still being saved."""
        return bool(self.ending) and re.search(self.ending, data) is not None


class LayoutViews(Struct, frozen=True):
    """The views of a layout; `adopt` makes a plan from the first one where there is no journal."""

    adopt: Callable[[bytes, str, datetime], CreatePlan]
    views: tuple[View, ...]

    @property
    def name(self) -> str:
        """The name of the first view."""
        return self.views[0].name


def is_same_content(old: bytes, new: bytes) -> bool:
    """Return whether two renderings differ at most in their time and revision."""
    return old == new or _strip_time(old) == _strip_time(new)


def _strip_time(data: bytes) -> bytes:
    return re.sub(rb"(?m)^(?:\*Last updated: .*\*|%b)\n" % _CLOSING_LINE, b"", data)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


# plan.json


def _render_plan_json(state: PlanState, _mark: str) -> bytes:
    from outlast.documents.json import plan_render

    return plan_render.render(state, with_key=False)


def _adopt_plan_json(data: bytes, plan_id: str, at: datetime) -> CreatePlan:
    from outlast.documents.json.plan_parse import parse

    return parse(data, plan_id, at)


def _is_plan_json(data: bytes) -> bool:
    try:
        _adopt_plan_json(data, "", now())
    except InvalidDocument:
        return False
    return True


# task_plan.md


def _render_task_plan(state: PlanState, mark: str) -> bytes:
    from outlast.documents.markdown.render import render

    return render(state, mark=mark).encode()


def _render_bare_task_plan(state: PlanState, _mark: str) -> bytes:
    from outlast.documents.markdown.render import render

    return render(state, bare=True).encode()


def _adopt_bare_task_plan(data: bytes, plan_id: str, at: datetime) -> CreatePlan:
    return _adopt_task_plan(data, plan_id, at, bare=True)


def _adopt_task_plan(data: bytes, plan_id: str, at: datetime, *, bare: bool = False) -> CreatePlan:
    from outlast.documents.markdown.parse import parse
    from outlast.documents.markdown.to_plan import to_plan

    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        offset = error.start
        raise InvalidDocument("document_not_text", where=TASK_PLAN, offset=offset) from error
    return to_plan(parse(text, bare=bare), plan_id, at)


# Findings, errors, the deliverable and the mission


def _render_findings(state: PlanState, mark: str, *, bare: bool = False) -> bytes:
    if not state.notes.findings:
        return b""
    from outlast.documents.markdown.notes.findings import render

    return render(state, bare=bare, mark=mark).encode()


def _render_errors(state: PlanState, mark: str, *, bare: bool = False) -> bytes:
    if not state.notes.errors:
        return b""
    from outlast.documents.markdown.notes.errors import render

    return render(state, bare=bare, mark=mark).encode()


def _render_deliverable(state: PlanState, _mark: str) -> bytes:
    from outlast.documents.markdown.notes.deliverable import render

    return render(state).encode()


def _render_mission(state: PlanState, _mark: str) -> bytes:
    if not state.ledger.reports and not state.ledger.decisions:
        return b""
    from outlast.documents.markdown.notes.mission import render

    return render(state).encode()


def _render_answer(state: PlanState, mark: str) -> bytes:
    """Render the deliverable of a plan that has one, or an answer; no summary of the tasks."""
    if not state.notes.deliverable and not state.notes.answer:
        return b""
    return _render_deliverable(state, mark)


_MISSION: Final = View("MISSION.md", _render_mission, _is_text, is_editable=False, is_rare=True)
_DELIVERABLE: Final = View("deliverable.md", _render_deliverable, _is_text)
_AT_THE_END: Final = rb"%b\s*\Z" % _CLOSING_LINE  # people add notes below it
OUTLAST: Final = LayoutViews(
    _adopt_task_plan,
    (
        View(TASK_PLAN, _render_task_plan, _is_text, ending=_CLOSING_LINE),
        View("findings.md", _render_findings, _is_text, ending=_AT_THE_END),
        View("errors.md", _render_errors, _is_text, ending=_AT_THE_END),
        _DELIVERABLE,
        _MISSION,
    ),
)
CODE_AGENT: Final = LayoutViews(
    _adopt_bare_task_plan,
    (
        View(
            TASK_PLAN,
            _render_bare_task_plan,
            _is_text,
            ending=rb"\*Last updated: \S+\*",
            is_bare=True,
        ),
        View("findings.md", partial(_render_findings, bare=True), _is_text, is_bare=True),
        View("errors.md", partial(_render_errors, bare=True), _is_text, is_bare=True),
        _DELIVERABLE,
        _MISSION,
    ),
)
SESSIONS: Final = LayoutViews(
    _adopt_plan_json,
    (
        View(PLAN_JSON, _render_plan_json, _is_plan_json, is_editable=False),
        View("deliverable.md", _render_answer, _is_text),
        _MISSION,
    ),
)
