"""Open files of a workspace without following a path or link out of it."""

from __future__ import annotations

import os
from typing import Final

from outlast.system.files import descend

_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
DIRECTORY_FLAGS: Final = _FILE_FLAGS | os.O_DIRECTORY


class WorkspaceFiles:
    """The files below one directory. A link is followed only if it stays inside."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)

    def resolve(self, path: str) -> str | None:
        """Return the real path relative to the root; None if it is outside."""
        joined = os.path.join(self.root, path)
        try:
            real = os.path.realpath(joined)
        except ValueError:  # a NUL character
            return None
        except OSError:  # a link was swapped meanwhile; `open` refuses it
            real = os.path.normpath(joined)
        relative = os.path.relpath(real, self.root)
        return (
            None if relative == os.pardir or relative.startswith(os.pardir + os.sep) else relative
        )

    def open(self, relative: str) -> int:
        """Open a path that `resolve` returned, without following a link."""
        parts = [part for part in relative.split(os.sep) if part != os.curdir]
        root = os.open(self.root, DIRECTORY_FLAGS)
        parent = descend(root, parts[:-1], _open_directory_at, os.close)
        return descend(parent, parts[-1:], open_at, os.close)


def _open_directory_at(directory: int, name: str) -> int:
    return open_at(directory, name, DIRECTORY_FLAGS)


def open_at(directory: int, name: str, flags: int = _FILE_FLAGS) -> int:
    """Open a name in an open directory; refuse links and never block."""
    return os.open(name, flags, dir_fd=directory)
