"""Render and parse `errors.md`: errors of tools with their counts, the newest first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import DecodeError, Struct
from msgspec.json import format as format_json

from outlast.documents.markdown.notes.entries import (
    Entry,
    Escape,
    escape_inline,
    read_notes,
    trim_blank,
    unescape_inline,
)
from outlast.documents.markdown.syntax import closing_line
from outlast.language import times

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.model import ErrorRecord
    from outlast.model.state import PlanState

NAME: Final = "errors.md"
_TITLE: Final = "# Error Log"
_INTRODUCTION: Final = "> This file tracks errors to avoid repeating the same mistakes."
_HEADING: Final = re.compile(r"##(?:\s(.*))?\Z")
_PART: Final = re.compile(r"\*\*(Count|Message|Params):\*\*(.*)")
_TIMES: Final = re.compile(r"\s*([0-9]{1,16})(?:\s+times?)?\s*\Z")
RULE: Final = "---"
_FENCE: Final = "```"
_JSON: Final = "```json"
_FENCES: Final = (_FENCE, _JSON)
_STRUCTURE: Final = r"##(?:\s|\Z)|---\s*\Z|\*\*(?:Count|Message|Params):\*\*"
_BODY: Final = Escape(_STRUCTURE)
_CODE: Final = Escape(rf"{_STRUCTURE}|```")

Line = tuple[int, str]


class ErrorFields(Struct, frozen=True):
    """The fields of an error in the file; `at` is the time as written, `count` 0 if missing."""

    tool: str
    message: str
    params: str = ""
    count: int = 0
    at: str = ""


class ErrorsDocument(Struct, frozen=True):
    """The parsed file: its errors, and the numbers of the lines outside of them (`strays`)."""

    entries: tuple[Entry[ErrorFields], ...] = ()
    strays: tuple[int, ...] = ()


def error_fields(error: ErrorRecord) -> ErrorFields:
    """Return the fields that the file shows of an error; blank lines around it are left out."""
    message = "\n".join(trim_blank(error.message.split("\n")))
    at = times.write_milliseconds(error.at)
    return ErrorFields(error.tool, message, compact_params(error.params), error.count, at)


def compact_params(params: str) -> str:
    """Return parameters for comparison: JSON without blanks, other text as it is."""
    return _format_json(params, -1) or params


def render(state: PlanState, *, bare: bool = False, mark: str = "") -> str:
    """Return the file; empty if there are no errors. The `bare` form has no closing line."""
    errors = sorted(state.notes.errors.values(), key=lambda error: error.at, reverse=True)
    if not errors:
        return ""
    closing = "" if bare else f"{closing_line(state.revision, mark)}\n"
    written = (_render_error(error_fields(error)) for error in errors)
    return "".join((f"{_TITLE}\n\n{_INTRODUCTION}\n\n", *written, closing))


def parse(text: str) -> ErrorsDocument:
    """Parse the file as people left it; no text is an error."""
    reading = _Parser()
    for number, line in enumerate(read_notes(text).lines, 1):
        reading.read_line(number, line)
    reading.close_entry()
    return ErrorsDocument(tuple(reading.entries), tuple(sorted(reading.strays)))


def _render_error(error: ErrorFields) -> str:
    message = "\n".join(_BODY.write(error.message))
    return (
        f"## {escape_inline(error.tool)} - {error.at}\n\n"
        f"**Count:** {error.count} times\n\n"
        f"**Message:** {message}\n\n"
        f"{_render_params(error.params)}"
        f"{RULE}\n\n"
    )


def _render_params(params: str) -> str:
    if not params:
        return ""
    pretty = _format_json(params, 2)
    lines = [_JSON, pretty] if pretty else [_FENCE, *_CODE.write(params)]
    return "\n".join(("**Params:**", *lines, _FENCE, "", ""))


def _format_json(params: str, indent: int) -> str:
    """Return formatted JSON; empty if the text is not JSON."""
    try:
        return format_json(params, indent=indent)
    except (DecodeError, RecursionError):
        return ""


class _Parser:
    """Reads the file line by line."""

    def __init__(self) -> None:
        self.entries: list[Entry[ErrorFields]] = []
        self.strays: list[int] = []
        self._line = 0
        self._heading = ""
        self._body: list[Line] = []

    def read_line(self, number: int, line: str) -> None:
        heading = _HEADING.match(line)
        if heading:
            self.close_entry()
            self._line, self._heading = number, heading[1] or ""
        elif line.rstrip() == RULE:
            self.close_entry()
        elif self._line:
            self._body.append((number, line))
        elif line.strip() and line.rstrip() not in (_TITLE, _INTRODUCTION):
            self.strays.append(number)

    def close_entry(self) -> None:
        """Add the entry that is being read, if any."""
        if self._line:
            parts = _split_body(self._body)
            tool, at = _split_heading(self._heading)
            message = _BODY.read(line for _, line in parts["Message"])
            count, params = self._read_count(parts["Count"]), self._read_params(parts["Params"])
            self.entries.append(Entry(self._line, ErrorFields(tool, message, params, count, at)))
            self._add_strays(parts[""])
        self._line, self._body = 0, []

    def _read_count(self, lines: list[Line]) -> int:
        match = _TIMES.match(lines[0][1]) if lines else None
        self._add_strays(lines[1:] if match else lines)
        return int(match[1]) if match else 0

    def _read_params(self, lines: list[Line]) -> str:
        """Return the text between the fences."""
        marks = [number for number, (_, line) in enumerate(lines) if line.rstrip() in _FENCES]
        if not marks:
            self._add_strays(lines)
            return ""
        end = marks[1] if marks[1:] else len(lines)
        self._add_strays((*lines[: marks[0]], *lines[end + 1 :]))
        inside = [line for _, line in lines[marks[0] + 1 : end]]
        is_json = lines[marks[0]][1].rstrip() == _JSON
        return (_format_json("\n".join(inside), -1) if is_json else "") or _CODE.read(inside)

    def _add_strays(self, lines: Iterable[Line]) -> None:
        self.strays += (number for number, line in lines if line.strip())


def _split_heading(heading: str) -> tuple[str, str]:
    """Return tool and time of a heading; people may leave out the time."""
    tool, _, at = heading.rpartition(" - ")
    at = at.strip()
    return (
        (unescape_inline(tool), at) if tool and times.read(at) else (unescape_inline(heading), "")
    )


def _split_body(body: Iterable[Line]) -> dict[str, list[Line]]:
    """Return the lines of an entry by their part; the lines before the first part under `""`."""
    parts: dict[str, list[Line]] = {"": [], "Count": [], "Message": [], "Params": []}
    name = ""
    for number, line in body:
        mark = _PART.match(line)
        if mark and not parts[mark[1]]:
            name = mark[1]
            parts[name].append((number, mark[2].removeprefix(" ")))
        else:
            parts[name].append((number, line))
    return parts
