"""Inspect the setup of coding agents, and say what `doctor` says about it."""

from __future__ import annotations

import json
import os
import re
import signal
import tomllib
from collections import Counter
from contextlib import suppress
from os.path import isfile
from select import select
from shutil import which
from subprocess import DEVNULL, PIPE, Popen, SubprocessError, run
from tempfile import TemporaryFile
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from outlast.console.render.errors import error_text
from outlast.errors import OutlastError
from outlast.hosts.settings.entries import SERVER_ARGUMENTS, JsonSettings, TomlSettings
from outlast.hosts.settings.hook_table import command_paths
from outlast.hosts.settings.setup import (
    PROGRAMS,
    SCOPES,
    Installation,
    Places,
    Scope,
    SetupFile,
    SetupOptions,
    host_files,
    naming_file,
    read_settings,
)
from outlast.hosts.wire.events import HOST_NAMES, HostName
from outlast.language import listing
from outlast.system.disk import describe_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.console.call import Call
    from outlast.hosts.settings.entries import SettingsEntries

State = Literal["current", "outdated", "gone"]
Row = tuple[str, bool, str]  # what it is about, whether it is in order, what is said

# Seconds that each agent waits for an MCP server to start, unless its settings say otherwise.
_PATIENCE: Final[dict[HostName, float]] = {"claude-code": 30.0, "codex": 10.0, "gemini": 60.0}
_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_VERSION_SECONDS: Final = 20.0
_PIECE: Final = 1 << 16
_TAIL: Final = 4096
_LAST: Final = 2
# Our server answers the handshake, and lists that are asked for without parameters, even if it
# cannot import the SDK.
_MESSAGES: Final = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "outlast doctor", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": _LAST, "method": "tools/list"},
)
_MILLISECONDS: Final = 1000


class SetupHealth(Struct, frozen=True):
    """The hooks in one file of settings.

    `missing` is a file that they need and that is gone; `untrusted` is how many of them Codex does
    not run because the user has not agreed.
    """

    scope: Scope
    path: str
    state: State = "current"
    missing: str = ""
    untrusted: int = 0
    problem: OutlastError | None = None


class ServerHealth(Struct, frozen=True):
    """Our MCP server in one file of settings; it was started only if it is of this Python.

    `problem` is what it printed if it does not work, "" if that is nothing, and None if it works.
    """

    scope: Scope
    path: str
    python: str
    is_this: bool
    seconds: float = 0.0
    problem: str | None = None


class HostHealth(Struct, frozen=True):
    """A coding agent: its program (empty if it is not installed), and what is set up for it."""

    host: HostName
    program: str
    version: str
    setups: tuple[SetupHealth, ...] = ()
    servers: tuple[ServerHealth, ...] = ()


def inspect_hosts(places: Places, own: Installation) -> Iterator[HostHealth]:
    """Inspect every agent. Nothing that a project names is started."""
    for host in HOST_NAMES:
        program = which(PROGRAMS[host]) or ""
        setups, servers = list[SetupHealth](), list[ServerHealth]()
        for scope in SCOPES:
            parts = host_files(host, scope, SetupOptions(places, own, mcp=True))
            setups += _inspect_hooks(host, scope, parts[0], places)
            for part in parts:
                servers += _inspect_server(host, scope, part, places, own)
        version = _program_version(program) if program else ""
        yield HostHealth(host, program, version, tuple(setups), tuple(servers))


def _inspect_hooks(
    host: HostName, scope: Scope, part: SetupFile, places: Places
) -> Iterator[SetupHealth]:
    kind = part.kind
    assert isinstance(kind, JsonSettings)  # noqa: S101 - the first file has the hooks
    try:
        with naming_file(part.path):
            text = read_settings(part.path)
            own = kind.find(text) if text is not None else None
    except OutlastError as error:
        yield SetupHealth(scope, part.path, problem=error)
        return
    if text is None or own is None or not own.hooks:
        return
    missing = _missing_path(own)
    is_same = Counter(own.hooks) == Counter(kind.wanted.hooks)
    is_same = is_same and own.status_line in ("", kind.wanted.status_line)
    state: State = "gone" if missing else "current" if is_same else "outdated"
    untrusted = _count_untrusted(kind, part.path, text, places) if host == "codex" else 0
    yield SetupHealth(scope, part.path, state, missing, untrusted)


def _missing_path(own: SettingsEntries) -> str:
    """Return a script or a Python that a hook needs and that does not exist."""
    commands = dict.fromkeys([*(group.command for group in own.hooks), own.status_line])
    paths = dict.fromkeys(path for command in commands for path in command_paths(command) or ())
    return next((path for path in paths if not isfile(path)), "")  # noqa: PTH113 - a text


def _count_untrusted(kind: JsonSettings, path: str, text: str, places: Places) -> int:
    """Count our hooks that Codex has not recorded as trusted.

    It keeps them by their place in the file. Whether one has changed since, only Codex can tell.
    """
    try:
        config = read_settings(f"{places.home('codex', 'user')}/config.toml") or ""
        hooks: Any = tomllib.loads(config).get("hooks", {})
        known = hooks.get("state", {}).keys()
    except (OutlastError, ValueError, AttributeError):
        known = ()
    keys = [
        f"{path}:{_WORD.sub('_', event).lower()}:{group}:{number}"
        for event, group, number in kind.hook_places(text)
    ]
    return sum(key not in known for key in keys)


def _inspect_server(
    host: HostName, scope: Scope, part: SetupFile, places: Places, own: Installation
) -> Iterator[ServerHealth]:
    try:
        text = read_settings(part.path)
        if text is None:
            return
        kind = part.kind
        python = kind.server(text) if isinstance(kind, JsonSettings | TomlSettings) else ""
    except OutlastError:
        return  # reported for the hooks, or by the agent itself
    if not python:
        return
    if python != own.python:
        yield ServerHealth(scope, part.path, python, is_this=False)
        return
    command = [python, *SERVER_ARGUMENTS]
    seconds, problem = _ask_server(command, places.project, _PATIENCE[host])
    yield ServerHealth(scope, part.path, python, is_this=True, seconds=seconds, problem=problem)


def _program_version(program: str) -> str:
    """Return the first line that a program prints as its version; empty if it prints none."""
    try:
        done = run(  # noqa: S603 - the user's own agent, by its path
            [program, "--version"],
            capture_output=True,
            check=False,
            stdin=DEVNULL,
            timeout=_VERSION_SECONDS,
        )
    except (OSError, SubprocessError):
        return ""
    lines = done.stdout.decode(errors="replace").splitlines()
    return lines[0].strip() if lines else ""


def _ask_server(command: Sequence[str], cwd: str, patience: float) -> tuple[float, str | None]:
    """Start an MCP server, ask for its tools, and kill it with all that it has started.

    Return how long it took to list them and, if it has not, the last line that it printed; "" if it
    printed nothing.
    """
    began = monotonic()
    with TemporaryFile() as errors:
        try:
            server = Popen(  # noqa: S603 - the command that `init` has written
                command, cwd=cwd, start_new_session=True, stderr=errors, stdin=PIPE, stdout=PIPE
            )
        except OSError as error:
            return 0.0, describe_error(error)
        try:
            answered = _list_tools(server, began + patience)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.communicate()
        seconds = monotonic() - began
        if answered:
            return seconds, None
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - _TAIL))
        said = errors.read().decode(errors="replace").strip().splitlines()
        return seconds, said[-1].strip() if said else ""


def _list_tools(server: Popen[bytes], until: float) -> bool:
    """Return whether the server listed its tools in time."""
    assert server.stdin is not None  # noqa: S101 - they are pipes
    assert server.stdout is not None  # noqa: S101
    with suppress(BrokenPipeError):
        server.stdin.writelines(f"{json.dumps(message)}\n".encode() for message in _MESSAGES)
        server.stdin.flush()
    output = b""
    while (left := until - monotonic()) > 0 and select([server.stdout], [], [], left)[0]:
        piece = os.read(server.stdout.fileno(), _PIECE)
        output += piece
        if not piece:
            return False
        if any(map(_is_answer, output.split(b"\n")[:-1])):
            return True
    return False


def _is_answer(line: bytes) -> bool:
    try:
        message = json.loads(line)
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("id") == _LAST and "result" in message


def host_rows(call: Call, hosts: Sequence[HostHealth]) -> Iterator[Row]:
    """Yield rows about every agent that is installed or set up, and one about the others."""
    absent = [each.host for each in hosts if not (each.program or each.setups or each.servers)]
    for each in hosts:
        if each.host in absent:
            continue
        if not each.setups:
            says = call.text("doctor_host_off", version=_version(each), host=each.host)
            yield each.host, True, says
        for setup in each.setups:
            yield from ((each.host, ok, says) for ok, says in _setup_rows(call, each, setup))
        for server in each.servers:
            yield each.host, *_server_row(call, each, server)
    if absent:
        missing = listing(absent, call.language)
        yield call.text("doctor_agents"), True, call.text("doctor_hosts_absent", hosts=missing)


def _version(host: HostHealth) -> str:
    return host.version or host.program


def _setup_rows(call: Call, host: HostHealth, setup: SetupHealth) -> Iterator[tuple[bool, str]]:
    where, program = setup.path, PROGRAMS[host.host]
    renew = call.suggest("init", host.host, *_scope(setup.scope))
    if setup.problem is not None:
        yield False, error_text(setup.problem, call)
    elif setup.state == "gone":
        says = call.text("doctor_host_gone", where=where, path=setup.missing, command=renew)
        yield False, says
    elif setup.state == "outdated":
        yield False, call.text("doctor_host_outdated", where=where, command=renew)
    elif not host.program:
        yield True, call.text("doctor_host_missing", where=where, program=program)
    else:
        yield True, call.text("doctor_host_on", version=_version(host), where=where)
    if setup.untrusted:
        yield False, call.text("doctor_host_untrusted", where=where, count=setup.untrusted)


def _server_row(call: Call, host: HostHealth, server: ServerHealth) -> tuple[bool, str]:
    where, patience = server.path, f"{_PATIENCE[host.host]:.0f}"
    milliseconds = round(server.seconds * _MILLISECONDS)
    if not server.is_this:
        renew = call.suggest("init", host.host, *_scope(server.scope), "--mcp")
        says = call.text("doctor_mcp_other", python=server.python, where=where, command=renew)
        return True, says
    if server.problem is not None:
        problem = server.problem or call.text("doctor_mcp_printed_nothing")
        says = call.text("doctor_mcp_silent", patience=patience, problem=problem, where=where)
        return False, says
    return True, call.text("doctor_mcp_on", milliseconds=milliseconds, where=where)


def _scope(scope: str) -> tuple[str, ...]:
    return ("--project",) if scope == "project" else ()
