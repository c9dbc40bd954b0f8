"""Inspect the setup of coding agents (for `doctor`)."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from os.path import isfile
from shutil import which
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from outlast.errors import OutlastError
from outlast.hosts.settings.file_kinds import JsonSettings
from outlast.hosts.settings.programs import ask_server, program_version
from outlast.hosts.settings.setup import naming_file, read_settings
from outlast.hosts.settings.setup_files import PROGRAMS, SCOPES, Scope, host_files
from outlast.hosts.settings.text import SERVER_ARGUMENTS, command_paths, hook_places, toml_server
from outlast.hosts.wire.events import HOST_NAMES, HostName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.hosts.settings.setup_files import Installation, Places, SetupFile
    from outlast.hosts.settings.text import SettingsEntries

State = Literal["current", "outdated", "gone"]

# Seconds that each agent waits for an MCP server to start, unless its settings say otherwise.
PATIENCE: Final[dict[HostName, float]] = {"claude-code": 30.0, "codex": 10.0, "gemini": 60.0}
_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


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
            parts = host_files(host, scope, places, own, "en", mcp=True)
            setups += _inspect_hooks(host, scope, parts[0], places)
            for part in parts:
                servers += _inspect_server(host, scope, part, places, own)
        version = program_version(program) if program else ""
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
    untrusted = _count_untrusted(part.path, text, places) if host == "codex" else 0
    yield SetupHealth(scope, part.path, state, missing, untrusted)


def _missing_path(own: SettingsEntries) -> str:
    """Return a script or a Python that a hook needs and that does not exist."""
    commands = dict.fromkeys([*(group.command for group in own.hooks), own.status_line])
    paths = dict.fromkeys(path for command in commands for path in command_paths(command) or ())
    return next((path for path in paths if not isfile(path)), "")  # noqa: PTH113 - a text


def _count_untrusted(path: str, text: str, places: Places) -> int:
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
        for event, group, number in hook_places(text)
    ]
    return sum(key not in known for key in keys)


def _inspect_server(
    host: HostName, scope: Scope, part: SetupFile, places: Places, own: Installation
) -> Iterator[ServerHealth]:
    try:
        text = read_settings(part.path)
        if text is None:
            return
        if isinstance(part.kind, JsonSettings):
            python = part.kind.find(text).server
        else:
            python = toml_server(text) if part.path.endswith("config.toml") else ""
    except OutlastError:
        return  # reported for the hooks, or by the agent itself
    if not python:
        return
    if python != own.python:
        yield ServerHealth(scope, part.path, python, is_this=False)
        return
    reply = ask_server([python, *SERVER_ARGUMENTS], places.project, PATIENCE[host])
    yield ServerHealth(
        scope, part.path, python, is_this=True, seconds=reply.seconds, problem=reply.problem
    )
