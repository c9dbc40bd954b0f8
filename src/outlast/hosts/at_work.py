"""Whether a coding agent that is running now works on a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import StoreError
from outlast.hosts.sessions import session_files
from outlast.system.process_identity import has_ended

if TYPE_CHECKING:
    from outlast.plan.plan import Plan


def has_session(plan: Plan) -> bool:
    """Return whether a session is attached to the plan, and its agent's process is there."""
    try:
        records = session_files().all()
    except (OSError, StoreError):
        return False
    return any(
        record.plan_id == plan.id and record.host_process and not has_ended(record.host_process)
        for record in records
    )
