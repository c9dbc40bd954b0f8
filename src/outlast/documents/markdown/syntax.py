"""The syntax of `task_plan.md`: icons, keywords, and a pattern for each kind of line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
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
HIDDEN: Final = re.compile(r"<!--\s*t([0-9]{1,16})\s*-->")
