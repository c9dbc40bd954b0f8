"""Databases of plans, by their URLs: `sqlite:///plans.db`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from outlast.domain.limits import check_name
from outlast.errors import InvalidArgument

if TYPE_CHECKING:
    from typing import TypeGuard

    from outlast.adapters.stores.sqlite.database import Database

_SCHEME: Final = "sqlite:"
_BEFORE_PATH: Final = "sqlite:///"
_NOT_IN_PATHS: Final = "?#\0"  # what looks like options would else be part of a file's name


def is_url(where: object) -> TypeGuard[str]:
    """Tell whether somebody means a database, even if it is not said well."""
    return isinstance(where, str) and where.startswith(_SCHEME)


def database_at(url: str) -> Database:
    """Return the database that a URL names, which need not be there yet."""
    from outlast.adapters.stores.sqlite.database import Database
    from outlast.system.disk import Disk

    return Database(os.path.abspath(_path(check_name(url, "where"))), Disk())  # noqa: PTH100 - without the cost of pathlib


def _path(url: str) -> str:
    path = url.removeprefix(_BEFORE_PATH)
    named = path != url and path.strip("/") and not path.endswith("/")
    if not named or path == ":memory:" or any(mark in path for mark in _NOT_IN_PATHS):
        raise InvalidArgument("bad_database_url", argument="where", value=url)
    return path
