"""Wait for changes of directories: told by the system on Linux, else by the end of a pause."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLOEXEC: Final = 0o2000000
_NONBLOCK: Final = 0o4000
_CLOSE_WRITE: Final = 0x8
_MOVED_TO: Final = 0x80
_CREATE: Final = 0x100
_EVENT_BYTES: Final = 64 * 1024


class DirectoryWatch:
    """Tells when files are closed after writing, created or moved in directories.

    A change between two waits is not lost: the next wait returns at once.
    """

    def __init__(self, directories: Sequence[str]) -> None:
        """Watch directories that exist; without help from the system every wait takes its time."""
        self._fd = _watch(directories)

    async def wait(self, seconds: float) -> None:
        """Return after a change, at the latest after so many seconds."""
        if self._fd < 0:
            await asyncio.sleep(seconds)
            return
        loop, changed = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._fd, changed.set)
        try:
            async with asyncio.timeout(seconds):
                await changed.wait()
        except TimeoutError:
            return
        finally:
            loop.remove_reader(self._fd)
        with suppress(BlockingIOError):
            os.read(self._fd, _EVENT_BYTES)

    def close(self) -> None:
        """Watch no longer."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def _watch(directories: Sequence[str]) -> int:
    """Return a descriptor that becomes readable with a change; -1 if the system has none."""
    if sys.platform != "linux":
        return -1
    from ctypes import CDLL, get_errno

    library = CDLL(None, use_errno=True)
    fd = int(library.inotify_init1(_CLOEXEC | _NONBLOCK))
    if fd < 0:
        LOG.warning("changes of files are polled: inotify: %s", os.strerror(get_errno()))
        return -1
    for directory in directories:
        mask = _CLOSE_WRITE | _MOVED_TO | _CREATE
        if library.inotify_add_watch(fd, os.fsencode(directory), mask) < 0:
            LOG.warning("changes of files are polled: inotify: %s", os.strerror(get_errno()))
            os.close(fd)
            return -1
    return fd
