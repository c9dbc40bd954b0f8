"""Find the root of a workspace: the directory that has, or will have, the plans of a project.

Git is read, never run. What a project says about itself is believed only if it can be checked: a
worktree counts as one if the checkout that it names knows about it.
"""

from __future__ import annotations

import os
import re
from stat import S_ISDIR, S_ISREG, S_ISVTX
from typing import TYPE_CHECKING, Final

from outlast.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

PLANS_HOME: Final = ".outlast"
_GIT: Final = ".git"
_MAX_BYTES: Final = 4096
_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_BARE: Final = r"(?im)^\s*bare\s*=\s*(?:true|yes|on|1)\s*$"  # rarely compiled


def current_directory() -> str:
    """Return the current directory; raise `StoreError` if it was deleted."""
    try:
        return os.getcwd()
    except OSError as error:
        raise StoreError("no_directory", where=".") from error


def find_workspace_root(start: str, home: str = PLANS_HOME) -> str | None:
    """Return the nearest directory from `start` upwards that has plans; None if there is none.

    The search ends at the root of the git checkout; outside of git it covers only `start`. From a
    worktree it goes on at the same places of the main checkout.
    """
    start = os.path.realpath(start)
    root = find_git_root(start)
    if root is None:
        return start if _is_directory(os.path.join(start, home)) else None
    main = _main_checkout(root)
    for top in (root,) if main == root else (root, main):
        for directory in _ancestors(os.path.join(top, os.path.relpath(start, root)), top):
            if _is_directory(os.path.join(directory, home)):
                return directory
    return None


def default_workspace_root(start: str) -> str:
    """Return where a project's first plan belongs: the root of the main checkout, else `start`."""
    start = os.path.realpath(start)
    root = find_git_root(start)
    return start if root is None else _main_checkout(root)


def _ancestors(start: str, top: str) -> Iterator[str]:
    directory = os.path.normpath(start)
    while True:
        yield directory
        if directory in (top, os.sep):
            return
        directory = os.path.dirname(directory)


def find_git_root(start: str) -> str | None:
    """Return the nearest directory with a `.git`, valid or not.

    Above a sticky directory such as `/tmp`, where strangers may write, nothing is searched.
    """
    for directory in _ancestors(start, os.sep):
        if directory != start and _is_sticky(directory):
            return None
        if os.path.lexists(os.path.join(directory, _GIT)):
            return directory
    return None


def _is_sticky(directory: str) -> bool:
    try:
        return bool(os.stat(directory).st_mode & S_ISVTX)
    except OSError:
        return False


def _main_checkout(root: str) -> str:
    """Return the main checkout of a worktree; the root itself if it is no worktree."""
    own = os.path.join(root, _GIT)
    text = read_small_file(own)
    if not text.startswith("gitdir:"):
        return root
    private = _resolve(root, text.removeprefix("gitdir:").strip())
    common = os.path.dirname(os.path.dirname(private))
    is_worktree = (
        os.path.basename(os.path.dirname(private)) == "worktrees"
        and os.path.basename(common) == _GIT
        and _resolve(private, read_small_file(os.path.join(private, "commondir"))) == common
        and _resolve(private, read_small_file(os.path.join(private, "gitdir"))) == own
    )
    return os.path.dirname(common) if is_worktree and not _is_bare(common) else root


def _is_bare(common: str) -> bool:
    names = ("config", "config.worktree")
    return any(re.search(_BARE, read_small_file(os.path.join(common, name))) for name in names)


def _resolve(base: str, path: str) -> str:
    return os.path.realpath(os.path.join(base, path))


def _is_directory(path: str) -> bool:
    try:
        return S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def read_small_file(path: str, limit: int = _MAX_BYTES) -> str:
    """Return the first `limit` bytes of a text file; empty for anything else."""
    try:
        fd = os.open(path, _OPEN)
    except OSError:
        return ""
    try:
        data = os.read(fd, limit) if S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return ""
    finally:
        os.close(fd)
    return "" if b"\0" in data else os.fsdecode(data).rstrip("\r\n")
