"""The files that `init` writes for each coding agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from outlast.hosts.settings.command_files import (
    CODEX_POLICY,
    claude_command,
    codex_skill,
    gemini_command,
    guide_lines,
    plugin_manifest,
)
from outlast.hosts.settings.file_kinds import (
    BlockFile,
    FileKind,
    JsonSettings,
    TomlSettings,
    WholeFile,
)
from outlast.hosts.settings.hook_table import status_line_command
from outlast.hosts.settings.marked_block import HTML
from outlast.hosts.settings.text import (
    SERVER_ARGUMENTS,
    SERVER_NAME,
    SERVERS,
    SettingsEntries,
    hook_groups,
)
from outlast.language import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.hosts.wire.events import HostName
    from outlast.language import Language

Scope = Literal["user", "project"]
SCOPES: Final[tuple[Scope, ...]] = ("user", "project")
AGENTS_MD: Final = "agents-md"
PROGRAMS: Final[dict[HostName, str]] = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini": "gemini",
}
_GUIDES: Final = ("AGENTS.md", "CLAUDE.md")


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


def host_files(  # noqa: PLR0913 - one keyword for each choice
    host: HostName,
    scope: Scope,
    places: Places,
    own: Installation,
    language: Language,
    *,
    mcp: bool,
) -> list[SetupFile]:
    """Return the files of an agent; with `mcp` the server is wanted too."""
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


def guide_file(project: str, language: Language) -> SetupFile:
    """Return AGENTS.md, or CLAUDE.md if a project has only that, with the lines for agents."""
    names = [name for name in _GUIDES if Path(project, name).exists()]
    known = tuple(tuple(guide_lines(each)) for each in LANGUAGES)
    kind = BlockFile(HTML, tuple(guide_lines(language)), known)
    return SetupFile(f"{project}/{(names or _GUIDES)[0]}", kind, is_private=False)


def plugin_files(directory: str, own: Installation, language: Language) -> list[SetupFile]:
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
