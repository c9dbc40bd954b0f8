"""What was learned, in short."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.context.escape import escape
from outlast.application.context.task_lines import GOAL
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.domain.model import Finding
    from outlast.texts import Language

_TITLES: Final = 3  # findings of each category


def findings_summary(findings: Iterable[Finding], language: Language = "en") -> str:
    """Return what was learned by its titles, a few of each category; nothing if there is none."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.category, []).append(finding)
    if not groups:
        return ""
    count = sum(map(len, groups.values()))
    lines = ["<findings-summary>", text("findings_total", language, count=count), ""]
    for category, found in groups.items():
        titles = (f"- {escape(finding.title, GOAL)}" for finding in found[:_TITLES])
        lines += (f"**{category}:**", *titles, "")
    return "\n".join((*lines, "</findings-summary>"))
