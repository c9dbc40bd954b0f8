"""The marks of the file: icons, and what each kind of line looks like."""

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
KEYWORDS: Final = ("after", "check", "run", "files", "protect")
RULE: Final = "---"
SEPARATOR: Final = "<!-- -->"  # keeps a quotation below a phase from being its notes

_ICON: Final = r"(?:([○◐●⊘✖])\ufe0f?(?:\s+|$))?"
_BULLET: Final = r"(?:[-*+]|[0-9]{1,9}[.)])"
ID: Final = re.compile(r"\s*<!--\s*t([0-9]{1,16})\s*-->\s*$")
TASK: Final = re.compile(rf"\s*{_BULLET}\s+\[([ xX])\]\s*{_ICON}(.*)$")
MISSHAPEN: Final = re.compile(rf"\s*{_BULLET}\s*\[[^\]]?\](?!\()| {{0,3}}##(?!#)")
PHASE: Final = re.compile(rf" {{0,3}}##(?:\s+{_ICON}(?:Phase:(?:\s+|$))?(.*))?$")
TITLE: Final = re.compile(r" {0,3}#(?:\s+(.*))?$")
ATTRIBUTE: Final = re.compile(r"(\s*)[-*+]\s+([A-Za-z]+):(?!//)\s*(.*)$")
QUOTE: Final = re.compile(r" {0,3}> ?(.*)$")
OBJECTIVE: Final = re.compile(r" {0,3}>\s*\*\*Objective:\*\* ?(.*)$")
PROGRESS: Final = re.compile(r" {0,3}>\s*\*\*Progress:\*\*\s*[0-9]+/[0-9]+ steps completed\s*$")
UPDATED: Final = re.compile(r"\s*\*Last updated: ([0-9T:.+-]+Z?)\*\s*$")
REVISION: Final = re.compile(r"\s*<!--\s*outlast r([0-9]{1,16})\s*-->\s*$")
HIDDEN: Final = re.compile(r"<!--\s*t([0-9]{1,16})\s*-->")
