"""The file `rendered.json`: of which revision each view is, so that it is told from an edit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, encode

from outlast.adapters.stores.views.file import ABSENT, read_whole
from outlast.errors import InvalidDocument
from outlast.system.files import put_in_place, write_beside, write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.adapters.stores.views.file import Found
    from outlast.system.disk import Disk

_MARK: Final = "rendered.json"


class Rendered(Struct, frozen=True, omit_defaults=True):
    """A view as it was written: its revision, its checksum, and that of what was there before."""

    revision: int = 0
    now: int = ABSENT
    before: int = ABSENT

    def has(self, found: Found, noted: int) -> bool:
        """Tell whether content is ours; `noted` is when this was written down.

        What was there before that, and was written since, is somebody's own.
        """
        if found.checksum == self.before != ABSENT and found.stamp is not None:
            return found.checksum == self.now or found.stamp[2] <= noted
        return found.checksum in (ABSENT, self.now)


NEVER: Final = Rendered()
Marks = dict[str, Rendered]
_MARKS: Final = Decoder(Marks)


def load(directory: str, disk: Disk) -> Marks:
    """Return what is known of each view by its name; what is no such file says nothing."""
    try:
        return _MARKS.decode(read_whole(disk, os.path.join(directory, _MARK)))
    except (OSError, DecodeError, RecursionError, InvalidDocument):
        return {}


def noted(directory: str, disk: Disk) -> int:
    """Return when that was written down."""
    try:
        return disk.stamp(os.path.join(directory, _MARK))[2]
    except OSError:
        return 0


def save(directory: str, disk: Disk, marks: Mapping[str, Rendered], mode: int) -> None:
    """Write down what is known of each view."""
    write_whole(disk, os.path.join(directory, _MARK), encode(marks), mode=mode)


def begin(directory: str, disk: Disk, marks: Mapping[str, Rendered], mode: int) -> None:
    """Write that down unless somebody has: who begins the same plan may be further already."""
    path = os.path.join(directory, _MARK)
    new = write_beside(disk, path, encode(marks), mode=mode)
    try:
        put_in_place(disk, new, path)
    except FileExistsError:
        disk.remove(new)
