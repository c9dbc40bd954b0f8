"""Text from elsewhere in Markdown that we write and do not read back.

Whatever agents, programs and people wrote shows as it is: it makes no heading, list, link, image,
mention or reference to an issue.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from outlast.language import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARKUP: Final = re.compile(r"[\\`*\[\]<>#|~&$@]|\b_|_\b|(?<!\w)_|^[-+]|:(?=//)|(?<=\bwww)\.")
_REFERRING: Final = "@#:."  # with them, programs find mentions, issues and addresses
_BREAK: Final = "&#8203;"  # a space of no width, so that they do not
_NUMBERED: Final = re.compile(r"^([0-9]{1,9})\.(?=\s|$)")
_BACKTICKS: Final = re.compile("`+")
_TAB: Final = 4
_FENCE: Final = 3


def escape(content: str) -> str:
    """Return a text in one line that shows as it is."""
    line = _MARKUP.sub(_reference, visible(" ".join(content.split())))
    return _NUMBERED.sub(r"\1&#46;", line)


def fence(lines: Iterable[str]) -> list[str]:
    """Return lines as a block of code that none of them can end."""
    shown = [visible(line.expandtabs(_TAB)) for line in lines]
    runs = (len(run) for line in shown for run in _BACKTICKS.findall(line))
    mark = "`" * max(_FENCE, max(runs, default=0) + 1)
    return [f"{mark}text", *shown, mark]


def _reference(match: re.Match[str]) -> str:
    reference = f"&#{ord(match[0])};"
    return reference + _BREAK if match[0] in _REFERRING else reference


def code(content: str) -> str:
    """Return a text in one line as code."""
    line = visible(" ".join(content.split()))
    mark = "`" * (max((len(run) for run in _BACKTICKS.findall(line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{mark}{space}{line}{space}{mark}" if line else ""
