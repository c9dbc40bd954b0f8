"""Getting at the files of a workspace without being led out of it."""

from __future__ import annotations

import os
from typing import Final

_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
DIRECTORY: Final = _OPEN | os.O_DIRECTORY


class Inside:
    """A directory and what is below it. Links are followed as long as they stay there."""

    def __init__(self, root: str) -> None:
        """Take a directory."""
        self.root = os.path.realpath(root)

    def find(self, path: str) -> str | None:
        """Return where a path leads to, from the root on; None for what is outside."""
        named = os.path.join(self.root, path)
        try:
            real = os.path.realpath(named)
        except ValueError:  # of a NUL character
            return None
        except OSError:  # a link that was exchanged meanwhile; to open it is refused
            real = os.path.normpath(named)
        found = os.path.relpath(real, self.root)
        return None if found == os.pardir or found.startswith(os.pardir + os.sep) else found

    def open(self, found: str) -> int:
        """Open what `find` has found.

        Each directory is opened from within the one before, so that none can be exchanged for
        a link meanwhile.
        """
        fd = os.open(self.root, DIRECTORY)
        parts = [part for part in found.split(os.sep) if part != os.curdir]
        for place, part in enumerate(parts, 1):
            try:
                inner = open_in(fd, part, DIRECTORY if place < len(parts) else _OPEN)
            finally:
                os.close(fd)
            fd = inner
        return fd


def open_in(directory: int, name: str, flags: int = _OPEN) -> int:
    """Open something in an open directory; a link is refused, and nobody is waited for."""
    return os.open(name, flags, dir_fd=directory)
