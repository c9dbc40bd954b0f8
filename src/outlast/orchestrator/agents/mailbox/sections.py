"""Front matter and sections: the form that commands and reports share.

The front matter has one `key: value` on each line. A section begins with a level-two heading that
has a name of its own; any other heading is part of the text. A line of the text that looks like
such a heading is escaped with a backslash, so that no text can add a section.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from outlast.errors import InvalidDocument

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
