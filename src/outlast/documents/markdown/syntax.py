"""The syntax of `task_plan.md`: icons, keywords, patterns for each kind of line, and escapes.

A text is escaped as `&#45;`. One kind of escape is enough: neither this parser nor any other
program that shows the file takes a numeric character reference for Markdown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.model import PhaseStatus, TaskStatus

ICONS: Final[dict[TaskStatus | PhaseStatus, str]] = {
    "pending": "○",
    "in_progress": "◐",
    "completed": "●",
    "skipped": "⊘",
    "failed": "✖",
    "blocked": "✖",
}
STATUSES: Final[dict[str, TaskStatus]] = {
    "○": "pending",
    "◐": "in_progress",
    "●": "completed",
    "⊘": "skipped",
    "✖": "failed",
}
BOXES: Final[dict[str, TaskStatus]] = {  # what people write between the brackets
    "": "pending",
    **dict.fromkeys("xXvV\u2713\u2714\u221a\u00d7\uff58\uff38", "completed"),
    **dict.fromkeys("-\u2013\u2014\uff0d", "skipped"),
    **dict.fromkeys("~>/\uff5e", "in_progress"),
}
KEYWORDS: Final = ("needs", "check", "run", "files", "protect")
OUTCOME_KEYWORDS: Final = ("status", "result")  # not in the form of preset `code-agent`
ASSUMED: Final = "assumed"  # the only value of `status`
NEEDS_WORDS: Final = ("needs", "after", "depends on", "依赖")  # the first one is written
RULE: Final = "---"
SEPARATOR: Final = "<!-- -->"  # keeps a quotation below a phase from being its notes
COMMENT: Final = "<!--"
COMMAS: Final = re.compile("[,\uff0c\u3001]")

_ICON: Final = r"(?:([○◐●⊘✖])\ufe0f?(?:\s+|$))?"
_BULLET: Final = r"(?:[-*+]|[0-9]{1,9}[.)])"
_OPEN, _CLOSE = r"[\[\uff3b\u3010]", r"[\]\uff3d\u3011]"  # and their full-width forms
_BOX: Final = rf"{_OPEN}\s*([^\s\]\uff3d\u3011]?)\s*{_CLOSE}(?!\()"
TASK: Final = re.compile(rf"(\s*)({_BULLET}(?:\s+|(?={_OPEN})))?(?:{_BOX}\s*)?(.*)$")
OPEN_BOX: Final = re.compile(rf"{_OPEN}[^\]\uff3d\u3011]*$")  # is being typed
ICON: Final = re.compile(_ICON)
NUMBER: Final = re.compile(r"(\*\*|__)#?([0-9]{1,16})[.:]?\1\s*")  # a task's, before its name
ID: Final = re.compile(r"\s*<!--\s*t([0-9]{1,16})\s*-->\s*$")  # the same in older files
STRUCK: Final = re.compile(  # a name, or a name with its number and icon
    r"((?:[○◐●⊘✖]\ufe0f?\s+)?(?:(?:\*\*|__)#?[0-9]{1,16}[.:]?(?:\*\*|__)\s*)?)~~(?!~)(.*[^~])~~\s*$"
)
MALFORMED: Final = re.compile(rf"\s*{_BULLET}\s*{_BOX}| {{0,3}}##(?!#)")
PHASE: Final = re.compile(rf" {{0,3}}##(?:\s+{_ICON}(Phase:(?:\s+|$))?(.*))?$")
TITLE: Final = re.compile(r" {0,3}#(?:\s+(.*))?$")
ATTRIBUTE: Final = re.compile(
    rf"(\s*)[-*+]\s+([A-Za-z]+|(?i:{'|'.join(NEEDS_WORDS)}))[:\uff1a](?!//)\s*(.*)$"
)
RULES: Final = re.compile(r" ?([-*_])(?:\s*\1){2,}\s*$")
BLOCK_START: Final = re.compile(  # a bullet, heading, quotation, fence, rule or conflict marker
    rf" ?(?:{_BULLET}(?:\s|$)|#{{1,6}}(?:\s|$)|>|```|~~~|<{{7}}|={{7}})|{RULES.pattern}"
)
QUOTE: Final = re.compile(r" {0,3}> ?(.*)$")
OBJECTIVE: Final = re.compile(r" {0,3}>\s*\*\*Objective:\*\* ?(.*)$")
PROGRESS: Final = re.compile(r" {0,3}>\s*\*\*Progress:\*\*\s*[0-9]+/[0-9]+ steps completed\s*$")
UPDATED: Final = re.compile(r"\s*\*Last updated: ([0-9T:.+-]+Z?)\*\s*$")
REVISION: Final = re.compile(
    r"\s*<!--\s*outlast r([0-9]{1,16})(?:\s+([0-9A-Za-z]{1,64}))?\s*-->\s*$"
)
CONFLICT_LINE: Final = r"(?:<{7}|>{7}|\|{7})(?:\s|\Z)"  # git writes these, and one of `=`
_CONFLICT: Final = re.compile(r"(<{7}|>{7}|\|{7}|={7})(?:\s|\Z)")
HIDDEN: Final = re.compile(r"<!--\s*t([0-9]{1,16})\s*-->")

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


def closing_line(revision: int, mark: str) -> str:
    """Return the last line of a whole file: the revision that it shows, and its commit."""
    return f"<!-- outlast {f'r{revision} {mark}'.rstrip()} -->"


def find_conflict(lines: Iterable[str]) -> int:
    """Return the line of the first marker of a merge conflict; 0 for none.

    One kind of marker alone is none: it may underline a heading, or be what is left of a quotation.
    """
    found: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        match = _CONFLICT.match(line)
        if match:
            found.setdefault(match[1], number)
    return min(found.values()) if len(found) > 1 else 0


def escape(text: str) -> str:
    """Escape a text that fills the rest of a line; spaces at both ends are kept."""
    if text.isprintable() and "&#" not in text and text == text.strip():
        return text
    safe = escape_end(text)
    return _reference(safe[0]) + safe[1:] if safe[:1].isspace() else safe


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
    is_marked = name[0] in "*_~" and (NUMBER.match(name) or STRUCK.match(name))
    return escape_first(name) if is_marked else name


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


def _escape_progress(line: str) -> str:
    text = escape_end(line)
    return text.replace("*", _reference("*"), 1) if text.lstrip().startswith(_PROGRESS) else text


def _replace(match: re.Match[str]) -> str:
    return _reference(match[0])


def _reference(character: str) -> str:
    return f"&#{ord(character)};"


def _resolve(match: re.Match[str]) -> str:
    code = int(match[1])
    return match[0] if code > _LARGEST or code in _SURROGATES else chr(code)
