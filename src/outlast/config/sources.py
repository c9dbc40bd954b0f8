"""Where settings come from: two files, the environment."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISREG
from tomllib import TOMLDecodeError, loads
from typing import TYPE_CHECKING, Any, Final

from outlast.config.keys import KEYS, SECTIONS, nearest
from outlast.config.values import from_text
from outlast.errors import InvalidSetting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROJECT_FILE: Final = "outlast.toml"
_LARGEST: Final = 1 << 20
_OPEN: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_PREFIX: Final = "OUTLAST_"
_NAMED: Final = {  # these have no section, or a shorter name
    "OUTLAST_ENABLED": "enabled",
    "OUTLAST_AUTO_CREATE_PLAN": "auto_create_plan",
    "OUTLAST_SYNC_TO_TODO_WRITE": "sync_to_todo_write",
    "OUTLAST_LANG": "language",
    "OUTLAST_MODEL": "loop.model",
}


def user_file(environment: Mapping[str, str]) -> str:
    """Return the user's own file: below `$XDG_CONFIG_HOME`, else below `~/.config`."""
    told = Path(environment.get("XDG_CONFIG_HOME", ""))
    if not told.is_absolute():  # else a project that we are in could bring it along
        told = _home(environment) / ".config"
    return str(told / "outlast" / "config.toml")


def _home(environment: Mapping[str, str]) -> Path:
    """Return the user's directory; of a user who has none, one that is nowhere."""
    told = Path(environment.get("HOME", ""))
    if told.is_absolute():
        return told
    try:
        return Path.home()
    except RuntimeError:
        return Path("/nonexistent")


def in_file(path: str) -> dict[str, object]:
    """Return the settings of a file by their keys; none if there is no such file."""
    try:
        found = loads(_read(path).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        problem = os.strerror(error.errno or 0)
        raise InvalidSetting("setting_file_unreadable", where=path, problem=problem) from error
    except (TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = str(error)[:200]
        raise InvalidSetting("setting_file_broken", where=path, problem=problem) from error
    return dict(_flat(found, path))


def in_environment(environment: Mapping[str, str]) -> dict[str, tuple[str, object]]:
    """Return the settings of the environment by their keys, with the variable of each."""
    found: dict[str, tuple[str, object]] = {}
    for name, value in sorted(environment.items()):
        key = _NAMED.get(name) or _key_of(name)
        if key and value:
            found[key] = name, _spoken(value) if key == "language" else from_text(key, value)
    return found


def _key_of(name: str) -> str:
    """Return the key that a variable stands for; one with two underscores is meant for us."""
    if not name.startswith(_PREFIX) or "__" not in name:
        return ""
    key = name.removeprefix(_PREFIX).lower().replace("__", ".")
    return known(key, f"${name}")


def known(key: str, where: str) -> str:
    """Return a key that there is, else say which one is the nearest."""
    if key in KEYS:
        return key
    raise InvalidSetting("setting_unknown", where=where, key=key[:100], nearest=nearest(key))


def _spoken(value: str) -> str:
    """Return the language of a locale."""
    return "zh" if value.lower().startswith("zh") else "en"


def _flat(table: dict[str, Any], where: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if name in SECTIONS and isinstance(value, dict):
            yield from ((known(f"{name}.{inner}", where), one) for inner, one in value.items())
        else:
            yield known(name, where), value


def _read(path: str) -> bytes:
    """Read a file that is one, and not too large; what else there may be is never waited for."""
    fd = os.open(path, _OPEN)
    try:
        about = os.fstat(fd)
        if not S_ISREG(about.st_mode) or about.st_size > _LARGEST:
            raise InvalidSetting("setting_file_odd", where=path, limit=_LARGEST)
        return b"".join(iter(lambda: os.read(fd, _LARGEST), b""))
    finally:
        os.close(fd)
