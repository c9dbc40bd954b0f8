"""The file `plan.json` in a plan's directory: a view, never written over what others put there.

Beside it `rendered.json` says of which revision it is and what was in it, so that a view is told
from somebody's own file.
"""

from __future__ import annotations

import os
from errno import EISDIR, ELOOP, ESPIPE
from typing import TYPE_CHECKING, Final
from zlib import crc32

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, encode
from msgspec.structs import replace

from outlast.errors import InvalidDocument
from outlast.system.clock import new_plan_id, now
from outlast.system.files import PRIVATE, SHARED, read_from, write_whole

if TYPE_CHECKING:
    from outlast.domain.commands import CreatePlan
    from outlast.domain.state import PlanState
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

PLAN_JSON: Final = "plan.json"
_MARK: Final = "rendered.json"
_ABSENT: Final = -1
_ODD: Final = -2  # no file, or too large to be looked into
_LARGEST: Final = 64 << 20  # bytes


class Rendered(Struct, frozen=True):
    """A view as it was written: its revision, its checksum, and that of the one before it."""

    revision: int = 0
    now: int = _ABSENT
    before: int = _ABSENT


_MARKS: Final = Decoder(Rendered)


class PlanJsonFile:
    """The view of one plan; it is written only by the holder of the plan's lock."""

    def __init__(self, directory: str, disk: Disk) -> None:
        """Look after the view in a directory."""
        self.path = os.path.join(directory, PLAN_JSON)
        self._mark = os.path.join(directory, _MARK)
        self._disk = disk

    # What somebody else wrote

    def read(self) -> bytes:
        """Return what is in the file; refuse one that is too large, unread."""
        return self._read(self.path)

    def parse(self, found: bytes, key: str) -> CreatePlan:
        """Return the plan that was found in the file; where it lies says what its key is."""
        from outlast.formats.plan_json_parse import parse

        return replace(parse(found, new_plan_id(), now()), key=key)

    def own(self, found: bytes) -> None:
        """Let what was found count as the view of the first revision."""
        self._note(Rendered(1, crc32(found)), PRIVATE)

    # What we write

    def is_ours(self, revision: int) -> bool:
        """Tell whether the file is the last view that was written, and is of this revision.

        Revision 0 stands for any.
        """
        rendered = self._rendered()
        if rendered.now in (_ABSENT, _ODD) or rendered.now != self._checksum():
            return False
        return revision in (0, rendered.revision)

    def write(self, state: PlanState, *, shared: bool) -> list[Notice]:
        """Write the view unless it says the same; put aside what is there and is not ours."""
        from outlast.formats import plan_json

        made = plan_json.write(state, with_key=False)
        mode = SHARED if shared else PRIVATE
        new, found, rendered = crc32(made), self._checksum(), self._rendered()
        if found == new:
            self._note(Rendered(state.revision, new), mode)
            return []
        told = []
        if found not in (_ABSENT, rendered.now, rendered.before):
            told.append(self._put_aside())
            found = _ABSENT
        self._note(Rendered(state.revision, new, found), mode)
        write_whole(self._disk, self.path, made, mode=mode)
        return told

    def _put_aside(self) -> Notice:
        text, what = ("view_put_aside", "edited") if self._is_plan() else ("view_damaged", "bad")
        kept = f"{self.path}.{what}-{now():%Y%m%dT%H%M%S.%f}"
        self._disk.rename(self.path, kept)
        return text, {"name": PLAN_JSON, "kept": kept}

    def _is_plan(self) -> bool:
        try:
            self.parse(self.read(), "")
        except (InvalidDocument, OSError):
            return False
        return True

    def _note(self, rendered: Rendered, mode: int) -> None:
        if rendered != self._rendered():
            write_whole(self._disk, self._mark, encode(rendered), mode=mode)

    def _rendered(self) -> Rendered:
        try:
            return _MARKS.decode(self._read(self._mark))
        except (OSError, DecodeError, RecursionError, InvalidDocument):
            return Rendered()

    def _checksum(self) -> int:
        try:
            return crc32(self.read())
        except FileNotFoundError:
            return _ABSENT
        except InvalidDocument:
            return _ODD
        except OSError as error:
            if error.errno not in (EISDIR, ELOOP, ESPIPE):
                raise
            return _ODD

    def _read(self, path: str) -> bytes:
        fd = self._disk.open(path, os.O_RDONLY, 0)
        try:
            _, size = self._disk.look(fd)
            if size > _LARGEST:
                raise InvalidDocument("document_too_large", where=path, limit=_LARGEST)
            return read_from(self._disk, fd, 0, size)
        finally:
            self._disk.close(fd)
