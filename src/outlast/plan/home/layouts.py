"""The layouts of a workspace: the directory of their plans, and the store with their views."""

from __future__ import annotations

from typing import Final

from outlast.documents.views.registry import CODE_AGENT, OUTLAST, SESSIONS
from outlast.documents.views.store import RenderingStore


class OutlastStore(RenderingStore):
    """A plan with Markdown views that people read and edit."""

    layout_views = OUTLAST


class CodeAgentStore(RenderingStore):
    """A plan with the same views, without our comments in them."""

    layout_views = CODE_AGENT


class SessionStore(RenderingStore):
    """A plan with the view `plan.json` of R0."""

    layout_views = SESSIONS


LAYOUTS: Final = {
    "outlast": (".outlast", "plans"),
    "code-agent": (".code-agent", "plans"),
    "sessions": (".sessions",),
}
HOMES: Final = tuple(parts[0] for parts in LAYOUTS.values())
STORE_TYPES: Final[dict[str, type[RenderingStore]]] = {
    "outlast": OutlastStore,
    "code-agent": CodeAgentStore,
    "sessions": SessionStore,
}
