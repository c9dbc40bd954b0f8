"""The SQL of the store, read from its `.sql` files."""

from __future__ import annotations

from typing import Final

from outlast.system.sql_files import read_migrations, read_queries, read_statements

APPLICATION: Final = int.from_bytes(b"outl")
VERSION: Final = 1  # of the schema; every migration adds one
QUERIES: Final = read_queries(__package__)


def schema_statements() -> list[str]:
    """Return the statements that create a new database."""
    return read_statements(__package__, "schema.sql")


def migrations() -> list[list[str]]:
    """Return the steps from an empty database to the current schema, oldest first."""
    return read_migrations(__package__)
