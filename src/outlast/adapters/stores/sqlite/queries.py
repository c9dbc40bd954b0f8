"""The SQL of the store, read from its `.sql` files. There is none in the code."""

from __future__ import annotations

import re
from importlib.resources import files
from sqlite3 import complete_statement
from typing import Final

_NAME: Final = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COMMENT: Final = re.compile(r"\s*--.*$", re.MULTILINE)
_HERE: Final = files(__package__)


def parse_queries(text: str) -> dict[str, str]:
    """Return the queries of a file by the name in the comment above each."""
    _, *parts = _NAME.split(text)
    return {
        name: _COMMENT.sub("", query).strip()
        for name, query in zip(parts[::2], parts[1::2], strict=True)
    }


def split_statements(text: str) -> list[str]:
    """Return the statements of a script one by one; `executescript` would end the transaction."""
    statements, current = [], ""
    for line in _COMMENT.sub("", text).splitlines():
        current += f"{line}\n"
        if complete_statement(current):
            statements.append(current.strip())
            current = ""
    return statements


def schema_statements() -> list[str]:
    """Return the statements that create a new database."""
    return split_statements((_HERE / "schema.sql").read_text(encoding="utf-8"))


def migrations() -> list[list[str]]:
    """Return the steps from an empty database to the current schema, oldest first."""
    steps = {file.name: file for file in (_HERE / "migrations").iterdir()}
    return [split_statements(steps[name].read_text(encoding="utf-8")) for name in sorted(steps)]


APPLICATION: Final = int.from_bytes(b"outl")
VERSION: Final = 1  # of the schema; every migration adds one
QUERIES: Final = parse_queries((_HERE / "queries.sql").read_text(encoding="utf-8"))
