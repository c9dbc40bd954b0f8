"""Set up a coding agent, or remove the setup: what changes in which files, then the change."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from outlast.errors import InvalidDocument, StoreError
from outlast.hosts.settings.command_files import (
    CODEX_POLICY,
    claude_command,
    codex_skill,
    gemini_command,
    guide_lines,
    plugin_manifest,
)
from outlast.hosts.settings.entries import (
    SERVER_ARGUMENTS,
    SERVER_NAME,
    SERVERS,
    JsonSettings,
    SettingsEntries,
    TomlSettings,
)
from outlast.hosts.settings.file_kinds import HTML, BlockFile, ExcludeFile, FileKind, WholeFile
from outlast.hosts.settings.files import FileChange, HostFile, SettingsFiles
from outlast.hosts.settings.hook_table import hook_groups, status_line_command
from outlast.hosts.wire.events import HOST_NAMES, HostName
from outlast.language import LANGUAGES, Language
from outlast.store.port import Notice
from outlast.system.disk import Disk
from outlast.system.git import exclude_file, is_tracked
from outlast.system.state_home import StateHome, state_home
from outlast.system.workspace_root import find_git_root

Scope = Literal["user", "project"]
SCOPES: Final[tuple[Scope, ...]] = ("user", "project")
AGENTS_MD: Final = "agents-md"
PROGRAMS: Final[dict[HostName, str]] = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini": "gemini",
}
_GUIDES: Final = ("AGENTS.md", "CLAUDE.md")
_SCRIPT: Final = "hosts/hook/hook.sh"
_TEMPORARY: Final = ("/.cache/uv/", "/archive-v0/", "/pipx/.cache/", "/tmp/", "/var/tmp/")  # noqa: S108 - only compared


class Installation(Struct, frozen=True):
    """What the commands of hooks name: the script and the Python of this Outlast."""

    script: str
    python: str
    version: str


class Places(Struct, frozen=True):
    """Where settings are: the variables of the user, and the directory of the project."""

    environment: Mapping[str, str]
    project: str

    def home(self, host: HostName, scope: Scope) -> str:
        """Return the directory with the settings of an agent."""
        if scope == "project":
            return f"{self.project}/{_DIRECTORIES[host]}"
        variable = {"claude-code": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME"}.get(host, "")
        named = self.environment.get(variable)
        if named:
            return str(Path(named).absolute())
        user = self.environment.get("GEMINI_CLI_HOME") if host == "gemini" else None
        return f"{user or self._home}/{_DIRECTORIES[host]}"

    def claude_servers(self) -> str:
        """Return the file in which Claude Code has MCP servers that no project brings along."""
        named = self.environment.get("CLAUDE_CONFIG_DIR")
        return f"{Path(named).absolute() if named else self._home}/.claude.json"

    @property
    def _home(self) -> str:
        return self.environment.get("HOME") or str(Path.home())


_DIRECTORIES: Final[dict[HostName, str]] = {
    "claude-code": ".claude",
    "codex": ".codex",
    "gemini": ".gemini",
}


class SetupOptions(Struct, frozen=True):
    """Where and for what is set up; with `mcp` the server is wanted too. `remove` takes it away."""

    places: Places
    own: Installation
    language: Language = "en"
    mcp: bool = False
    remove: bool = False


class SetupFile(Struct, frozen=True):
    """One file of a setup.

    A file with `machine_paths` must not get into a repository. An `optional` one is not touched
    unless it has something of ours.
    """

    path: str
    kind: FileKind
    machine_paths: bool = False
    is_private: bool = True
    optional: bool = False


def host_files(host: HostName, scope: Scope, options: SetupOptions) -> list[SetupFile]:
    """Return the files of an agent."""
    places, own, language, mcp = options.places, options.own, options.language, options.mcp
    home, groups = places.home(host, scope), hook_groups(host, own.script, own.python)
    server = own.python if mcp else ""
    private = scope == "user"
    if host == "claude-code":
        line = status_line_command(own.script, own.python)
        name = "settings.json" if scope == "user" else "settings.local.json"
        servers = (SERVERS,) if scope == "user" else ("projects", places.project, SERVERS)
        return [
            _settings(f"{home}/{name}", SettingsEntries(groups, line)),
            _whole(f"{home}/commands/outlast.md", claude_command, language),
            SetupFile(
                places.claude_servers(),
                JsonSettings(SettingsEntries(server=own.python, servers=servers)),
                optional=not mcp,
            ),
        ]
    if host == "codex":
        skill = f"{home}/skills/outlast"
        return [
            _settings(f"{home}/hooks.json", SettingsEntries(groups)),
            SetupFile(
                f"{home}/config.toml",
                TomlSettings(own.python),
                machine_paths=True,
                optional=not mcp,
            ),
            _whole(f"{skill}/SKILL.md", codex_skill, language, is_private=private),
            SetupFile(f"{skill}/agents/openai.yaml", WholeFile(CODEX_POLICY), is_private=private),
        ]
    entries = SettingsEntries(groups, server=server, actor="gemini-cli")
    return [
        SetupFile(
            f"{home}/settings.json", JsonSettings(entries, comments=True), machine_paths=True
        ),
        _whole(f"{home}/commands/outlast.toml", gemini_command, language),
    ]


def _settings(path: str, entries: SettingsEntries) -> SetupFile:
    return SetupFile(path, JsonSettings(entries), machine_paths=True)


def _whole(
    path: str, write: Callable[[Language], str], language: Language, *, is_private: bool = True
) -> SetupFile:
    known = tuple(write(each) for each in LANGUAGES)
    return SetupFile(path, WholeFile(write(language), known), is_private=is_private)


def _guide_file(project: str, language: Language) -> SetupFile:
    """Return AGENTS.md, or CLAUDE.md if a project has only that, with the lines for agents."""
    names = [name for name in _GUIDES if Path(project, name).exists()]
    known = tuple(tuple(guide_lines(each)) for each in LANGUAGES)
    kind = BlockFile(HTML, tuple(guide_lines(language)), known)
    return SetupFile(f"{project}/{(names or _GUIDES)[0]}", kind, is_private=False)


def _plugin_files(directory: str, own: Installation, language: Language) -> list[SetupFile]:
    """Return the files of a plugin for Claude Code: the manifest first, the MCP server last."""
    hooks: dict[str, list[dict[str, Any]]] = {}
    for group in hook_groups("claude-code", own.script, own.python):
        hooks.setdefault(group.event, []).append(group.to_json())
    server = {"command": own.python, "args": [*SERVER_ARGUMENTS]}
    files = {
        ".claude-plugin/plugin.json": plugin_manifest(own.version, language),
        "hooks/hooks.json": _dump({"hooks": hooks}),
        "commands/outlast.md": claude_command(language),
        ".mcp.json": _dump({SERVERS: {SERVER_NAME: server}}),
    }
    return [
        SetupFile(f"{directory}/{name}", WholeFile(content), is_private=False)
        for name, content in files.items()
    ]


def _dump(value: object) -> str:
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n"


class Setup(Struct, frozen=True):
    """What is to change, and what is left alone. `backups` are where the old contents go."""

    changes: tuple[FileChange, ...]
    notices: tuple[Notice, ...] = ()
    backups: dict[str, str] = {}
    is_removal: bool = False

    @property
    def pending(self) -> list[FileChange]:
        """The files that change."""
        return [change for change in self.changes if change.is_needed]


def this_installation(version: str) -> Installation:
    """Return the script and the Python of this Outlast."""
    package = Path(__file__).absolute().parents[2]
    return Installation(str(package / _SCRIPT), sys.executable, version)


def is_temporary_python(python: str) -> bool:
    """Return whether a Python is one that a tool made for one call, such as `uvx`."""
    return any(part in python for part in _TEMPORARY)


def installed_hosts(places: Places) -> list[HostName]:
    """Return the agents whose program is on the path, or that have settings."""
    return [
        host
        for host in HOST_NAMES
        if which(PROGRAMS[host]) or Path(places.home(host, "user")).is_dir()
    ]


def user_places(start: str) -> Places:
    """Return where the settings of this user are, and of the project of a directory."""
    start = os.path.realpath(start)
    return Places(os.environ, find_git_root(start) or start)


def prepare_host(host: HostName, scope: Scope, options: SetupOptions) -> Setup:
    """Return what the setup of an agent, or its removal, changes. Nothing is changed yet."""
    files = _settings_files()
    parts = host_files(host, scope, options)
    if not options.mcp and _has_server(files, parts):
        parts = host_files(host, scope, replace(options, mcp=True))
    if scope == "project":
        parts += _exclusions(files, host, parts, options)
        return _prepare(files, parts, options.places.project, remove=options.remove)
    return _prepare(files, parts, remove=options.remove)


def prepare_guide(options: SetupOptions) -> Setup:
    """Return what the lines for agents without hooks change."""
    project = options.places.project
    guide = _guide_file(project, options.language)
    return _prepare(_settings_files(), [guide], project, remove=options.remove)


def prepare_plugin(directory: str, options: SetupOptions) -> Setup:
    """Return the files of a plugin, in a directory that has nothing else."""
    files, directory = _settings_files(), str(Path(directory).absolute())
    parts = _plugin_files(directory, options.own, options.language)
    manifest = files.read(parts[0].path)
    is_ours = manifest.is_known or (manifest.text is not None and '"outlast"' in manifest.text)
    place = Path(directory)
    if not is_ours and (place.exists() and (not place.is_dir() or any(place.iterdir()))):
        raise StoreError("plugin_foreign", where=directory)
    is_wanted = options.mcp or options.remove
    if not is_wanted and files.read(parts[-1].path).text is None:
        del parts[-1]  # the server
    return _prepare(files, parts, remove=options.remove)


def apply_setup(setup: Setup) -> None:
    """Change the files; raise `StoreError` without a change if one cannot be."""
    _settings_files().apply(setup.changes, remove=setup.is_removal)


def read_settings(path: str) -> str | None:
    """Return a file of a coding agent; None if there is none."""
    return _settings_files().read_text(path)


def _settings_files() -> SettingsFiles:
    disk = Disk()
    return SettingsFiles(disk, StateHome(state_home(), disk))


def _has_server(files: SettingsFiles, parts: Iterable[SetupFile]) -> bool:
    """Return whether settings that have everything in one file have our server."""
    for part in parts:
        if isinstance(part.kind, JsonSettings) and not part.optional:
            text = files.read(part.path).text
            with naming_file(part.path):
                if text is not None and part.kind.server(text):
                    return True
    return False


def _exclusions(
    files: SettingsFiles, host: HostName, parts: Iterable[SetupFile], options: SetupOptions
) -> list[SetupFile]:
    """Return git's list of what it ignores here, with the files that `init` creates.

    Raises `StoreError` if git has one of the files that get paths of this machine.
    """
    root, remove = options.places.project, options.remove
    if not Path(root, ".git").exists():
        return []
    names = list[str]()
    for part in parts:
        name = os.path.relpath(part.path, root)
        if name.startswith(".."):
            continue
        file, is_new = files.read(part.path), not remove and not part.optional
        if is_new and part.machine_paths and is_tracked(root, name):
            raise StoreError("settings_tracked", where=part.path, host=host)
        created = (file.before if file.is_known else file.text) is None
        if remove or (created and is_new):
            names.append(f"/{name}")
    kind = ExcludeFile(tuple(names))
    return [SetupFile(exclude_file(root), kind, is_private=False)]


def _prepare(
    files: SettingsFiles, parts: Iterable[SetupFile], project: str = "", *, remove: bool
) -> Setup:
    """Return the changes of some files; those of a `project` must really be in it."""
    changes, notices = list[FileChange](), list[Notice]()
    for part in parts:
        file = files.read(part.path)
        if _is_inside(part.path, project) and not _is_inside(file.target, project):
            raise StoreError("settings_elsewhere", where=part.path, target=file.target)
        with naming_file(part.path):
            base = _without_us(part, file)
            before = file.before if file.is_untouched else base
            after = base if remove else _with_us(part, file, base, notices)
        changes.append(FileChange(file, after, before, part.is_private))
        if remove and isinstance(part.kind, WholeFile) and after:
            notices.append(("init_left_file", {"where": part.path}))
    backups = {
        change.file.path: files.backup_path(change.file)
        for change in changes
        if change.is_needed and change.before is not None
    }
    return Setup(tuple(changes), tuple(notices), backups, remove)


def _is_inside(path: str, directory: str) -> bool:
    return bool(directory) and Path(path).is_relative_to(directory)


def _without_us(part: SetupFile, file: HostFile) -> str | None:
    """Return what a file holds without us, byte for byte as before where nothing else changed."""
    if file.text is None:
        return None
    kind = part.kind
    if isinstance(kind, WholeFile) and file.is_untouched:
        return file.before
    stripped = kind.strip(file.text, file.before)
    created = file.is_known and file.before is None
    if (created or isinstance(kind, WholeFile)) and kind.is_empty(stripped):
        return None
    if file.is_untouched and file.before is not None and kind.is_same(stripped, file.before):
        return file.before
    return stripped


def _with_us(
    part: SetupFile, file: HostFile, base: str | None, notices: list[Notice]
) -> str | None:
    kind = part.kind
    if part.optional and base == file.text:
        return file.text
    # Our server there keeps what the user has set for it.
    merged = kind.merge((file.text if isinstance(kind, TomlSettings) else base) or "")
    for key in merged.left_alone:
        if isinstance(kind, WholeFile):
            notices.append(("init_left_file", {"where": part.path}))
        else:
            notices.append(("init_left_alone", {"where": part.path, "key": key}))
    if file.text is not None and kind.entries(file.text) == kind.entries(merged.text):
        return file.text
    if merged.text == base and file.text is None:  # nothing to add to a file that is not there
        return None
    return merged.text


@contextmanager
def naming_file(path: str) -> Iterator[None]:
    """Say of which file an error is."""
    try:
        yield
    except InvalidDocument as error:
        raise InvalidDocument("settings_refused", where=path, problem=error) from error
