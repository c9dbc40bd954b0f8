"""`attach`, `detach` and `hook`: plans in the sessions of coding agents."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from outlast.console.call import Answer, Call
from outlast.console.plan_context import open_plan_for
from outlast.errors import WrongUsage
from outlast.hosts.session_plan import attach_and_describe, detach_session
from outlast.hosts.sessions import ACTORS, check_host, own_session, session_files
from outlast.language import visible

if TYPE_CHECKING:
    from outlast.hosts.wire.events import HostName


def attach(
    call: Call,
    *,
    key: str | None = None,
    agent: str | None = None,
    session: str | None = None,
    guard: bool = False,
) -> Answer:
    """Let the session that runs this command, or a named one, work on a plan.

    The agent that attaches itself is told the plan at once; another one at its next event.
    """
    host, number = _session(call, agent, session)
    sessions = session_files()
    with (
        open_plan_for(call, key) as plan,
        sessions.wrap_errors(),
        sessions.hold(host, number) as held,
    ):
        record = held.record
        if record is not None and record.guard and record.plan_id != plan.id:
            call.require_person(call.command)
        described = attach_and_describe(host, number, plan.acting_as(ACTORS[host]), guard=guard)
        chosen = plan.key
    shown = described.context if agent is None else described.notice
    return Answer(
        lambda: {"agent": host, "session": number, "plan": chosen, "guard": guard},
        lambda: shown,
        bare=True,
    )


def detach(call: Call, *, agent: str | None = None, session: str | None = None) -> Answer:
    """Let the session that runs this command, or a named one, work on no plan."""
    host, number = _session(call, agent, session)
    sessions = session_files()
    with sessions.wrap_errors(), sessions.hold(host, number) as held:
        attached = held.record
        if attached is not None and attached.guard:
            call.require_person(call.command)
        record = detach_session(host, number)
    key = record.key if record else None

    def as_text() -> str:
        if record is None:
            return call.text("host_not_attached", resume="outlast attach")
        return call.text("host_detached", key=visible(record.key))

    return Answer(lambda: {"agent": host, "session": number, "plan": key}, as_text)


def _session(call: Call, agent: str | None, session: str | None) -> tuple[HostName, str]:
    """Return the session that is named, else the own one. An agent may name no other one."""
    own = own_session()
    if agent is not None and session is not None:
        named = check_host(agent), session
        if named != own:
            call.require_person(f"{call.command} --agent {visible(agent)} --session …")
        return named
    if own is None or agent is not None or session is not None:
        raise WrongUsage("host_no_session")
    return own


def hook(_call: Call, *, event: str, agent: str) -> Answer:
    """Answer a hook of a coding agent; its payload is on the standard input."""
    from outlast.hosts.hook.answer import LARGEST_PAYLOAD, answer_hook, check_moment, is_off

    host, moment = check_host(agent), check_moment(event)
    payload = b"" if is_off() else sys.stdin.buffer.read(LARGEST_PAYLOAD)
    printed = answer_hook(host, moment, payload)
    return Answer(lambda: {"printed": printed}, lambda: printed.removesuffix("\n"), bare=True)
