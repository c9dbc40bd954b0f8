"""Render and parse `findings.md`: findings by category, in the order they came in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.documents.markdown.notes.entries import (
    Entry,
    Escape,
    escape_inline,
    read_notes,
    unescape_inline,
)
from outlast.documents.markdown.syntax import closing_line
from outlast.model.model import CATEGORIES, Category, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.model.state import PlanState

NAME: Final = "findings.md"
_TITLE: Final = "# Findings & Notes"
_INTRODUCTION: Final = "> Research findings and important discoveries."
_CATEGORY: Final = re.compile(r"##(?:\s+(.*?))?\s*\Z")
_ENTRY: Final = re.compile(r"###(?:\s(.*))?\Z")
_SOURCE: Final = re.compile(r"\*Source:(.*)\*\s*\Z")
_COUNT: Final = re.compile(r"\*Count:\s*([0-9]{1,15})(?:\s+times?)?\*\s*\Z")
_BODY: Final = Escape(r"#{2,3}(?:\s|\Z)|\*(?:Source|Count):.*\*\s*\Z")


class FindingFields(Struct, frozen=True):
    """The fields of a finding in the file; an unknown category is None."""

    category: Category | None
    title: str
    content: str
    source: str = ""
    count: int = 1


class FindingsDocument(Struct, frozen=True):
    """The parsed file: its findings, and the numbers of the lines outside of them (`strays`).

    `unknown` are the lines of headings with an unknown category.
    """

    entries: tuple[Entry[FindingFields], ...] = ()
    strays: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()


def finding_fields(finding: Finding) -> FindingFields:
    """Return the fields that the file shows of a finding."""
    return FindingFields(
        finding.category, finding.title, finding.content, finding.source, finding.count
    )


def render(state: PlanState, *, bare: bool = False, mark: str = "") -> str:
    """Return the file; empty if there are no findings. The `bare` form has no closing line."""
    findings = [finding_fields(finding) for finding in state.notes.findings.values()]
    if not findings:
        return ""
    closing = "" if bare else f"{closing_line(state.revision, mark)}\n"
    sections = map(_render_section, _group(findings))
    return "".join((f"{_TITLE}\n\n{_INTRODUCTION}\n\n", *sections, closing))


def parse(text: str) -> FindingsDocument:
    """Parse the file as people left it; no text is an error."""
    reading = _Parser()
    for number, line in enumerate(read_notes(text).lines, 1):
        reading.read_line(number, line)
    reading.close_entry()
    strays, unknown = tuple(reading.strays), tuple(reading.unknown)
    return FindingsDocument(tuple(reading.entries), strays, unknown)


def _group(findings: Iterable[FindingFields]) -> Iterator[list[FindingFields]]:
    groups: dict[Category | None, list[FindingFields]] = {}
    for finding in findings:
        groups.setdefault(finding.category, []).append(finding)
    return iter(groups.values())


def _render_section(findings: list[FindingFields]) -> str:
    category = str(findings[0].category).capitalize()
    return "".join((f"## {category}\n\n", *map(_render_finding, findings)))


def _render_finding(finding: FindingFields) -> str:
    body = "\n".join(_BODY.write(finding.content))
    source = f"*Source: {escape_inline(finding.source)}*\n\n" if finding.source else ""
    count = f"*Count: {finding.count} times*\n\n" if finding.count > 1 else ""
    return f"### {escape_inline(finding.title)}\n\n{body}\n\n{source}{count}"


class _Parser:
    """Reads the file line by line."""

    def __init__(self) -> None:
        self.entries: list[Entry[FindingFields]] = []
        self.strays: list[int] = []
        self.unknown: list[int] = []
        self._category: Category | None = None
        self._line = 0
        self._title = ""
        self._body: list[str] = []

    def read_line(self, number: int, line: str) -> None:
        entry, category = _ENTRY.match(line), _CATEGORY.match(line)
        if entry:
            self.close_entry()
            self._line, self._title = number, unescape_inline(entry[1] or "")
        elif category:
            self.close_entry()
            self._begin_category(number, (category[1] or "").lower())
        elif self._line:
            self._body.append(line)
        elif line.strip() and line.rstrip() not in (_TITLE, _INTRODUCTION):
            self.strays.append(number)

    def close_entry(self) -> None:
        """Add the entry that is being read, if any."""
        if self._line:
            source, count = _take_line(self._body, _SOURCE), _take_line(self._body, _COUNT)
            fields = FindingFields(
                self._category,
                self._title,
                _BODY.read(self._body),
                unescape_inline(source or ""),
                max(int(count or 1), 1),
            )
            self.entries.append(Entry(self._line, fields))
        self._line, self._body = 0, []

    def _begin_category(self, number: int, name: str) -> None:
        self._category = next((known for known in CATEGORIES if known == name), None)
        if self._category is None:
            self.unknown.append(number)


def _take_line(body: list[str], form: re.Pattern[str]) -> str | None:
    """Take the last line of a form out of a body; what stands below it belongs to the body."""
    for number in reversed(range(len(body))):
        line = form.match(body[number])
        if line:
            del body[number]
            return line[1]
    return None
