"""Our entries in the settings of coding agents: add them, find them, and remove exactly them."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.errors import InvalidDocument
from outlast.hosts.settings.file_kinds import MergedText, PlainText
from outlast.hosts.settings.hook_table import HookGroup, command_paths
from outlast.hosts.settings.json_edit import JsonText, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.hosts.wire.events import Json

HOOKS: Final = "hooks"
STATUS_LINE: Final = "statusLine"
SERVERS: Final = "mcpServers"
SERVER_NAME: Final = "outlast"
SERVER_ARGUMENTS: Final = ("-P", "-m", "outlast", "mcp")  # not from the project
TOML_SERVERS: Final = "mcp_servers"
# Codex starts servers without the variables of the user, but for these.
_PASSED_ON: Final = (
    "CODEX_HOME",
    "OUTLAST_LANG",
    "OUTLAST_OFF",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
)
_LINE: Final = re.compile(r"at line (\d+)")
_TOML_TABLE: Final = re.compile(r"[ \t]*\[")
_TOML_KEY: Final = re.compile(r"[ \t]*([\"']?)(command|args|env_vars)\1[ \t]*=")
_NAMES_ACTOR: Final = "--as"  # an argument of the server, which gets no variable of the agent's
_OWN_TABLE: Final = re.compile(
    rf"[ \t]*\[[ \t]*{TOML_SERVERS}[ \t]*\.[ \t]*([\"']?){SERVER_NAME}\1[ \t]*[.\]]"
)
_TOML_BLANK: Final = re.compile(r"[ \t]*(#|\r?\n|$)")


class SettingsEntries(Struct, frozen=True):
    """What is ours in settings; `servers` is where they have the MCP servers.

    The server is started for an `actor` if that is to be added: what is found names none.
    """

    hooks: tuple[HookGroup, ...] = ()
    status_line: str = ""
    server: str = ""
    servers: tuple[str, ...] = (SERVERS,)
    actor: str = ""


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
        settings, servers = self._read(text), self.wanted.servers
        value = settings.value
        return SettingsEntries(
            tuple(_group(value, path) for path in _hook_paths(settings)),
            value[STATUS_LINE]["command"] if _is_own_status_line(value) else "",
            _own_server(value, servers),
            servers,
        )

    def server(self, text: str) -> str:
        """Return the Python of our MCP server; empty if there is none of ours."""
        return self.find(text).server

    def hook_places(self, text: str) -> list[tuple[str, int, int]]:
        """Return where our hooks are: the event, the number of the group, and that of the hook."""
        paths = _hook_paths(self._read(text))
        return [(str(event), int(group), int(hook)) for _, event, group, _, hook in paths]

    def merge(self, text: str) -> MergedText:
        """Add our entries to settings from which they were removed.

        A status line or a server of the user, where ours would be, is left alone.
        """
        settings, wanted = self._read(text), self.wanted
        left_alone = list[str]()
        for group in wanted.hooks:
            _add_container(settings, (HOOKS,), {})
            _add_container(settings, (HOOKS, group.event), [])
            settings.add((HOOKS, group.event, 0), group.to_json())
        if wanted.status_line:
            if STATUS_LINE in settings.value:
                left_alone.append(STATUS_LINE)
            else:
                line = {"type": "command", "command": wanted.status_line}
                settings.add((STATUS_LINE,), line)
        if wanted.server:
            for depth in range(len(wanted.servers)):
                _add_container(settings, wanted.servers[: depth + 1], {})
            if SERVER_NAME in _at(settings.value, wanted.servers):
                left_alone.append(f"{wanted.servers[-1]}.{SERVER_NAME}")
            else:
                arguments = _server_arguments(SERVER_ARGUMENTS, wanted.actor)
                server = {"command": wanted.server, "args": arguments}
                settings.add((*wanted.servers, SERVER_NAME), server)
        return MergedText(settings.text, tuple(left_alone))

    def strip(self, text: str, before: str | None) -> str:
        """Remove our entries.

        Objects and lists that this leaves empty are removed too, unless they were there `before` we
        came.
        """
        settings, servers = self._read(text), self.wanted.servers
        if self.find(text) == SettingsEntries(servers=servers):
            return text
        original = {} if before is None else self._read(before).value
        for path in reversed([*_hook_paths(settings)]):
            _remove_hook(settings, path, original)
        if _is_own_status_line(settings.value):
            settings.remove((STATUS_LINE,))
        if _own_server(settings.value, servers):
            settings.remove((*servers, SERVER_NAME))
            _remove_empty(settings, servers, original)
        return settings.text

    def is_same(self, text: str, before: str) -> bool:
        """Return whether two texts have the same values in the same order."""
        one, two = (self._read(each).value for each in (text, before))
        return repr(one) == repr(two)

    def is_empty(self, text: str) -> bool:
        """Return whether nothing is set, and there is not even a comment."""
        settings = self._read(text)
        return not settings.value and "".join(settings.text.split()).lstrip("\ufeff") == "{}"

    def _read(self, text: str) -> JsonText:
        return JsonText(text, comments=self.comments)


def _hook_paths(settings: JsonText) -> Iterator[tuple[Step, ...]]:
    """Yield where commands of ours are."""
    for event, groups in _object(settings.value.get(HOOKS)).items():
        for index, group in enumerate(_list(groups)):
            for number, hook in enumerate(_list(_object(group).get("hooks"))):
                command = _object(hook).get("command")
                if isinstance(command, str) and command_paths(command):
                    yield HOOKS, event, index, "hooks", number


def _group(value: Json, path: tuple[Step, ...]) -> HookGroup:
    group, hook = _at(value, path[:3]), _at(value, path)
    matcher, timeout = group.get("matcher"), hook.get("timeout")
    return HookGroup(
        str(path[1]),
        hook["command"],
        matcher if isinstance(matcher, str) else "",
        int(timeout) if isinstance(timeout, float) else 0,
    )


def _is_own_status_line(value: Json) -> bool:
    command = _object(value.get(STATUS_LINE)).get("command")
    return isinstance(command, str) and command_paths(command) is not None


def _own_server(value: Json, servers: tuple[str, ...]) -> str:
    """Return the Python of our MCP server; empty if the settings have none, or the user's own."""
    for key in (*servers, SERVER_NAME):
        value = _object(value.get(key))
    return str(value["command"]) if _is_own_server(value) else ""


def _is_own_server(server: Json) -> bool:
    arguments = _list(server.get("args"))[: len(SERVER_ARGUMENTS)]
    return isinstance(server.get("command"), str) and tuple(arguments) == SERVER_ARGUMENTS


def _server_arguments(arguments: Sequence[str], actor: str) -> list[str]:
    """Return arguments of our server with the agent that it serves, unless they name one."""
    names_one = not actor or any(str(word).startswith(_NAMES_ACTOR) for word in arguments)
    return [*arguments, *(() if names_one else (_NAMES_ACTOR, actor))]


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _at(value: Any, path: tuple[Step, ...]) -> Any:  # noqa: ANN401 - any JSON
    for step in path:
        value = value[step]
    return value


def _add_container(settings: JsonText, path: tuple[str, ...], empty: Json | list[object]) -> None:
    parent = _at(settings.value, path[:-1])
    if path[-1] not in parent:
        settings.add(path, empty)
    elif not isinstance(parent[path[-1]], type(empty)):
        kind = "object" if isinstance(empty, dict) else "array"
        raise InvalidDocument("settings_wrong_type", key=".".join(path), expected=kind)


def _remove_hook(settings: JsonText, path: tuple[Step, ...], original: Json) -> None:
    """Remove a command, its group if that has no other, and then what is empty."""
    settings.remove(path)
    group = path[:3]
    if not _at(settings.value, path[:-1]):
        settings.remove(group)
        _remove_empty(settings, group[:2], original)


def _remove_empty(settings: JsonText, path: tuple[Step, ...], original: Json) -> None:
    """Remove what is empty at a path, and what that leaves empty, up to what was there before."""
    while path and not _at(settings.value, path) and not _exists(original, path):
        settings.remove(path)
        path = path[:-1]


def _exists(value: Any, path: tuple[Step, ...]) -> bool:  # noqa: ANN401 - any JSON
    for step in path:
        if not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return True


# --- the settings of Codex, which are TOML ---------------------------------------------------


class TomlSettings(PlainText, frozen=True):
    """The settings of Codex, with our MCP server."""

    python: str
    actor: str = "codex"

    def entries(self, text: str) -> Json:
        """Return what we have set of our server; nothing if there is none of ours."""
        server = _object(_object(_parse_toml(text).get(TOML_SERVERS)).get(SERVER_NAME))
        own = {key: server.get(key) for key in ("command", "args", "env_vars")}
        return own if _is_own_server(own) else {}

    def server(self, text: str) -> str:
        """Return the Python of our server; empty if there is none of ours."""
        return str(self.entries(text).get("command", ""))

    def merge(self, text: str) -> MergedText:
        """Add our server, or set what is ours of it, unless the user has another.

        Arguments and variables that the user has added stay, like all else that is set for it.
        """
        settings = _parse_toml(text)
        servers = settings.get(TOML_SERVERS, {})
        if not isinstance(servers, dict):
            raise InvalidDocument("settings_wrong_type", key=TOML_SERVERS, expected="object")
        own = self.entries(text)
        if SERVER_NAME in servers and not own:
            return MergedText(text, (f"{TOML_SERVERS}.{SERVER_NAME}",))
        variables = _list(own.get("env_vars"))
        wanted = {
            "command": self.python,
            "args": _server_arguments(own.get("args", SERVER_ARGUMENTS), self.actor),
            "env_vars": [*variables, *(name for name in _PASSED_ON if name not in variables)],
        }
        if own == wanted:
            return MergedText(text)
        newline = "\r\n" if "\r\n" in text else "\n"
        lines = [f"{key} = {_toml_value(value)}{newline}" for key, value in wanted.items()]
        if own:
            servers[SERVER_NAME] |= wanted
            return MergedText(_checked_toml(_with_own_lines(text, lines), settings))
        ended = text if text.endswith("\n") or not text else f"{text}{newline}"
        blank = newline if text else ""
        merged = f"{ended}{blank}[{TOML_SERVERS}.{SERVER_NAME}]{newline}{''.join(lines)}"
        _parse_toml(merged)  # such as servers in an inline table, to which nothing can be added
        return MergedText(merged)

    def strip(self, text: str, before: str | None) -> str:
        """Remove our server, and what was set for it since.

        Codex writes into its settings, too, and drops comments there. So our lines are known by
        their table, not by marks.
        """
        del before
        if not self.entries(text):
            return text
        settings = _parse_toml(text)
        del settings[TOML_SERVERS][SERVER_NAME]
        return _checked_toml(_without_tables(text), settings)


def _checked_toml(text: str, expected: Json) -> str:
    """Return settings that are as expected; refuse others, since a line was not what it seemed."""
    changed: Json = {}
    with suppress(InvalidDocument):
        changed = _parse_toml(text)
        changed.setdefault(TOML_SERVERS, {})
    if changed != expected:
        raise InvalidDocument("settings_no_table", key=f"{TOML_SERVERS}.{SERVER_NAME}")
    return text


def _with_own_lines(text: str, own: list[str]) -> str:
    """Return settings in which these lines are what is ours in the table of our server."""
    kept = list[str]()
    is_ours, lines = False, text.splitlines(keepends=True)
    while lines:
        line = lines.pop(0)
        if _TOML_TABLE.match(line):
            table = _OWN_TABLE.match(line)
            is_ours = table is not None and table[0].endswith("]")
            kept += [line, *(own if is_ours else ())]
        elif is_ours and _TOML_KEY.match(line):
            while lines and not _is_toml(line):  # a value may have several lines
                line += lines.pop(0)
        else:
            kept.append(line)
    return "".join(kept)


def _without_tables(text: str) -> str:
    """Return settings without the tables of our server, each with the blank line before it.

    Comments and blank lines below a table belong to the next one.
    """
    kept, between = list[str](), list[str]()
    is_ours = False
    for line in text.splitlines(keepends=True):
        if _TOML_TABLE.match(line):
            is_ours = _OWN_TABLE.match(line) is not None
            if is_ours and kept and not kept[-1].strip():
                kept.pop()
        if not is_ours:
            kept += [*between, line]
            between.clear()
        elif _TOML_BLANK.match(line):
            between.append(line)
        else:
            between.clear()
    return "".join([*kept, *between])


def _parse_toml(text: str) -> Json:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=str)  # nan equals itself
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = _LINE.search(str(error))
        number = int(line[1]) if line else text.count("\n") + 1  # at the end of the document
        raise InvalidDocument("settings_no_toml", line=number) from error


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _toml_value(value: object) -> str:
    """Return a basic string or an array of them; those of JSON are alike, but for DEL."""
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
