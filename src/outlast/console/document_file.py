"""Files that people name: documents are written to them, and what of one was not read is told."""

from __future__ import annotations

import os
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

from outlast.errors import InvalidDocument, StoreError, Unconfirmed
from outlast.language import visible
from outlast.system.clock import now
from outlast.system.disk import PRIVATE, Disk, place_if_absent, write_temporary

if TYPE_CHECKING:
    from outlast.documents.markdown.document import UnparsedLine

STANDARD: Final = "-"  # the standard streams
_TEXTS: Final = {
    "task_plan_nested": "say_line_nested",
    "task_plan_box": "say_line_box",
    "import_need": "say_unread_need",
    "import_file": "say_unread_file",
    "import_link": "say_unread_link",
}


def write_document(path: str, data: bytes, *, overwrite: bool = False) -> str | None:
    """Write a new file.

    With `overwrite` an existing file is renamed first; its new name is returned.
    """
    disk, real = Disk(), os.path.realpath(path)
    try:
        if disk.exists(real) and not S_ISREG(disk.mode(real)):
            raise InvalidDocument("document_no_file", where=path)
        new = write_temporary(disk, real, data, sync=True, mode=PRIVATE)
        try:
            return _replace(disk, new, real, overwrite=overwrite)
        except BaseException:
            disk.remove(new)
            raise
    except FileExistsError as error:
        raise Unconfirmed("file_exists", path=path) from error
    except OSError as error:
        raise file_error(path, error) from error


def file_error(path: str, error: OSError) -> StoreError:
    """Return the error for a failed system call on a path."""
    return StoreError("file_failed", path=path, problem=os.strerror(error.errno or 0))


def _replace(disk: Disk, new: str, path: str, *, overwrite: bool) -> str | None:
    backup = None
    if overwrite and disk.exists(path):
        backup = f"{path}.{now():%Y%m%dT%H%M%S.%f}.bak"
        disk.rename(path, backup)
    place_if_absent(disk, new, path)
    return backup


def unread_notice(unread: UnparsedLine) -> tuple[str, dict[str, object]]:
    """Return the key of the text for an unread line, and its facts."""
    key = _TEXTS.get(unread.why, "say_line_unparsed")
    if unread.line and key == "say_unread_need":
        key = "say_unread_need_at"
    return key, {"line": unread.line, "line_text": visible(unread.text.strip())}
