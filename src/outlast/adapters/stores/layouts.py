"""The layouts of a workspace: where each keeps its plans, and which files show them."""

from __future__ import annotations

from typing import Final

from outlast.adapters.stores.views.registry import CODE_AGENT, OUTLAST, SESSIONS
from outlast.adapters.stores.views.store import ViewedStore


class OutlastStore(ViewedStore):
    """A plan with the files that people read and edit."""

    shown = OUTLAST


class CodeAgentStore(ViewedStore):
    """A plan with the same files, without our comments."""

    shown = CODE_AGENT


class SessionStore(ViewedStore):
    """A plan with R0's `plan.json`."""

    shown = SESSIONS


LAYOUTS: Final = {
    "outlast": (".outlast", "plans"),
    "code-agent": (".code-agent", "plans"),
    "sessions": (".sessions",),
}
HOMES: Final = tuple(parts[0] for parts in LAYOUTS.values())
KINDS: Final[dict[str, type[ViewedStore]]] = {
    "outlast": OutlastStore,
    "code-agent": CodeAgentStore,
    "sessions": SessionStore,
}
