"""Wait for changes of directories: told by the system on Linux, else by the end of a pause."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from outlast.system.watch.inotify import WHOLE_FILES, Inotify, warn_of_polling

if TYPE_CHECKING:
    from collections.abc import Sequence


class DirectoryWatch:
    """Tells when files are closed after writing, created or moved in directories.

    A change between two waits is not lost: the next wait returns at once.
    """

    def __init__(self, directories: Sequence[str]) -> None:
        """Watch directories that exist; without help from the system every wait takes its time."""
        self._changes = Inotify(WHOLE_FILES)
        if self.is_told and any(self._changes.watch(each) < 0 for each in directories):
            warn_of_polling()
            self._changes.close()

    @property
    def is_told(self) -> bool:
        """Whether the system tells of changes."""
        return self._changes.fd >= 0

    async def wait(self, seconds: float) -> None:
        """Return after a change, at the latest after so many seconds."""
        fd = self._changes.fd
        if fd < 0:
            await asyncio.sleep(seconds)
            return
        loop, changed = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(fd, changed.set)
        try:
            async with asyncio.timeout(seconds):
                await changed.wait()
        except TimeoutError:
            return
        finally:
            loop.remove_reader(fd)
        self._changes.read()

    def close(self) -> None:
        """Watch no longer."""
        self._changes.close()
