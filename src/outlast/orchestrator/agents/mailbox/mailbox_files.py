"""The files of a mailbox: `task-<uuid>.md`, a command to a coding agent, and `report-<id>.md`.

Both have front matter and sections (R1.02, R1.03). The front matter has one `key: value` on each
line. A section begins with a level-two heading that has a name of its own; any other heading is
part of the text. A line of the text that looks like such a heading is escaped with a backslash, so
that no text can add a section.
"""

from __future__ import annotations

import re
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, Final, Literal, cast, get_args

from msgspec import Struct

from outlast.agent.work import Report, is_session_id
from outlast.errors import InvalidDocument
from outlast.language import times
from outlast.model.budget import Spend
from outlast.model.limits import LARGEST_ID
from outlast.model.model import REPORT_STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

HeadingLanguage = Literal["en", "zh"]
FENCE: Final = "---"
_FIELD: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:(?:[ \t]+(.*))?")
_QUOTED: Final = re.compile(r"""(["'])(.*)\1[ \t]*(?:#.*)?""")
_REMARK: Final = re.compile(r"(?:^|[ \t])#.*")
_HEADING: Final = re.compile(r"(\\*)##[ \t]+(.*?)[ \t#]*")
_EMPTY: Final[dict[HeadingLanguage, str]] = {"en": "none", "zh": "无"}
LARGEST_FIELD: Final = 1_000  # characters


class SectionedText(Struct, frozen=True):
    """A parsed file: its fields, its sections by name, and everything below the front matter."""

    fields: dict[str, str]
    sections: dict[str, str]
    content: str


class SectionForm(Struct, frozen=True):
    """The sections of a kind of file: their names, and their headings in each language."""

    names: tuple[str, ...]
    headings: dict[HeadingLanguage, tuple[str, ...]]

    def render(
        self, fields: Mapping[str, str], texts: Iterable[str], language: HeadingLanguage
    ) -> str:
        """Return a file with all sections; one without a text says so."""
        by_heading, empty = self._names_by_heading(), _EMPTY[language]
        front = "\n".join((FENCE, *(f"{key}: {value}" for key, value in fields.items()), FENCE))
        sections = (
            f"## {heading}\n" + (_escape(text, by_heading) or empty)
            for heading, text in zip(self.headings[language], texts, strict=True)
        )
        return "\n\n".join((front, *sections)) + "\n"

    def parse(self, text: str, where: str) -> SectionedText:
        """Parse a file with headings in any language; a missing section is empty.

        Raises `InvalidDocument` unless the file begins with a complete front matter.
        """
        lines = _normalize(text.removeprefix("\ufeff")).split("\n")
        if lines[0].rstrip() != FENCE:
            raise InvalidDocument("mailbox_no_front_matter", where=where)
        end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), 0)
        if not end:
            raise InvalidDocument("mailbox_open_front_matter", where=where)
        below = lines[end + 1 :]
        return SectionedText(
            dict(_read_fields(lines[1:end], where)),
            dict.fromkeys(self.names, "") | _split(below, self._names_by_heading()),
            "\n".join(below).strip("\n"),
        )

    def _names_by_heading(self) -> dict[str, str]:
        return {
            heading.casefold(): name
            for headings in self.headings.values()
            for heading, name in zip(headings, self.names, strict=True)
        }


def _normalize(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _read_fields(lines: Iterable[str], where: str) -> Iterator[tuple[str, str]]:
    for line in lines:
        match = _FIELD.fullmatch(line.rstrip())
        if match:
            value = match[2] or ""
            if len(value) > LARGEST_FIELD:
                raise InvalidDocument("mailbox_long_field", where=where, field=match[1])
            yield match[1].lower(), _read_value(value)


def _read_value(value: str) -> str:
    """Return a value without quotation marks and without a remark after it."""
    quoted = _QUOTED.fullmatch(value)
    return quoted[2] if quoted else _REMARK.sub("", value, count=1).strip()


def _split(lines: Iterable[str], by_heading: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of the sections; a heading that comes again continues its section."""
    bodies: dict[str, list[str]] = {}
    body: list[str] = []
    for line in lines:
        match = _HEADING.fullmatch(line)
        name = by_heading.get(match[2].casefold(), "") if match else ""
        if match and name and not match[1]:
            body = bodies.setdefault(name, [])
        else:
            body.append(line[1:] if name else line)
    texts = {name: "\n".join(lines).strip() for name, lines in bodies.items()}
    return {name: "" if text in _EMPTY.values() else text for name, text in texts.items()}


def _escape(text: str, by_heading: Mapping[str, str]) -> str:
    """Return a text without lines that begin a section."""
    return "\n".join(
        f"\\{line}"
        if (match := _HEADING.fullmatch(line)) and match[2].casefold() in by_heading
        else line
        for line in _normalize(text).strip().split("\n")
    )


# Commands

CommandType = Literal["new", "continue", "end"]
COMMAND_TYPES: Final[tuple[CommandType, ...]] = get_args(CommandType)
AUTO: Final = "auto"  # the session id of a command that begins a session
_ID: Final = re.compile(r"task-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CHECK: Final = "- check: "
_COMMAND_FORM: Final = SectionForm(
    ("description", "constraints", "expected"),
    {
        "en": ("Task description", "Constraints", "Expected output"),
        "zh": ("任务描述", "约束条件", "预期输出"),
    },
)


class CommandFile(Struct, frozen=True):
    """What a coding agent is asked to do; `checks` are the rules that must hold afterwards."""

    id: str
    created_at: datetime
    description: str
    constraints: str = ""
    expected: str = ""
    checks: tuple[str, ...] = ()
    session_id: str = AUTO
    command_type: CommandType = "new"


def is_command_id(value: str) -> bool:
    """Return whether a text is the id of a command: safe in the name of a file."""
    return _ID.fullmatch(value) is not None


def render_command(command: CommandFile, headings: HeadingLanguage = "en") -> str:
    """Return the file; the language of the headings is not that of the texts."""
    checks = "\n".join(f"{_CHECK}{rule}" for rule in command.checks)
    expected = "\n\n".join(filter(None, (command.expected.strip(), checks)))
    fields = {
        "id": command.id,
        "created_at": times.write_milliseconds(command.created_at),
        "session_id": command.session_id,
        "command_type": command.command_type,
    }
    return _COMMAND_FORM.render(
        fields, (command.description, command.constraints, expected), headings
    )


def parse_command(text: str, where: str) -> CommandFile:
    """Parse a command in either language; raises `InvalidDocument`.

    The checks stay in the expected output: they are for the agent to read.
    """
    file = _COMMAND_FORM.parse(text, where)
    fields = file.fields
    created, kind = times.read(fields.get("created_at")), fields.get("command_type", "")
    session = fields.get("session_id") or AUTO
    is_valid = {
        "id": is_command_id(fields.get("id", "")),
        "created_at": created is not None,
        "session_id": is_session_id(session),
        "command_type": kind in COMMAND_TYPES,
    }
    for field, is_good in is_valid.items():
        if not is_good:
            value = fields.get(field, "")
            raise InvalidDocument("mailbox_field", where=where, field=field, value=value)
    return CommandFile(
        fields["id"],
        cast("datetime", created),
        file.sections["description"],
        file.sections["constraints"],
        file.sections["expected"],
        session_id=session,
        command_type=cast("CommandType", kind),
    )


# Reports

_REPORT_FORM: Final = SectionForm(
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


def render_report(report: Report, headings: HeadingLanguage = "en") -> str:
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
    return _REPORT_FORM.render(
        shown, (report.results, report.pitfalls, report.next_steps), headings
    )


def parse_report(text: str, where: str, command: str = "") -> Report:
    """Parse a report in either language; any section may be missing. Raises `InvalidDocument`.

    A report that names a command must name the given one.
    """
    file = _REPORT_FORM.parse(text, where)
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
