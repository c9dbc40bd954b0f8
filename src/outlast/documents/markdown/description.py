"""The description of a task: the plain lines below it.

A line belongs to the task as in Markdown: it is indented, or it follows without a blank line and
begins no block of its own. Rendered lines are indented; one that would be read as something else is
escaped at its first character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.documents.markdown import syntax
from outlast.documents.markdown.blocks import Blocks
from outlast.documents.markdown.elements import (
    is_indented,
    is_like_keyword,
    read_attribute,
    read_element,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_INDENT: Final = "  "
_FENCES: Final = ("```", "~~~")


def continues_task(line: str) -> bool:
    """Return whether a line right below the lines of a task belongs to it."""
    return is_indented(line) or not syntax.BLOCK_START.match(line)


def read_description(lines: Iterable[str]) -> str:
    """Return the description that these lines are."""
    return "\n".join(syntax.unescape(_dedent(line).rstrip()) for line in lines)


def _dedent(line: str) -> str:
    if line.startswith("\t"):
        return line[1:]
    return line.removeprefix(_INDENT) if line.startswith(_INDENT) else line.removeprefix(" ")


def description_lines(text: str, prose: Iterable[Sequence[str]] = ()) -> list[str]:
    """Return the lines of a description; `prose` is all prose of the file.

    A code block that a person left open there would end at a fence of the description, so fences
    are escaped then.
    """
    if not text:
        return []
    lines = [f"{_INDENT}{syntax.escape_line(line)}" if line else "" for line in _split(text)]
    lines = [syntax.escape_first(line) if _is_comment_or_footer(line) else line for line in lines]
    if any(map(_is_fence, lines)) and any(Blocks(part).unclosed for part in prose):
        return [
            syntax.escape_first(line) if _is_fence(line) or _is_special(line) else line
            for line in lines
        ]
    blocks = Blocks(lines)
    for n, line in enumerate(lines):
        if n in blocks.unclosed or (n not in blocks.covered and _is_special(line)):
            lines[n] = syntax.escape_first(line)
    return lines


def _split(text: str) -> list[str]:
    """Split a text into lines; line breaks at its ends stay in the first and the last one."""
    body = text.strip("\n")
    if not body:
        return [text]
    before, _, after = text.partition(body)
    lines = body.split("\n")
    lines[0] = before + lines[0]
    lines[-1] += after
    return lines


def _is_comment_or_footer(line: str) -> bool:
    return line.lstrip().startswith(syntax.COMMENT) or bool(
        syntax.UPDATED.match(line) or syntax.REVISION.match(line)
    )


def _is_fence(line: str) -> bool:
    return line.lstrip().startswith(_FENCES)


def _is_special(line: str) -> bool:
    """Return whether the parser would take a line for something else than a description."""
    if (
        read_element(line)
        or syntax.MALFORMED.match(line)
        or syntax.OBJECTIVE.match(line)
        or syntax.PROGRESS.match(line)
    ):
        return True
    attribute = read_attribute(line)
    return attribute is not None and is_like_keyword(attribute.keyword)
