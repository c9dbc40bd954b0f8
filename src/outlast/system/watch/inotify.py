"""Changes of directories, as Linux tells of them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from ctypes import CDLL, get_errno
from errno import ENOSPC
from select import POLLIN, poll
from struct import Struct
from typing import Final

from outlast.system.logs import LOG

_MODIFY: Final = 0x2
_CLOSE_WRITE: Final = 0x8
_MOVED_FROM: Final = 0x40
_MOVED_TO: Final = 0x80
_CREATE: Final = 0x100
_DELETE: Final = 0x200
_DELETE_SELF: Final = 0x400
_MOVE_SELF: Final = 0x800
WHOLE_FILES: Final = _CLOSE_WRITE | _MOVED_TO | _CREATE
EVERY_WRITE: Final = (
    _MODIFY | _CREATE | _MOVED_FROM | _MOVED_TO | _DELETE | _DELETE_SELF | _MOVE_SELF
)
_OVERFLOW: Final = -1  # the watch of an event that stands for events that were lost
_EVENT: Final = Struct("iIII")  # watch, mask, cookie, length of the name that follows
_EVENT_BYTES: Final = 64 * 1024


class Inotify:
    """The changes of any number of directories, as one descriptor; -1 if there is none."""

    def __init__(self, mask: int) -> None:
        """Take what counts as a change."""
        self.fd, self._mask, self._is_full = -1, mask, False
        if sys.platform != "linux":
            return
        self._library = CDLL(None, use_errno=True)
        self.fd = int(self._library.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))
        if self.fd < 0:
            warn_of_polling()

    def watch(self, directory: str) -> int:
        """Watch a directory; return the number of its watch, -1 if it cannot be watched.

        A directory that is watched already keeps its number.
        """
        if self.fd < 0:
            return -1
        path = os.fsencode(directory)
        number = int(self._library.inotify_add_watch(self.fd, path, self._mask))
        if number < 0 and get_errno() == ENOSPC and not self._is_full:
            self._is_full = True
            warn_of_polling()
        return number

    def unwatch(self, number: int) -> None:
        """Watch a directory no longer; it may be gone."""
        if self.fd >= 0:
            self._library.inotify_rm_watch(self.fd, number)

    def read(self) -> set[int]:
        """Return the watches whose directories have changed since the last call.

        Those that an overflow has lost are missing; -1 is among the others then.
        """
        changed = set[int]()
        with suppress(BlockingIOError):
            while events := os.read(self.fd, _EVENT_BYTES) if self.fd >= 0 else b"":
                place = 0
                while place < len(events):
                    number, _, _, length = _EVENT.unpack_from(events, place)
                    changed.add(number)
                    place += _EVENT.size + length
        return changed

    def close(self) -> None:
        """Watch nothing any more."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)


def warn_of_polling() -> None:
    """Log why nothing is told, right after the call that failed."""
    LOG.warning("changes of files are polled: inotify: %s", os.strerror(get_errno()))


class DirectoryFeed:
    """Lets one thread sleep until some of many directories change, or another thread wakes it."""

    def __init__(self) -> None:
        self._changes = Inotify(EVERY_WRITE)
        self._bell, self._ring = os.pipe()
        os.set_blocking(self._bell, False)
        os.set_blocking(self._ring, False)
        self._poll = poll()
        self._poll.register(self._bell, POLLIN)
        if self._changes.fd >= 0:
            self._poll.register(self._changes.fd, POLLIN)

    def watch(self, directory: str) -> int:
        """Watch a directory; return the number of its watch, -1 if it cannot be watched."""
        return self._changes.watch(directory)

    def unwatch(self, number: int) -> None:
        """Watch a directory no longer."""
        self._changes.unwatch(number)

    def wake(self) -> None:
        """Let the thread that waits go on, or the next wait return at once."""
        with suppress(BlockingIOError):  # it has been rung often enough
            os.write(self._ring, b"\0")

    def wait(self, seconds: float) -> set[int] | None:
        """Sleep for at most so many seconds; return what has changed, or None for "anything"."""
        self._poll.poll(max(seconds, 0.0) * 1_000)
        with suppress(BlockingIOError):
            os.read(self._bell, _EVENT_BYTES)
        changed = self._changes.read()
        return None if _OVERFLOW in changed else changed

    def close(self) -> None:
        """Watch nothing any more. No other thread uses it by then."""
        self._changes.close()
        os.close(self._bell)
        os.close(self._ring)
