"""Which directory is the workspace: the one that has, or is to have, the plans of a project.

Git is read, never run. Whatever a project says about itself is believed only as far as it can be
checked: a worktree counts as one if the checkout it names knows about it.
"""

from __future__ import annotations

import os
import re
from stat import S_ISDIR, S_ISREG, S_ISVTX
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME: Final = ".outlast"
_GIT: Final = ".git"
_ENOUGH: Final = 4096
_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_BARE: Final = r"(?im)^\s*bare\s*=\s*(?:true|yes|on|1)\s*$"  # compiled only if it is looked for


def find_home(start: str, home: str = HOME) -> str | None:
    """Return the nearest directory from `start` up that has plans; None if there is none.

    The search ends at the root of the git checkout, and outside of git where it began. From a
    worktree it goes on at the same places of the main checkout.
    """
    start = os.path.realpath(start)
    root = _git_root(start)
    if root is None:
        return start if _is_directory(os.path.join(start, home)) else None
    main = _main_checkout(root)
    for top in (root,) if main == root else (root, main):
        for directory in _upwards(os.path.join(top, os.path.relpath(start, root)), top):
            if _is_directory(os.path.join(directory, home)):
                return directory
    return None


def new_home(start: str) -> str:
    """Return where a project's first plan belongs: the main checkout's root, else `start`."""
    start = os.path.realpath(start)
    root = _git_root(start)
    return start if root is None else _main_checkout(root)


def _upwards(start: str, top: str) -> Iterator[str]:
    directory = os.path.normpath(start)
    while True:
        yield directory
        if directory in (top, os.sep):
            return
        directory = os.path.dirname(directory)


def _git_root(start: str) -> str | None:
    """Return the nearest directory with a `.git`, be it in order or not.

    A directory such as `/tmp`, where strangers may put things, is nobody's project from outside.
    """
    for directory in _upwards(start, os.sep):
        if directory != start and _is_for_everybody(directory):
            return None
        if os.path.lexists(os.path.join(directory, _GIT)):
            return directory
    return None


def _is_for_everybody(directory: str) -> bool:
    try:
        return bool(os.stat(directory).st_mode & S_ISVTX)
    except OSError:
        return False


def _main_checkout(root: str) -> str:
    """Return the checkout whose worktree this is, or the root itself if it is none."""
    own = os.path.join(root, _GIT)
    told = _read(own)
    if not told.startswith("gitdir:"):
        return root
    private = _resolved(root, told.removeprefix("gitdir:").strip())
    common = os.path.dirname(os.path.dirname(private))
    is_worktree = (
        os.path.basename(os.path.dirname(private)) == "worktrees"
        and os.path.basename(common) == _GIT
        and _resolved(private, _read(os.path.join(private, "commondir"))) == common
        and _resolved(private, _read(os.path.join(private, "gitdir"))) == own
    )
    return os.path.dirname(common) if is_worktree and not _is_bare(common) else root


def _is_bare(common: str) -> bool:
    names = ("config", "config.worktree")
    return any(re.search(_BARE, _read(os.path.join(common, name))) for name in names)


def _resolved(base: str, path: str) -> str:
    return os.path.realpath(os.path.join(base, path))


def _is_directory(path: str) -> bool:
    try:
        return S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _read(path: str) -> str:
    """Return the beginning of a small text file; nothing for whatever is none."""
    try:
        fd = os.open(path, _OPEN)
    except OSError:
        return ""
    try:
        data = os.read(fd, _ENOUGH) if S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return ""
    finally:
        os.close(fd)
    return "" if b"\0" in data else os.fsdecode(data).rstrip("\r\n")
