"""SQL in files of a package. There is none in the code."""

from __future__ import annotations

import re
from importlib.resources import files
from sqlite3 import complete_statement
from typing import Final

_NAME: Final = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COMMENT: Final = re.compile(r"\s*--.*$", re.MULTILINE)


def read_queries(package: str) -> dict[str, str]:
    """Return the queries in `queries.sql` by the name in the comment above each."""
    return parse_queries((files(package) / "queries.sql").read_text(encoding="utf-8"))


def parse_queries(text: str) -> dict[str, str]:
    """Return the queries of a text by the name in the comment above each."""
    _, *parts = _NAME.split(text)
    return {
        name: _COMMENT.sub("", query).strip()
        for name, query in zip(parts[::2], parts[1::2], strict=True)
    }


def read_statements(package: str, name: str) -> list[str]:
    """Return the statements of a file."""
    return split_statements((files(package) / name).read_text(encoding="utf-8"))


def read_migrations(package: str) -> list[list[str]]:
    """Return the steps from an empty database to the current schema, oldest first."""
    steps = {file.name: file for file in (files(package) / "migrations").iterdir()}
    return [split_statements(steps[name].read_text(encoding="utf-8")) for name in sorted(steps)]


def split_statements(text: str) -> list[str]:
    """Return the statements of a script one by one; `executescript` would end the transaction."""
    statements, current = [], ""
    for line in _COMMENT.sub("", text).splitlines():
        current += f"{line}\n"
        if complete_statement(current):
            statements.append(current.strip())
            current = ""
    return statements
