"""Paths as people and models write them."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from outlast.agent.tools.files.walk import PLAN_DIRECTORIES, VIEWS, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUOTES: Final = ('""', "''", "``", "\u201c\u201d")
_URL: Final = re.compile(r"file:(?://(?:localhost(?=/))?)?", re.IGNORECASE)
_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")
_DIRECTORY_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_ENTRIES: Final = 5_000  # searched for a name like a missing one
_ARCHIVE: Final = "/archive/"
_MAX_NEAREST: Final = 3
_SIMILARITY: Final = 0.75


def clean_path(path: str) -> str:
    """Return a path without quotes, backslashes and `file://`; `~` becomes the home directory."""
    cleaned = path.strip()
    if len(cleaned) > 1 and cleaned[0] + cleaned[-1] in _QUOTES:
        cleaned = cleaned[1:-1]
    url = _URL.match(cleaned)
    if url is not None:
        from urllib.parse import unquote

        cleaned = unquote(cleaned[url.end() :])
    if "/" not in cleaned:
        cleaned = cleaned.replace("\\", "/")
    return os.path.expanduser(cleaned)


def has_drive(path: str) -> bool:
    """Return whether a path begins with a drive of Windows."""
    return _DRIVE.match(path) is not None


def nearest_paths(root: str, missing: str) -> list[str]:
    """Return a few files and directories below a root that are named like a missing one."""
    name = os.path.basename(missing.rstrip("/")).casefold()
    paths: dict[str, list[str]] = {}
    for path in map("/".join, _all_paths(root, with_plans=name in VIEWS)):
        if path.isprintable():
            paths.setdefault(os.path.basename(path).casefold(), []).append(path)
    if name not in paths:
        from difflib import get_close_matches

        close = get_close_matches(name, paths, 1, _SIMILARITY)
        name = close[0] if close else name
    archived_last = sorted(paths.get(name, ()), key=lambda path: _ARCHIVE in path)
    return archived_last[:_MAX_NEAREST]


def _all_paths(root: str, *, with_plans: bool) -> Iterator[tuple[str, ...]]:
    yield from _walk(root, ())
    for directory in PLAN_DIRECTORIES if with_plans else ():
        yield from _walk(root, (directory,))


def _walk(root: str, names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    try:
        fd = os.open(os.path.join(root, *names), _DIRECTORY_FLAGS)
    except OSError:
        return
    try:
        for entry in Walk(fd, _MAX_ENTRIES, in_plans=bool(names)):
            yield *names, *entry.path
    finally:
        os.close(fd)
