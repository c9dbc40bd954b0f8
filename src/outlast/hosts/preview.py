"""What a coding agent would be told in a directory right now."""

from __future__ import annotations

from outlast.hosts.announce import unfinished_plans
from outlast.hosts.session_plan import host_session, open_session_plan
from outlast.hosts.session_record import SessionRecord
from outlast.hosts.sessions import attached_record
from outlast.hosts.wire.events import HOST_NAMES
from outlast.plan.home.find import find_workspace

_PREVIEW = "preview"


def injected_text(root: str) -> tuple[str, bool]:
    """Return what the model of a session is told when it starts, and if it is the session here.

    If a session runs this process and is attached, that is about its plan, else about the current
    plan. Empty without a plan. Nothing is changed.
    """
    home = find_workspace(root)
    record = attached_record(home.root) if home is not None else None
    plan = open_session_plan(record) if record is not None else None
    is_own = plan is not None
    if plan is None:
        plans = unfinished_plans(root)
        record = SessionRecord(HOST_NAMES[0], _PREVIEW, root, plans[0].key if plans else "", "")
        plan = open_session_plan(record, any_id=True) if plans else None
    if plan is None or record is None:
        return "", False
    with plan:
        return host_session(plan, record).describe().context, is_own
