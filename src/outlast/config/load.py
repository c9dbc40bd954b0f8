"""Load settings: user file, project file, plan, environment and arguments, later ones win."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from stat import S_ISREG
from tomllib import TOMLDecodeError, loads
from typing import Any, Final

from msgspec import Struct, convert
from msgspec.structs import replace

from outlast.config.files import PREFIX, PROJECT_FILE, user_file
from outlast.config.parse import KEYS, SECTIONS, check_value, nearest_key, parse_text, value_of
from outlast.config.settings import Settings
from outlast.errors import InvalidSetting
from outlast.model.budget import Budget

Notice = tuple[str, dict[str, object]]  # the key of a text, and what goes into it
DEFAULT: Final = "default"
PLAN: Final = "plan"
ARGUMENT: Final = "argument"
_LARGEST: Final = 1 << 20
_OPEN: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NAMED: Final = {  # variables of keys without a section, and short names
    "OUTLAST_ENABLED": "enabled",
    "OUTLAST_AUTO_CREATE_PLAN": "auto_create_plan",
    "OUTLAST_SYNC_TO_TODO_WRITE": "sync_to_todo_write",
    "OUTLAST_LANG": "language",
    "OUTLAST_LAYOUT": "layout",
    "OUTLAST_MODEL": "loop.model",
}
_MODELS: Final = ("anthropic:", "openai:", "ollama:")
_FORBIDDEN_KEYS: Final = (  # they run code, concern the user alone, or change a budget
    "assistant.directory",
    "assistant.reminders",
    "assistant.review",
    "assistant.time_zone",
    "hooks.python",
    "mailbox.directory",
    "orchestrator.agent",
    "orchestrator.permissions",
    "orchestrator.review",
    "prices",
)
_FORBIDDEN_SECTIONS: Final = ("notify.", "permissions.", "search.", "tools.")
_ONLY_LOWERABLE: Final = (
    "assistant.max_steps",
    "assistant.most_failures",
    "budget.",
    "limits.",
    "loop.max_iterations",
    "orchestrator.attempt",
    "orchestrator.parallel",
    "orchestrator.replans",
)


class Loaded(Struct, frozen=True):
    """The settings in force, the origin of each, and notices for the user.

    An origin is `default`, the path of a file, `plan`, `$VARIABLE`, or `argument`. `ignored` is
    what the plan remembers and may not set.
    """

    settings: Settings
    origins: dict[str, str]
    notices: tuple[Notice, ...] = ()
    ignored: dict[str, Any] = {}


def load(
    workspace: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
    arguments: Mapping[str, object] | None = None,
    remembered: Mapping[str, tuple[object, bool]] | None = None,
) -> Loaded:
    """Merge the settings of all sources; a later source overrides an earlier one.

    The order is: the user's file, `outlast.toml` of the workspace, what the plan remembers, the
    environment, and arguments by their keys (`loop.model`). An argument that is None sets nothing.
    Each `remembered` value comes with whether the user has chosen it for the plan; the others have
    the power of a project's file.
    """
    environment = os.environ if environment is None else environment
    layers = _Layers()
    own = user_file(environment)
    for key, value in read_file(own).items():
        layers.set(key, value, own)
    layers.end_of_user()
    if workspace is not None:
        layers.set_from_project(str(Path(workspace).absolute() / PROJECT_FILE), own)
    variables = read_environment(environment)
    given = {key: value for key, value in (arguments or {}).items() if value is not None}
    for key, (value, is_chosen) in (remembered or {}).items():
        if key not in variables and key not in given:
            layers.set_from_plan(key, value, is_chosen=is_chosen)
    for key, (name, value) in variables.items():
        layers.set(key, value, f"${name}")
    for key, value in given.items():
        layers.set(check_key(key, ARGUMENT), value, ARGUMENT)
    return layers.build()


class _Layers:
    """Settings merged source by source."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._origins = dict.fromkeys(KEYS, DEFAULT)
        self._notices: list[Notice] = []
        self._ignored: dict[str, Any] = {}
        self._users: dict[str, Any] = {}

    def end_of_user(self) -> None:
        """Remember what the user has set: no project and no plan can raise it."""
        self._users = dict(self._values)

    def set(self, key: str, value: object, where: str) -> None:
        """Override one setting; a table is merged entry by entry."""
        checked = check_value(key, value, where)
        if isinstance(checked, dict):
            checked = {**self._values.get(key, {}), **checked}
        self._values[key] = checked
        self._origins[key] = where

    def set_from_project(self, path: str, own: str) -> None:
        """Apply the keys that a project may set; report the others in a notice."""
        refused = []
        for key, value in read_file(path).items():
            if is_allowed_in_project(key, check_value(key, value, path), self._users):
                self.set(key, value, path)
            else:
                refused.append(key)
        if refused:
            facts: dict[str, object] = {"where": path, "keys": refused, "file": own}
            self._notices.append(("settings_ignored", facts))

    def set_from_plan(self, key: str, value: object, *, is_chosen: bool) -> None:
        """Apply what the user has chosen for a plan, or a project may set; ignore the rest."""
        checked = check_value(key, value, PLAN)
        if is_chosen or is_allowed_in_project(key, checked, self._users):
            self.set(key, value, PLAN)
        else:
            self._ignored[key] = checked

    def build(self) -> Loaded:
        """Return the merged settings with their origins."""
        nested: dict[str, Any] = {}
        for key, value in self._values.items():
            section, _, name = key.rpartition(".")
            (nested.setdefault(section, {}) if section else nested)[name] = value
        budget = Budget(**nested.pop("budget", {}))  # its stored names differ from its keys
        settings = replace(convert(nested, Settings), budget=budget)
        return Loaded(settings, self._origins, tuple(self._notices), self._ignored)


def settings_with_origins(loaded: Loaded) -> dict[str, tuple[Any, str]]:
    """Return every key with its value and its origin."""
    return {key: (value_of(loaded.settings, key), loaded.origins[key]) for key in KEYS}


def is_allowed_in_project(key: str, value: object, before: Mapping[str, object]) -> bool:
    """Return whether a project's file may set a key (A10); `before` is what the user has set.

    A project may come from a stranger. It cannot set code or commands, name a model at its own
    address or in its own file, or raise a limit of the user.
    """
    if key in _FORBIDDEN_KEYS or key.startswith(_FORBIDDEN_SECTIONS):
        return False
    if key == "loop.model":
        return isinstance(value, str) and value.startswith(_MODELS) and "://" not in value
    if key.startswith(_ONLY_LOWERABLE):
        return _is_at_most(value, before.get(key))
    return True


def _is_at_most(value: object, limit: object) -> bool:
    if not isinstance(limit, int | float):
        return True
    return isinstance(value, int | float) and value <= limit


def read_file(path: str) -> dict[str, object]:
    """Return the settings of a TOML file by key; empty if the file does not exist."""
    try:
        table = loads(_read_bytes(path).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        problem = os.strerror(error.errno or 0)
        raise InvalidSetting("setting_file_unreadable", where=path, problem=problem) from error
    except (TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = str(error)[:200]
        raise InvalidSetting("setting_file_broken", where=path, problem=problem) from error
    return dict(_flatten(table, path))


def read_environment(environment: Mapping[str, str]) -> dict[str, tuple[str, object]]:
    """Return the settings of the environment by key, each with the name of its variable."""
    settings: dict[str, tuple[str, object]] = {}
    for name, value in sorted(environment.items()):
        key = _NAMED.get(name) or _key_from_variable(name)
        if key and value:
            settings[key] = (
                name,
                _language_of(value) if key == "language" else parse_text(key, value),
            )
    return settings


def _key_from_variable(name: str) -> str:
    """Return the key of a variable such as `OUTLAST_LOOP__MODEL`; empty for any other variable."""
    if not name.startswith(PREFIX) or "__" not in name:
        return ""
    key = name.removeprefix(PREFIX).lower().replace("__", ".")
    return check_key(key, f"${name}")


def check_key(key: str, where: str) -> str:
    """Return a known key; raise `InvalidSetting` with the nearest key for an unknown one."""
    if key in KEYS:
        return key
    raise InvalidSetting("setting_unknown", where=where, key=key[:100], nearest=nearest_key(key))


def _language_of(value: str) -> str:
    """Return the language of a locale: `zh` or `en`."""
    return "zh" if value.lower().startswith("zh") else "en"


def _flatten(table: dict[str, Any], where: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if name in SECTIONS and isinstance(value, dict):
            yield from (
                (check_key(f"{name}.{inner}", where), setting) for inner, setting in value.items()
            )
        else:
            yield check_key(name, where), value


def _read_bytes(path: str) -> bytes:
    """Read a regular file of limited size; never block on a pipe or a device."""
    fd = os.open(path, _OPEN)
    try:
        status = os.fstat(fd)
        if not S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            raise InvalidSetting("setting_file_odd", where=path, limit=_LARGEST)
        return b"".join(iter(lambda: os.read(fd, _LARGEST), b""))
    finally:
        os.close(fd)
