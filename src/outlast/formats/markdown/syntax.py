"""The syntax of `task_plan.md`: icons, keywords, and a pattern for each kind of line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from outlast.domain.model import PhaseStatus, TaskStatus

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
KEYWORDS: Final = ("needs", "check", "run", "files", "protect")
OUTCOME_KEYWORDS: Final = ("status", "result")  # not in the form of preset `code-agent`
ASSUMED: Final = "assumed"  # the only value of `status`
NEEDS_WORDS: Final = ("needs", "after", "depends on", "依赖")  # the first one is written
RULE: Final = "---"
SEPARATOR: Final = "<!-- -->"  # keeps a quotation below a phase from being its notes
COMMENT: Final = "<!--"

_ICON: Final = r"(?:([○◐●⊘✖])\ufe0f?(?:\s+|$))?"
_BULLET: Final = r"(?:[-*+]|[0-9]{1,9}[.)])"
ID: Final = re.compile(r"\s*<!--\s*t([0-9]{1,16})\s*-->\s*$")
TASK: Final = re.compile(rf"\s*{_BULLET}\s+\[([ xX])\]\s*{_ICON}(.*)$")
MALFORMED: Final = re.compile(rf"\s*{_BULLET}\s*\[[^\]]?\](?!\()| {{0,3}}##(?!#)")
PHASE: Final = re.compile(rf" {{0,3}}##(?:\s+{_ICON}(Phase:(?:\s+|$))?(.*))?$")
TITLE: Final = re.compile(r" {0,3}#(?:\s+(.*))?$")
ATTRIBUTE: Final = re.compile(
    rf"(\s*)[-*+]\s+([A-Za-z]+(?=:)|(?i:{'|'.join(NEEDS_WORDS)})(?=[:\uff1a]))[:\uff1a](?!//)\s*(.*)$"
)
BLOCK_START: Final = re.compile(  # a bullet, heading, quotation, fence, rule or conflict marker
    rf" ?(?:{_BULLET}(?:\s|$)|#{{1,6}}(?:\s|$)|>|```|~~~|([-*_])(?:\s*\1){{2,}}\s*$|<{{7}}|={{7}})"
)
QUOTE: Final = re.compile(r" {0,3}> ?(.*)$")
OBJECTIVE: Final = re.compile(r" {0,3}>\s*\*\*Objective:\*\* ?(.*)$")
PROGRESS: Final = re.compile(r" {0,3}>\s*\*\*Progress:\*\*\s*[0-9]+/[0-9]+ steps completed\s*$")
UPDATED: Final = re.compile(r"\s*\*Last updated: ([0-9T:.+-]+Z?)\*\s*$")
REVISION: Final = re.compile(r"\s*<!--\s*outlast r([0-9]{1,16})\s*-->\s*$")
HIDDEN: Final = re.compile(r"<!--\s*t([0-9]{1,16})\s*-->")
