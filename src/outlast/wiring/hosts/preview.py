"""What a coding agent would be told in a directory right now."""

from __future__ import annotations

from outlast.formats.hosts.events import HOST_NAMES
from outlast.ports.host_session import SessionRecord
from outlast.wiring.hosts.announce import unfinished_plans
from outlast.wiring.hosts.session_plan import host_session, open_session_plan

_PREVIEW = "preview"


def injected_text(root: str) -> str:
    """Return what the model of a session on the current plan is told when it starts.

    Empty without an unfinished plan. Nothing is changed.
    """
    plans = unfinished_plans(root)
    record = SessionRecord(HOST_NAMES[0], _PREVIEW, root, plans[0].key if plans else "", "")
    plan = open_session_plan(record, any_id=True) if plans else None
    if plan is None:
        return ""
    with plan:
        return host_session(plan, record).describe().context
