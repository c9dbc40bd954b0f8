"""Read the files of git. Git is read, never run: a project may configure it."""

from __future__ import annotations

import os
import re
from typing import Final

from outlast.system.workspace_root import find_git_root, read_small_file

_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH: Final = re.compile(r"ref: (refs/[^\s:?*\[\\^~]+)")
_PACKED_BYTES: Final = 4 * 1024 * 1024
_INDEX_BYTES: Final = 64 * 1024 * 1024


def read_commit(directory: str) -> str:
    """Return the commit that is checked out in a directory; empty without one."""
    root = find_git_root(os.path.realpath(directory))
    if root is None:
        return ""
    private = _private_directory(root)
    head = read_small_file(os.path.join(private, "HEAD"))
    if _COMMIT.fullmatch(head):
        return head
    branch = _BRANCH.fullmatch(head)
    if branch is None or ".." in branch[1]:
        return ""
    common = os.path.join(private, read_small_file(os.path.join(private, "commondir")))
    loose = read_small_file(os.path.join(common, branch[1]))
    return loose if _COMMIT.fullmatch(loose) else _packed_commit(common, branch[1])


def exclude_file(root: str) -> str:
    """Return the file that names what git ignores in a checkout on this machine only."""
    private = _private_directory(root)
    common = os.path.join(private, read_small_file(os.path.join(private, "commondir")))
    return os.path.join(os.path.normpath(common), "info", "exclude")


def is_tracked(root: str, path: str) -> bool:
    """Return whether git has a file of a checkout in its index, by its path from the root.

    An index that shortens paths (version 4) may hide it.
    """
    name = os.fsencode(path)
    entry = bytes([len(name) & 0xFF]) + name + b"\0"  # its length stands before a name
    try:
        with open(os.path.join(_private_directory(root), "index"), "rb") as file:
            return entry in file.read(_INDEX_BYTES)
    except OSError:
        return False


def _private_directory(root: str) -> str:
    """Return the directory of a checkout's own git files; a worktree names it in a file."""
    own = os.path.join(root, ".git")
    named = read_small_file(own)
    if not named.startswith("gitdir:"):
        return own
    return os.path.join(root, named.removeprefix("gitdir:").strip())


def _packed_commit(common: str, branch: str) -> str:
    packed = read_small_file(os.path.join(common, "packed-refs"), _PACKED_BYTES)
    for line in packed.splitlines():
        commit, _, name = line.partition(" ")
        if name == branch and _COMMIT.fullmatch(commit):
            return commit
    return ""
