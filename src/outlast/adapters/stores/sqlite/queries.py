"""The SQL of the store, out of its `.sql` files: there is none in the code."""

from __future__ import annotations

import re
from importlib.resources import files
from sqlite3 import complete_statement
from typing import Final

_NAME: Final = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COMMENT: Final = re.compile(r"\s*--.*$", re.MULTILINE)
_HERE: Final = files(__package__)


def named(text: str) -> dict[str, str]:
    """Return the queries of a text, each of which stands below its name."""
    _, *parts = _NAME.split(text)
    return {
        name: _COMMENT.sub("", query).strip()
        for name, query in zip(parts[::2], parts[1::2], strict=True)
    }


def statements(text: str) -> list[str]:
    """Return the statements of a text one by one, for a script would end the transaction."""
    found, begun = [], ""
    for line in _COMMENT.sub("", text).splitlines():
        begun += f"{line}\n"
        if complete_statement(begun):
            found.append(begun.strip())
            begun = ""
    return found


def schema() -> list[str]:
    """Return what makes a new database."""
    return statements((_HERE / "schema.sql").read_text(encoding="utf-8"))


def migrations() -> list[list[str]]:
    """Return the steps that lead from an empty database to the schema, the first one first."""
    found = {file.name: file for file in (_HERE / "migrations").iterdir()}
    return [statements(found[name].read_text(encoding="utf-8")) for name in sorted(found)]


APPLICATION: Final = int.from_bytes(b"outl")
VERSION: Final = 1  # of the schema; every migration makes it one more
QUERIES: Final = named((_HERE / "queries.sql").read_text(encoding="utf-8"))
