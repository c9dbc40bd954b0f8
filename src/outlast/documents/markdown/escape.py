"""Escape text in a line of Markdown as `&#45;`, and read it back.

One kind of escape is enough: neither this parser nor any other program that shows the file takes a
numeric character reference for Markdown.
"""

from __future__ import annotations

import re
from typing import Final

from outlast.documents.markdown.syntax import COMMAS, NUMBER, STRUCK

_REFERENCE: Final = re.compile(r"&#([0-9]{1,7});")
_UNSAFE: Final = re.compile(  # controls, line breaks, marks that turn the writing direction
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|&(?=#[0-9]{1,7};)"
)
_UNSAFE_IN_LINE: Final = re.compile(  # a tab is harmless, the id of a task is not
    f"(?!\t)(?:{_UNSAFE.pattern})|<(?=!--\\s*t[0-9]{{1,16}}\\s*-->)"
)
_LOOKS_LIKE_ID: Final = re.compile(r"<(?=!--\s*t[0-9]{1,16}\s*-->$)")
_PROGRESS: Final = "**Progress:**"
_LARGEST: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)


def escape(text: str) -> str:
    """Escape a text that fills the rest of a line; spaces at both ends are kept."""
    return _escape_edge(escape_end(text))


def escape_end(text: str) -> str:
    """Escape a text after a character that protects its leading spaces."""
    if not text.isprintable() or "&#" in text:
        text = _UNSAFE.sub(_replace, text)
    return text[:-1] + _reference(text[-1]) if text[-1:].isspace() else text


def escape_line(text: str) -> str:
    """Escape a line of a text that may contain tabs; spaces at its beginning are protected."""
    text = _UNSAFE_IN_LINE.sub(_replace, text)
    return text[:-1] + _reference(text[-1]) if text[-1:].isspace() else text


def escape_first(line: str) -> str:
    """Escape the first character of a line after its indentation."""
    text = line.lstrip()
    return f"{line[: len(line) - len(text)]}{_reference(text[0])}{text[1:]}"


def escape_name(text: str) -> str:
    """Escape the name of a task, which may look like a number with a name, an id or struck text."""
    name = _LOOKS_LIKE_ID.sub(_replace, escape(text))
    return escape_first(name) if name[0] in "*_~" and _is_marked(name) else name


def escape_item(text: str) -> str:
    """Escape an item of a list that is separated by commas, also Chinese ones."""
    return COMMAS.sub(_replace, escape(text))


def unescape(text: str) -> str:
    """Undo any of the escapes."""
    return _REFERENCE.sub(_resolve, text) if "&#" in text else text


def quote(text: str) -> list[str]:
    """Return a text of several lines as a block quote."""
    if not text.strip("\n"):
        return [f"> {escape(text)}"]
    return [f"> {escape_end(line)}".rstrip() for line in text.split("\n")]


def quote_goal(goal: str) -> list[str]:
    """Return the goal as a block quote in which no line looks like the progress."""
    first, *others = goal.split("\n")
    more = (f"> {_escape_progress(line)}".rstrip() for line in others)
    return [f"> **Objective:** {escape_end(first)}", *more]


def unquote(lines: list[str]) -> str:
    """Return the text of a block quote from its lines without the quote marks."""
    return "\n".join(unescape(line.rstrip()) for line in lines)


def _is_marked(name: str) -> bool:
    return bool(NUMBER.match(name) or STRUCK.match(name))


def _escape_progress(line: str) -> str:
    text = escape_end(line)
    return text.replace("*", _reference("*"), 1) if text.lstrip().startswith(_PROGRESS) else text


def _escape_edge(text: str) -> str:
    return _reference(text[0]) + text[1:] if text[:1].isspace() else text


def _replace(match: re.Match[str]) -> str:
    return _reference(match[0])


def _reference(character: str) -> str:
    return f"&#{ord(character)};"


def _resolve(match: re.Match[str]) -> str:
    code = int(match[1])
    return match[0] if code > _LARGEST or code in _SURROGATES else chr(code)
