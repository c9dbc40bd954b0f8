"""Where settings may be, and whether there are any: most processes need not read them."""

from __future__ import annotations

# ruff: noqa: PTH111, PTH117, PTH118 - a short-lived process cannot afford pathlib
from os.path import expanduser, isabs, join, lexists
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT_FILE: Final = "outlast.toml"
PREFIX: Final = "OUTLAST_"  # of variables
_NO_SETTINGS: Final = frozenset(
    f"{PREFIX}{name}" for name in ("ACTOR", "DEBUG", "LANG", "NAME", "OFF", "PLAN")
)
_NOWHERE: Final = "/nonexistent"  # the home of a user without one


def user_file(environment: Mapping[str, str]) -> str:
    """Return the path of the user's file: below `$XDG_CONFIG_HOME`, else below `~/.config`."""
    home = environment.get("XDG_CONFIG_HOME", "")
    if not isabs(home):  # a relative path would let a project supply the user's file
        home = join(_home_directory(environment), ".config")
    return join(home, "outlast", "config.toml")


def _home_directory(environment: Mapping[str, str]) -> str:
    home = environment.get("HOME", "")
    if isabs(home):
        return home
    home = expanduser("~")
    return home if isabs(home) else _NOWHERE


def may_be_configured(root: str, environment: Mapping[str, str]) -> bool:
    """Return whether a file or a variable may set something; the language is not looked at."""
    if any(name.startswith(PREFIX) and name not in _NO_SETTINGS for name in environment):
        return True
    files = (user_file(environment), join(root, PROJECT_FILE))
    return any(map(lexists, files))
