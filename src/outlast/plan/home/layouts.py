"""The layouts of a workspace: the directory of their plans, and the views beside each plan."""

from __future__ import annotations

from typing import Final

from outlast.documents.views.registry import CODE_AGENT, OUTLAST, SESSIONS, LayoutViews

LAYOUTS: Final = {
    "outlast": (".outlast", "plans"),
    "code-agent": (".code-agent", "plans"),
    "sessions": (".sessions",),
}
HOMES: Final = tuple(parts[0] for parts in LAYOUTS.values())
VIEWS: Final[dict[str, LayoutViews]] = {
    "outlast": OUTLAST,
    "code-agent": CODE_AGENT,
    "sessions": SESSIONS,
}
