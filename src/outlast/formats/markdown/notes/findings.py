"""`findings.md`: what was learned, by category, in the order it came in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.domain.model import CATEGORIES, Category
from outlast.formats.markdown.notes.entry import Entry
from outlast.formats.markdown.notes.escape import Escape, inline, lines_of, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.domain.model import Finding
    from outlast.domain.state import PlanState

NAME: Final = "findings.md"
_TITLE: Final = "# Findings & Notes"
_INTRODUCTION: Final = "> Research findings and important discoveries."
_CATEGORY: Final = re.compile(r"##(?:\s+(.*?))?\s*\Z")
_ENTRY: Final = re.compile(r"###(?:\s(.*))?\Z")
_SOURCE: Final = re.compile(r"\*Source:(.*)\*\s*\Z")
_BODY: Final = Escape(r"#{2,3}(?:\s|\Z)|\*Source:.*\*\s*\Z")


class Said(Struct, frozen=True):
    """A finding as the file has it; no category is one that is not known."""

    category: Category | None
    title: str
    content: str
    source: str = ""


class Document(Struct, frozen=True):
    """What the file says: its findings, and the numbers of the lines that are none of them.

    `unknown` are the headings of categories that there are not.
    """

    entries: tuple[Entry[Said], ...] = ()
    strays: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()


def said(finding: Finding) -> Said:
    """Return what the file has of a finding."""
    return Said(finding.category, finding.title, finding.content, finding.source)


def render(state: PlanState) -> str:
    """Write the findings; nothing if there are none."""
    findings = [said(finding) for finding in state.notes.findings.values()]
    if not findings:
        return ""
    return "".join((f"{_TITLE}\n\n{_INTRODUCTION}\n\n", *map(_section, _grouped(findings))))


def parse(text: str) -> Document:
    """Read the file, be it as people have left it."""
    reading = _Reading()
    for number, line in enumerate(lines_of(text), 1):
        reading.take(number, line)
    reading.close()
    strays, unknown = tuple(reading.strays), tuple(reading.unknown)
    return Document(tuple(reading.entries), strays, unknown)


def _grouped(findings: Iterable[Said]) -> Iterator[list[Said]]:
    groups: dict[Category | None, list[Said]] = {}
    for finding in findings:
        groups.setdefault(finding.category, []).append(finding)
    return iter(groups.values())


def _section(findings: list[Said]) -> str:
    category = str(findings[0].category).capitalize()
    return "".join((f"## {category}\n\n", *map(_finding, findings)))


def _finding(finding: Said) -> str:
    body = "\n".join(_BODY.write(finding.content))
    source = f"*Source: {inline(finding.source)}*\n\n" if finding.source else ""
    return f"### {inline(finding.title)}\n\n{body}\n\n{source}"


class _Reading:
    """How far the file has been read."""

    def __init__(self) -> None:
        self.entries: list[Entry[Said]] = []
        self.strays: list[int] = []
        self.unknown: list[int] = []
        self._category: Category | None = None
        self._line = 0
        self._title = ""
        self._body: list[str] = []

    def take(self, number: int, line: str) -> None:
        entry, category = _ENTRY.match(line), _CATEGORY.match(line)
        if entry:
            self.close()
            self._line, self._title = number, plain(entry[1] or "")
        elif category:
            self.close()
            self._begin(number, (category[1] or "").lower())
        elif self._line:
            self._body.append(line)
        elif line.strip() and line.rstrip() not in (_TITLE, _INTRODUCTION):
            self.strays.append(number)

    def close(self) -> None:
        """End the entry under way."""
        if self._line:
            content, source = _taken_apart(self._body)
            found = Said(self._category, self._title, content, source)
            self.entries.append(Entry(self._line, found))
        self._line, self._body = 0, []

    def _begin(self, number: int, name: str) -> None:
        self._category = next((known for known in CATEGORIES if known == name), None)
        if self._category is None:
            self.unknown.append(number)


def _taken_apart(body: list[str]) -> tuple[str, str]:
    """Return the content and the source; what people write below the source is content too."""
    for number in reversed(range(len(body))):
        found = _SOURCE.match(body[number])
        if found:
            rest = body[:number] + body[number + 1 :]
            return _BODY.read(rest), plain(found[1])
    return _BODY.read(body), ""
