"""The settings that hold, put together from all places where they can be set."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, convert

from outlast.config.keys import KEYS, value_of
from outlast.config.settings import Settings
from outlast.config.sources import PROJECT_FILE, in_environment, in_file, known, user_file
from outlast.config.trust import may_set
from outlast.config.values import checked

if TYPE_CHECKING:
    from collections.abc import Mapping

Notice = tuple[str, dict[str, object]]  # the key of a text, and what goes into it
DEFAULT: Final = "default"
ARGUMENT: Final = "argument"


class Loaded(Struct, frozen=True):
    """The settings, where each of them comes from, and what is to be said about that.

    An origin is `default`, the path of a file, `$VARIABLE`, or `argument`.
    """

    settings: Settings
    origins: dict[str, str]
    notices: tuple[Notice, ...] = ()


def load(
    workspace: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] = os.environ,
    arguments: Mapping[str, object] | None = None,
) -> Loaded:
    """Put settings together; what comes later counts more.

    First the user's file, then `outlast.toml` of the workspace, the environment, and arguments by
    their keys (`loop.model`), of which None is left out.
    """
    made = _Made()
    own = user_file(environment)
    for key, value in in_file(own).items():
        made.take(key, value, own)
    if workspace is not None:
        made.take_project(str(Path(workspace).absolute() / PROJECT_FILE), own)
    for key, (name, value) in in_environment(environment).items():
        made.take(key, value, f"${name}")
    for key, value in (arguments or {}).items():
        if value is not None:
            made.take(known(key, ARGUMENT), value, ARGUMENT)
    return made.loaded()


class _Made:
    """Settings in the making."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._origins = dict.fromkeys(KEYS, DEFAULT)
        self._notices: list[Notice] = []

    def take(self, key: str, value: object, where: str) -> None:
        """Set one."""
        found = checked(key, value, where)
        if isinstance(found, dict):  # of these each entry counts by itself
            found = {**self._values.get(key, {}), **found}
        self._values[key] = found
        self._origins[key] = where

    def take_project(self, path: str, own: str) -> None:
        """Set what the file of a project may set, and tell of the rest."""
        refused = []
        for key, value in in_file(path).items():
            if may_set(key, checked(key, value, path), self._values):
                self.take(key, value, path)
            else:
                refused.append(key)
        if refused:
            facts: dict[str, object] = {"where": path, "keys": refused, "file": own}
            self._notices.append(("settings_not_taken", facts))

    def loaded(self) -> Loaded:
        """Return what has come together."""
        nested: dict[str, Any] = {}
        for key, value in self._values.items():
            section, _, name = key.rpartition(".")
            (nested.setdefault(section, {}) if section else nested)[name] = value
        return Loaded(convert(nested, Settings), self._origins, tuple(self._notices))


def shown(loaded: Loaded) -> dict[str, tuple[Any, str]]:
    """Return every setting with its value and where it comes from."""
    return {key: (value_of(loaded.settings, key), loaded.origins[key]) for key in KEYS}
