"""Text in a line of Markdown that could be misread: written as `&#45;`, and read back.

One kind of escape is enough: a numeric character reference is never taken for a mark of Markdown,
here or in any other program that shows the file.
"""

from __future__ import annotations

import re
from typing import Final

_REFERENCE: Final = re.compile(r"&#([0-9]{1,7});")
_UNSAFE: Final = re.compile(  # controls, line breaks, marks that turn the writing direction
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|&(?=#[0-9]{1,7};)"
)
_LOOKS_LIKE_ID: Final = re.compile(r"<(?=!--\s*t[0-9]{1,16}\s*-->$)")
_PROGRESS: Final = "**Progress:**"
_LARGEST: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)


def escape(text: str) -> str:
    """Write a text that stands alone at the end of a line: no space at its edges is lost."""
    return _edge(escape_end(text))


def escape_end(text: str) -> str:
    """Write a text whose spaces at the beginning are safe where it stands."""
    if not text.isprintable() or "&#" in text:
        text = _UNSAFE.sub(_refer, text)
    return text[:-1] + _number(text[-1]) if text[-1:].isspace() else text


def escape_name(text: str) -> str:
    """Write the name of a task, which may look as if it ended in an id."""
    return _LOOKS_LIKE_ID.sub(_refer, escape(text))


def escape_item(text: str) -> str:
    """Write one of several texts that commas part."""
    return escape(text).replace(",", _number(","))


def unescape(text: str) -> str:
    """Read what one of the above has written."""
    return _REFERENCE.sub(_character, text) if "&#" in text else text


def quote(text: str) -> list[str]:
    """Write a text of several lines as a block quote."""
    if not text.strip("\n"):
        return [f"> {escape(text)}"]
    return [f"> {escape_end(line)}".rstrip() for line in text.split("\n")]


def quote_goal(goal: str) -> list[str]:
    """Write the goal, of whose lines none may look like the progress."""
    first, *others = goal.split("\n")
    more = (f"> {_no_progress(line)}".rstrip() for line in others)
    return [f"> **Objective:** {escape_end(first)}", *more]


def unquote(lines: list[str]) -> str:
    """Read the lines of a block quote, or of the goal, without what stands before them."""
    return "\n".join(unescape(line.rstrip()) for line in lines)


def _no_progress(line: str) -> str:
    text = escape_end(line)
    return text.replace("*", _number("*"), 1) if text.lstrip().startswith(_PROGRESS) else text


def _edge(text: str) -> str:
    return _number(text[0]) + text[1:] if text[:1].isspace() else text


def _refer(found: re.Match[str]) -> str:
    return _number(found[0])


def _number(character: str) -> str:
    return f"&#{ord(character)};"


def _character(found: re.Match[str]) -> str:
    code = int(found[1])
    return found[0] if code > _LARGEST or code in _SURROGATES else chr(code)
