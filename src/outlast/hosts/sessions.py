"""Sessions of coding agents that work on plans: attach one, detach it, find it, and store it.

Each has a directory of its own in the user's state directory:

| file | what is in it |
|---|---|
| session.json | the record |
| paths | the plan's files, one a line; when one is newer than base, the plan has changed |
| base | its time is that of the newest of them at the last look at the plan |
| next, remind | an answer each; the shell renames it first, so that it is shown once |
| status | the status line |
| decide, failing | empty; the shell asks the full program around tools, after failures |
| views | a dot for each view |
| spool/ | the raw payloads of prompts, failures and lists, until a commit of the plan has them |
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import get_ident
from typing import TYPE_CHECKING, Final

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from outlast.errors import InvalidArgument, StoreError
from outlast.hosts.session_record import Offers, SessionRecord
from outlast.hosts.wire.events import HOST_NAMES, MOMENTS, HostName, Moment
from outlast.hosts.wire.payload import SESSION
from outlast.language import visible
from outlast.plan.home.find import DISK, home_of, is_url
from outlast.proof.around import surround_checks
from outlast.system.caller import host_agent
from outlast.system.disk import PRIVATE, TEMPORARY, Disk, read_from, take_lock, write_atomically
from outlast.system.process_identity import ancestor_processes, has_ended, host_process
from outlast.system.state_home import StateHome, state_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.plan.plan import Plan

_KIND: Final = "hosts"
_RECORD: Final = "session.json"
_SPOOL: Final = "spool"
_LARGEST_RECORD: Final = 1 << 20
_LARGEST_PAYLOAD: Final = 16 << 20
_MOST_PAYLOADS: Final = 1_000  # of one look
_MOST_DAYS: Final = 30  # that an unused session is kept
_DAY_NS: Final = 24 * 3_600 * 10**9
_ENCODER: Final = Encoder(order="sorted")
_DECODER: Final = Decoder(SessionRecord)

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


class SpooledPayload(Struct, frozen=True):
    """A payload in a session's spool, left there at a moment in nanoseconds."""

    path: str
    at: int

    @property
    def moment(self) -> Moment:
        """The moment of its hook; the shell notes only failures, and no moment."""
        ending = self.path.rpartition(".")[2]
        return next((moment for moment in MOMENTS if moment == ending), "tool-failure")

    @property
    def key(self) -> str:
        """The idempotency key of what the plan is told of it."""
        return f"hook {self.path.rpartition('/')[2]} {self.at}"


class SessionFiles:
    """The sessions of this user. An I/O failure raises `OSError` or `StoreError`."""

    def __init__(self, home: StateHome, disk: Disk) -> None:
        """Keep them in a state directory."""
        self._home, self._disk = home, disk

    def directory(self, host: HostName, session: str) -> str:
        """Return the directory of a session, which need not exist."""
        return self._home.path_of(_KIND, host, session)

    def read(self, host: HostName, session: str) -> SessionRecord | None:
        """Return the record of a session; None if it is not attached, or cannot be read."""
        if not SESSION.fullmatch(session):
            return None
        data = self._read_file(f"{self.directory(host, session)}/{_RECORD}", _LARGEST_RECORD)
        try:
            record = _DECODER.decode(data) if data else None
        except DecodeError:  # of another version
            return None
        return record if record and (record.host, record.session) == (host, session) else None

    def all(self) -> list[SessionRecord]:
        """Return the sessions that are attached."""
        return [
            record
            for host in HOST_NAMES
            for session in self._names(self._home.path_of(_KIND, host))
            if (record := self.read(host, session)) is not None
        ]

    def write(self, record: SessionRecord) -> None:
        """Attach a session, or change what is remembered of it."""
        directory = self._make_directory(record)
        write_atomically(self._disk, f"{directory}/{_RECORD}", _ENCODER.encode(record))

    def remove(self, host: HostName, session: str) -> bool:
        """Detach a session; return whether it was attached."""
        directory = self.directory(host, session)
        was_attached = self.read(host, session) is not None
        names = sorted(self._names(directory), key=lambda name: name != _RECORD)  # that first
        for name in names:
            if name != _SPOOL:
                with suppress(FileNotFoundError):
                    self._disk.remove(f"{directory}/{name}")
        for name in self._names(f"{directory}/{_SPOOL}"):
            with suppress(FileNotFoundError):
                self._disk.remove(f"{directory}/{_SPOOL}/{name}")
        for emptied in (f"{directory}/{_SPOOL}", directory):
            with suppress(OSError):  # another hook may just have written there
                self._disk.remove_directory(emptied)
        return was_attached

    def remove_unused(self) -> None:
        """Detach sessions that nothing has looked at for a month."""
        oldest = self._disk.now_ns() - _MOST_DAYS * _DAY_NS
        for record in self.all():
            with suppress(FileNotFoundError):
                if self._modified_ns(self._path(record, _RECORD)) < oldest:
                    self.remove(record.host, record.session)

    def wrap_errors(self) -> AbstractContextManager[None]:
        """Raise `StoreError` for every failure; a command says it in a line."""
        return self._home.wrap_errors()

    @contextmanager
    def hold(self, host: HostName, session: str) -> Iterator[HeldSession]:
        """Hold a session, since hooks may run side by side; nothing is held if it is not attached.

        Its checks run while it is released.
        """
        held = HeldSession(self, host, session)
        held.take()
        try:
            held.record = self.read(host, session)
            with surround_checks(held.release):
                yield held
        finally:
            held.let_go()

    def lock(self, host: HostName, session: str) -> int | None:
        """Wait for the lock of a session; None if it is not attached."""
        directory = self.directory(host, session)
        while self.read(host, session) is not None:
            try:
                fd = self._disk.open(f"{directory}/lock", os.O_RDWR | os.O_CREAT, PRIVATE)
            except FileNotFoundError:  # it was detached just now
                return None
            try:
                take_lock(self._disk, fd, directory)
                names, _ = self._disk.stat(fd)
            except BaseException:
                self._disk.close(fd)
                raise
            if names:
                return fd
            self._disk.close(fd)  # it was detached meanwhile, and the lock went with it
        return None

    def unlock(self, lock: int) -> None:
        """Let a lock go."""
        self._disk.close(lock)

    def spool(self, record: SessionRecord, moment: Moment, payload: bytes) -> None:
        """Keep the payload of a hook until it is removed from the spool."""
        directory = self._make_directory(record)
        name = f"{self._disk.now_ns():020}-{self._disk.process_id()}-{get_ident()}.{moment}"
        write_atomically(self._disk, f"{directory}/{_SPOOL}/{name}", payload)

    def spooled_payloads(self, record: SessionRecord) -> list[SpooledPayload]:
        """Return the payloads that hooks have left in the spool, the oldest first."""
        spool, found = self._path(record, _SPOOL), []
        for name in self._names(spool):
            path = f"{spool}/{name}"
            if not (name.startswith(".") or name.endswith(TEMPORARY)):
                with suppress(FileNotFoundError):  # another hook has just removed it
                    found.append((self._modified_ns(path), path))
        return [SpooledPayload(path, moment) for moment, path in sorted(found)[:_MOST_PAYLOADS]]

    @contextmanager
    def take_spooled(self, payload: SpooledPayload) -> Iterator[bytes | None]:
        """Give a payload to one hook at a time; None if another one has it, or it is gone."""
        try:
            fd = self._disk.open(payload.path, os.O_RDONLY, PRIVATE)
        except FileNotFoundError:
            yield None
            return
        try:
            yield self._read_limited(fd, _LARGEST_PAYLOAD) if self._lock_first(fd) else None
        finally:
            self._disk.close(fd)

    def _lock_first(self, fd: int) -> bool:
        """Lock a file; return whether nobody else has, and it still has its name."""
        try:
            self._disk.lock(fd)
        except BlockingIOError:
            return False
        names, _ = self._disk.stat(fd)
        return names > 0

    def begin_spooled(self, payload: SpooledPayload) -> int:
        """Note that a payload is told to the plan; return how often that was begun, and killed."""
        tries = len(self._read_file(_tries_of(payload), _LARGEST_RECORD))
        write_atomically(self._disk, _tries_of(payload), b"." * (tries + 1))
        return tries

    def keep_spooled(self, payload: SpooledPayload) -> None:
        """Leave a payload to a later hook as if none had begun with it."""
        with suppress(FileNotFoundError):
            self._disk.remove(_tries_of(payload))

    def remove_spooled(self, payload: SpooledPayload) -> None:
        """Remove a payload that the plan has."""
        with suppress(FileNotFoundError):
            self._disk.remove(payload.path)
        self.keep_spooled(payload)

    def with_spooled(self) -> list[SessionRecord]:
        """Return the attached sessions that have payloads in their spools."""
        return [
            record
            for host in HOST_NAMES
            for session in self._names(self._home.path_of(_KIND, host))
            if self._names(f"{self.directory(host, session)}/{_SPOOL}")
            and (record := self.read(host, session)) is not None
            and self.spooled_payloads(record)
        ]

    def take_views(self, record: SessionRecord) -> int:
        """Return how often the shell has noted a view, and forget them."""
        path = self._path(record, "views")
        views = len(self._read_file(path, _LARGEST_RECORD))
        if views:
            self._disk.remove(path)
        return views

    def withdraw_step(self, record: SessionRecord) -> bool:
        """Withdraw the step that the shell was to show; return whether it was still unshown."""
        try:
            self._disk.remove(self._path(record, "next"))
        except FileNotFoundError:
            return False
        return True

    def newest_ns(self, files: tuple[str, ...]) -> int:
        """Return the time of the last write to any of a plan's files."""
        return max(
            (self._modified_ns(path) for path in files if self._disk.exists(path)), default=0
        )

    def offer(
        self, record: SessionRecord, offers: Offers, files: tuple[str, ...], seen: int
    ) -> None:
        """Leave texts for the shell; they hold until one of the plan's files is newer.

        The first of the files is the journal, which was last written at `seen` when the texts were
        made. Unless it was written since, the others were written by this process.
        """
        newest = self.newest_ns(files) if self.newest_ns(files[:1]) == seen else seen
        directory = self.directory(record.host, record.session)
        texts = {
            "next": offers.before_tool,
            "remind": offers.reminder and f"{offers.views}\n{offers.reminder}",
            "status": f"{offers.status_line}\n",
            "decide": "y" if offers.decides_tools else "",
            "failing": "y" if offers.decides_failures else "",
            "paths": "".join(f"{path}\n" for path in files),
        }
        for name, text in texts.items():
            path = f"{directory}/{name}"
            if text is None:
                continue
            if text:
                write_atomically(self._disk, path, text.encode())
            else:
                with suppress(FileNotFoundError):
                    self._disk.remove(path)
        base = f"{directory}/base"
        write_atomically(self._disk, base, b"")
        self._disk.set_modified_ns(base, newest)

    def last_used_ns(self, record: SessionRecord) -> int:
        """Return when a session was attached, or a hook of it was answered; 0 if it is gone."""
        try:
            return self._modified_ns(self._path(record, _RECORD))
        except FileNotFoundError:
            return 0

    def _path(self, record: SessionRecord, name: str) -> str:
        return f"{self.directory(record.host, record.session)}/{name}"

    def _modified_ns(self, path: str) -> int:
        return self._disk.stamp(path)[2]

    def _make_directory(self, record: SessionRecord) -> str:
        directory = self.directory(record.host, record.session)
        if not self._disk.exists(f"{directory}/{_SPOOL}"):
            self._home.make_directories(_KIND, record.host, record.session, _SPOOL)
        return directory

    def _names(self, directory: str) -> list[str]:
        try:
            return self._disk.list_directory(directory)
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _read_file(self, path: str, limit: int) -> bytes:
        """Return what is in a file; nothing if there is none, or too much in it."""
        try:
            fd = self._disk.open(path, os.O_RDONLY, PRIVATE)
        except (FileNotFoundError, NotADirectoryError):
            return b""
        try:
            return self._read_limited(fd, limit)
        finally:
            self._disk.close(fd)

    def _read_limited(self, fd: int, limit: int) -> bytes:
        data = read_from(self._disk, fd, 0, limit + 1)
        return data if len(data) <= limit else b""


def _tries_of(payload: SpooledPayload) -> str:
    directory, _, name = payload.path.rpartition("/")
    return f"{directory}/.tries-{name}"


class HeldSession:
    """A session that no other hook answers for; `record` is None if it is not attached.

    Checks may run for minutes. Meanwhile it is released, and others may change the record.
    """

    def __init__(self, sessions: SessionFiles, host: HostName, session: str) -> None:
        """Hold nothing yet."""
        self.record: SessionRecord | None = None
        self._sessions, self._host, self._session = sessions, host, session
        self._lock: int | None = None

    def take(self) -> None:
        """Wait for the lock of the session; there is none if it is not attached."""
        self._lock = self._sessions.lock(self._host, self._session)

    def let_go(self) -> None:
        """Let other hooks of the session be answered."""
        lock, self._lock = self._lock, None
        if lock is not None:
            self._sessions.unlock(lock)

    @contextmanager
    def release(self) -> Iterator[None]:
        """Let other hooks of the session be answered for a while."""
        if self._lock is None:
            yield
            return
        self.let_go()
        try:
            yield
        finally:
            self.take()


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
