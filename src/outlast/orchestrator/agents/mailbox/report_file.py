"""`report-<id>.md`: the report of a coding agent about one command (R1.03)."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Final

from outlast.agent.work import Report, is_session_id
from outlast.errors import InvalidDocument
from outlast.model.budget import Spend
from outlast.model.limits import LARGEST_ID
from outlast.model.model import REPORT_STATUSES
from outlast.orchestrator.agents.mailbox.command_file import is_command_id
from outlast.orchestrator.agents.mailbox.sections import LARGEST_FIELD, SectionForm

if TYPE_CHECKING:
    from outlast.orchestrator.agents.mailbox.sections import HeadingLanguage

_FORM: Final = SectionForm(
    ("results", "pitfalls", "next_steps"),
    {
        "en": ("Core results", "Pitfalls", "Next steps"),
        "zh": ("核心成果", "填坑记录", "下一步建议"),
    },
)
_ALWAYS: Final = ("status", "session_id")
_ABOUT: Final = ("id", "task_id")  # fields that may name the command; agents write them by habit
_BETWEEN: Final = "; "
_UNSAFE: Final = re.compile(r"[\s;#'\"]+")
_GAPS: Final = re.compile(r"[\s_-]+")


def render(report: Report, headings: HeadingLanguage = "en") -> str:
    """Return the file of a report."""
    denied = _BETWEEN.join(_UNSAFE.sub(" ", call).strip() for call in report.denied)
    fields = {
        "status": report.status,
        "session_id": report.session_id,
        "denied": denied[:LARGEST_FIELD],
        "tokens": f"{report.spent.tokens}" if report.spent.tokens else "",
        "money": f"{report.spent.money:.6f}" if report.spent.money else "",
    }
    shown = {key: value for key, value in fields.items() if value or key in _ALWAYS}
    return _FORM.render(shown, (report.results, report.pitfalls, report.next_steps), headings)


def parse(text: str, where: str, command: str = "") -> Report:
    """Parse a report in either language; any section may be missing. Raises `InvalidDocument`.

    A report that names a command must name the given one.
    """
    file = _FORM.parse(text, where)
    fields = file.fields
    status = _GAPS.sub("_", fields.get("status", "")).upper()
    if status not in REPORT_STATUSES:
        value = fields.get("status", "")
        raise InvalidDocument("mailbox_field", where=where, field="status", value=value)
    for field in _ABOUT:
        about = fields.get(field, "")
        if command and is_command_id(about) and about != command:
            raise InvalidDocument("mailbox_field", where=where, field=field, value=about)
    session = fields.get("session_id", "")
    denied = (call.strip() for call in fields.get("denied", "").split(_BETWEEN.strip()))
    return Report(
        status,
        session if is_session_id(session) else "",
        **file.sections,
        content=file.content,
        denied=tuple(filter(None, denied)),
        spent=Spend(
            tokens=int(_amount(fields.get("tokens", ""))), money=_amount(fields.get("money", ""))
        ),
    )


def _amount(given: str) -> float:
    """Return an amount that is a number and possible, else 0: it is only what somebody says."""
    try:
        amount = float(given)
    except ValueError:
        return 0.0
    return amount if isfinite(amount) and 0 <= amount <= LARGEST_ID else 0.0
