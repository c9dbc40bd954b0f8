"""The files that `init` writes for each coding agent, and what is ours in each of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from msgspec import Struct

from outlast.formats.hosts import settings_text
from outlast.formats.hosts.command_files import (
    CODEX_POLICY,
    claude_command,
    codex_skill,
    gemini_command,
    guide_lines,
    plugin_manifest,
)
from outlast.formats.hosts.hook_table import status_line_command
from outlast.formats.hosts.marked_block import (
    HASH,
    HTML,
    BlockStyle,
    block_lines,
    remove_block,
    set_block,
)
from outlast.formats.hosts.settings_text import (
    SERVER_ARGUMENTS,
    SERVER_NAME,
    SERVERS,
    HookGroup,
    Merged,
    SettingsEntries,
    hook_groups,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.formats.hosts.events import HostName
    from outlast.texts import Language

Scope = Literal["user", "project"]
SCOPES: Final[tuple[Scope, ...]] = ("user", "project")
AGENTS_MD: Final = "agents-md"
PROGRAMS: Final[dict[HostName, str]] = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini": "gemini",
}
LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh")
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


class FileKind(Protocol):
    """What is ours in a file, and how it gets in and out. The methods take and return texts."""

    def entries(self, text: str) -> object:
        """Return what is ours in a text, to compare it with that of another one."""

    def merge(self, text: str) -> Merged:
        """Add what is ours to a text without it."""

    def strip(self, text: str, before: str | None) -> str:
        """Remove what is ours from a text; `before` is what it was before it came in."""

    def is_same(self, text: str, before: str) -> bool:
        """Return whether a stripped text says the same as the one before we came."""

    def is_empty(self, text: str) -> bool:
        """Return whether a file that we created can go."""


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


class JsonSettings(Struct, frozen=True):
    """Settings in JSON, with our entries."""

    wanted: SettingsEntries
    comments: bool = False

    def entries(self, text: str) -> object:
        """Return our entries, in no order."""
        own = self.find(text)
        return frozenset(own.hooks), len(own.hooks), own.status_line, own.server

    def find(self, text: str) -> SettingsEntries:
        """Return our entries."""
        return settings_text.find_entries(text, self.wanted.servers, comments=self.comments)

    def merge(self, text: str) -> Merged:
        """Add our entries."""
        return settings_text.merge_settings(text, self.wanted, comments=self.comments)

    def strip(self, text: str, before: str | None) -> str:
        """Remove our entries."""
        servers = self.wanted.servers
        return settings_text.without_entries(text, before, servers, comments=self.comments)

    def is_same(self, text: str, before: str) -> bool:
        """Return whether two texts have the same values."""
        return settings_text.is_same_json(text, before, comments=self.comments)

    def is_empty(self, text: str) -> bool:
        """Return whether nothing is set."""
        return settings_text.is_empty(text, comments=self.comments)


class TomlSettings(Struct, frozen=True):
    """The settings of Codex, with our MCP server."""

    python: str

    def entries(self, text: str) -> object:
        """Return the block of our server."""
        settings_text.toml_server(text)
        return block_lines(text, HASH)

    def merge(self, text: str) -> Merged:
        """Add our server."""
        return settings_text.merge_toml(text, self.python)

    def strip(self, text: str, before: str | None) -> str:
        """Remove our server."""
        del before
        return settings_text.without_toml_server(text)

    def is_same(self, text: str, before: str) -> bool:
        """Return whether two texts differ in blanks only."""
        return text.split() == before.split()

    def is_empty(self, text: str) -> bool:
        """Return whether nothing is set."""
        return not text.strip()


class WholeFile(Struct, frozen=True):
    """A file that is ours as a whole; `known` are its other forms that are ours too."""

    content: str
    known: tuple[str, ...] = ()

    def entries(self, text: str) -> object:
        """Return the text, if it is ours; a form in the other language is as good."""
        return self.content if text in (self.content, *self.known) else None

    def merge(self, text: str) -> Merged:
        """Return our text; one that is not ours is left alone."""
        return Merged(text, (SERVER_NAME,)) if text else Merged(self.content)

    def strip(self, text: str, before: str | None) -> str:
        """Return nothing for a text of ours."""
        del before
        return "" if text in (self.content, *self.known) else text

    def is_same(self, text: str, before: str) -> bool:
        """Return whether two texts differ in blanks only."""
        return text.split() == before.split()

    def is_empty(self, text: str) -> bool:
        """Return whether our text was all."""
        return not text


class BlockFile(Struct, frozen=True):
    """A file of the user with a marked block of ours."""

    style: BlockStyle
    lines: tuple[str, ...]
    known: tuple[tuple[str, ...], ...] = ()

    def entries(self, text: str) -> object:
        """Return the lines of our block; those in the other language are as good."""
        lines = block_lines(text, self.style)
        return self.lines if lines is not None and tuple(lines) in self.known else lines

    def merge(self, text: str) -> Merged:
        """Add our block."""
        return Merged(set_block(text, self.style, self.lines))

    def strip(self, text: str, before: str | None) -> str:
        """Remove our block."""
        del before
        return remove_block(text, self.style)

    def is_same(self, text: str, before: str) -> bool:
        """Return whether two texts differ in blanks only."""
        return text.split() == before.split()

    def is_empty(self, text: str) -> bool:
        """Return whether nothing else is there."""
        return not text.strip()


class ExcludeFile(Struct, frozen=True):
    """Git's own list of what it ignores on this machine, with some names in our block."""

    names: tuple[str, ...]

    def entries(self, text: str) -> object:
        """Return which of the names are there."""
        return frozenset(self.names).intersection(block_lines(text, HASH) or ())

    def merge(self, text: str) -> Merged:
        """Add the names to those of other setups."""
        lines = dict.fromkeys([*(block_lines(text, HASH) or ()), *self.names])
        return Merged(set_block(text, HASH, [*lines]) if self.names else text)

    def strip(self, text: str, before: str | None) -> str:
        """Remove the names; those of other setups stay."""
        del before
        rest = [line for line in block_lines(text, HASH) or () if line not in self.names]
        return set_block(text, HASH, rest) if rest else remove_block(text, HASH)

    def is_same(self, text: str, before: str) -> bool:
        """Return whether two texts differ in blanks only."""
        return text.split() == before.split()

    def is_empty(self, text: str) -> bool:
        """Return whether nothing else is there."""
        return not text.strip()


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
    entries = SettingsEntries(groups, server=server)
    return [
        SetupFile(
            f"{home}/settings.json",
            JsonSettings(entries, comments=True),
            machine_paths=True,
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


def plugin_files(
    directory: str, own: Installation, language: Language, *, mcp: bool
) -> list[SetupFile]:
    """Return the files of a plugin for Claude Code."""
    groups = hook_groups("claude-code", own.script, own.python)
    files = {
        ".claude-plugin/plugin.json": plugin_manifest(own.version, language),
        "hooks/hooks.json": _dump({"hooks": _by_event(groups)}),
        "commands/outlast.md": claude_command(language),
    }
    if mcp:
        server = {"command": own.python, "args": [*SERVER_ARGUMENTS]}
        files[".mcp.json"] = _dump({SERVERS: {SERVER_NAME: server}})
    return [
        SetupFile(f"{directory}/{name}", WholeFile(content), is_private=False)
        for name, content in files.items()
    ]


PLUGIN_FILES: Final = (
    ".claude-plugin/plugin.json",
    "hooks/hooks.json",
    "commands/outlast.md",
    ".mcp.json",
)


def _by_event(groups: Sequence[HookGroup]) -> dict[str, list[dict[str, Any]]]:
    events: dict[str, list[dict[str, Any]]] = {}
    for group in groups:
        hook = {"type": "command", "command": group.command, "timeout": group.timeout}
        matcher = {"matcher": group.matcher} if group.matcher else {}
        events.setdefault(group.event, []).append({**matcher, "hooks": [hook]})
    return events


def _dump(value: object) -> str:
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n"
