"""Where one plan is kept: `Store` over a log in files, SQLite or memory; the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Future"]


def __getattr__(name: str) -> object:
    """Load `Future` when it is first used: `logging` comes with it."""
    if name != "Future":
        raise AttributeError(name)
    from concurrent.futures import Future

    globals()[name] = Future
    return Future
