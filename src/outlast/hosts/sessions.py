"""Which plan a coding agent's session works on: attach it, detach it, find it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import InvalidArgument, StoreError
from outlast.hosts.session_files import SessionFiles
from outlast.hosts.session_record import SessionRecord
from outlast.hosts.wire.events import HOST_NAMES
from outlast.hosts.wire.payload import SESSION
from outlast.language import visible
from outlast.plan.home.find import DISK, home_of, is_url
from outlast.system.caller import host_agent
from outlast.system.process_identity import ancestor_processes, host_process
from outlast.system.state_home import StateHome, state_home

if TYPE_CHECKING:
    from outlast.hosts.wire.events import HostName, Moment
    from outlast.plan.plan import Plan

# What an agent sets for the commands that it runs; Gemini sets nothing for them.
_SESSION_VARIABLES: Final[dict[HostName, str]] = {
    "claude-code": "CLAUDE_CODE_SESSION_ID",
    "codex": "CODEX_THREAD_ID",
    "gemini": "GEMINI_SESSION_ID",
}
_HOST_OF_ACTOR: Final[dict[str, HostName]] = {
    "claude-code": "claude-code",
    "codex": "codex",
    "gemini-cli": "gemini",
}
ACTORS: Final = {host: actor for actor, host in _HOST_OF_ACTOR.items()}


def session_files() -> SessionFiles:
    """Return the sessions of this user."""
    return SessionFiles(StateHome(state_home(), DISK), DISK)


def log_file() -> str:
    """Return the file that tells what failed in hooks."""
    return StateHome(state_home(), DISK).path_of("hooks.log")


def check_host(name: str) -> HostName:
    """Return the name of a coding agent that has hooks."""
    for host in HOST_NAMES:
        if name in (host, ACTORS[host]):
            return host
    raise InvalidArgument(
        "host_unknown", argument="--agent", host=name, known=", ".join(HOST_NAMES)
    )


def host_of(actor: str) -> HostName | None:
    """Return the coding agent that an actor is, else the one that runs this process."""
    return _HOST_OF_ACTOR.get(actor) or _HOST_OF_ACTOR.get(host_agent())


def own_session() -> tuple[HostName, str] | None:
    """Return the session of the coding agent whose command this process is.

    By its environment; where that names none, by its process, of which a session is attached.
    """
    host = _HOST_OF_ACTOR.get(host_agent())
    if host is None:
        return None
    session = _session_variable(host) or _session_of_ancestor(host)
    return (host, session) if session else None


def attached_record(root: str) -> SessionRecord | None:
    """Return the record of the session that runs this process, if it works on a plan of a root."""
    own = own_session()
    record = session_files().read(*own) if own is not None else None
    return record if record is not None and record.root == root else None


def served_record(root: str, host: HostName | None, process: str) -> SessionRecord | None:
    """Return the record of the session that a server is for, if it works on a plan of a root.

    A server may outlive the session that started it, so the process that started it counts before
    the session that the environment names. Where neither is known, the session of this agent and
    root that was used last counts.
    """
    files, records = session_files(), _attached_records(host)
    same = [record for record in records if process and record.host_process == process]
    if not same and host is not None:
        session = _session_variable(host)
        if session:
            same = [record for record in records if record.session == session]
        elif not process:
            same = [record for record in records if record.root == root]
    record = max(same, key=files.last_used_ns, default=None)
    return record if record is not None and record.root == root else None


def is_for_one_session(named: str | None, process: str) -> bool:
    """Return whether a server, whose actor may be named, is for one session of a coding agent.

    It is if the environment names the session, or if the agent is named, as `init` does for Codex
    and Gemini, which name no session. Then the session is found only by the agent's process.
    """
    host = host_of(named or "")
    can_find_session = named in _HOST_OF_ACTOR and bool(process)
    return host is not None and (can_find_session or bool(_session_variable(host)))


def _session_variable(host: HostName) -> str:
    """Return the session that the environment names; "" if it names none."""
    session = os.environ.get(_SESSION_VARIABLES[host], "")
    return session if SESSION.fullmatch(session) else ""


def _session_of_ancestor(host: HostName) -> str:
    """Return the session that was used last of the nearest ancestor that has one; "" if none."""
    records = _attached_records(host)
    for process in ancestor_processes() if records else ():
        same = [record for record in records if process and record.host_process == process]
        if same:
            return max(same, key=session_files().last_used_ns).session
    return ""


def _attached_records(host: HostName | None) -> list[SessionRecord]:
    """Return the sessions of an agent, or of all agents."""
    try:
        return [record for record in session_files().all() if host in (None, record.host)]
    except (OSError, StoreError):  # a client that has no sessions need not have the directory
        return []


def refresh_process(record: SessionRecord, moment: Moment) -> SessionRecord:
    """Return the record with the agent's process, which is another one in a resumed session.

    Only a hook is started by the agent that has the session. A session that has ended has none:
    that of Codex goes on after it.
    """
    if moment == "session-end":
        return replace(record, host_process="")
    if record.host_process and moment != "session-start":
        return record
    return replace(record, host_process=host_process())


def attach(
    host: HostName, session: str, plan: Plan, *, guard: bool = False, process: str = ""
) -> SessionRecord:
    """Let a session work on a plan; what it has been told of another one is forgotten."""
    home = home_of(plan.core.store)
    if home is None or is_url(home[0].root):
        raise InvalidArgument("host_plan_without_files", argument="plan")
    sessions, (workspace, key) = session_files(), home
    before = sessions.read(host, session)
    if not SESSION.fullmatch(session):
        shown = visible(session)
        raise InvalidArgument("host_session_unknown", argument="--session", session=shown)
    record = SessionRecord(
        host, session, workspace.root, key, plan.id, host_process=process, guard=guard
    )
    if before is not None:
        process = process or before.host_process
        is_same = before.plan_id == record.plan_id
        record = replace(before, guard=guard or before.guard) if is_same else record
        record = replace(record, host_process=process)
    sessions.write(record)
    return record


def detach_session(host: HostName, session: str) -> SessionRecord | None:
    """Let a session work on no plan; return its record if it had one."""
    sessions = session_files()
    record = sessions.read(host, session)
    sessions.remove(host, session)
    return record
