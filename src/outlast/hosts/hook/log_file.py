"""The log of the hooks: in the user's state directory, readable by the user only, and small."""

from __future__ import annotations

import os
from logging import FileHandler, Formatter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from io import TextIOWrapper

_LARGEST: Final = 1 << 20


class LogFile(FileHandler):
    """Appends to a file; one that has become too large is emptied first."""

    def __init__(self, path: str) -> None:
        """Open nothing before something is logged."""
        super().__init__(path, encoding="utf-8", delay=True)
        self.setFormatter(Formatter("%(asctime)s %(levelname)s %(message)s"))

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        try:
            os.makedirs(os.path.dirname(self.baseFilename), 0o700, exist_ok=True)  # noqa: PTH103, PTH120 - without the cost of pathlib
            fd = os.open(self.baseFilename, flags, 0o600)
            if os.fstat(fd).st_size > _LARGEST:
                os.ftruncate(fd, 0)
        except OSError:  # there is no place for it
            fd = os.open(os.devnull, flags)
        return open(fd, "a", encoding=self.encoding)  # noqa: PTH123 - a descriptor
