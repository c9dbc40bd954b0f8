"""Attach a session of a coding agent to a plan, and tell its model about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.hosts.session_plan import host_session, prepare_offers
from outlast.hosts.sessions import attach, session_files

if TYPE_CHECKING:
    from outlast.hosts.wire.events import HostAnswer, HostName
    from outlast.plan.plan import Plan


def attach_and_describe(
    host: HostName, session: str, plan: Plan, *, guard: bool = False, process: str = ""
) -> HostAnswer:
    """Let a session work on a plan; return what its model must know, and a line for its user.

    The caller holds the session, and names the agent's process if that has started this one.
    """
    record = attach(host, session, plan, guard=guard, process=process)
    attached = host_session(plan, record)
    attached.start_next()
    described = attached.describe()
    prepare_offers(session_files(), attached)()
    return described
