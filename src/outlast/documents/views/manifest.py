"""The manifest `rendered.json`: what we rendered into each view, to tell that from an edit."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec import DecodeError, Struct, field
from msgspec.json import Decoder, encode

from outlast.system.disk import Disk, place_if_absent, write_atomically, write_temporary
from outlast.system.stable_read import ABSENT, FileContent, read_stable

if TYPE_CHECKING:
    from collections.abc import Mapping


NAME: Final = "rendered.json"
LOST: Final = "lost"  # the mark of no commit, for a view that a repair has copied: rendered again


class ManifestEntry(Struct, frozen=True, omit_defaults=True):
    """A view as it was rendered: its checksum, and that of the content before.

    `revision` and `mark` are of the commit that it shows. `edited_at` is when the last edit that it
    replaced was written, in nanoseconds.
    """

    revision: int = 0
    checksum: int = field(default=ABSENT, name="now")
    previous: int = field(default=ABSENT, name="before")
    mark: str = ""
    edited_at: int = 0

    @property
    def is_adopted(self) -> bool:
        """Whether another program wrote the content, which is just becoming a plan."""
        return self.checksum == self.previous and not self.mark

    def is_own(self, content: FileContent, written_at: int) -> bool:
        """Return whether a content is ours; `written_at` is when the manifest was saved.

        The previous content counts as ours only if it was not saved again since: that is an edit.
        """
        if content.checksum == self.previous != ABSENT and content.stamp is not None:
            return content.checksum == self.checksum or content.stamp[2] <= written_at
        return content.checksum in (ABSENT, self.checksum)


NOT_RENDERED: Final = ManifestEntry()
Manifest = dict[str, ManifestEntry]
_DECODER: Final = Decoder(Manifest)


def load(directory: str, disk: Disk) -> tuple[Manifest, int]:
    """Return the entries by view name, and when they were saved, in nanoseconds.

    A manifest that is missing or unreadable has no entries, and was saved at 0.
    """
    try:
        content = read_stable(disk, os.path.join(directory, NAME))
        if content.stamp is None:
            return {}, 0
        return _DECODER.decode(content.data), content.stamp[2]
    except (OSError, DecodeError, RecursionError):
        return {}, 0


def save(directory: str, disk: Disk, entries: Mapping[str, ManifestEntry], mode: int) -> None:
    """Replace the manifest."""
    write_atomically(disk, os.path.join(directory, NAME), encode(entries), mode=mode)


def create(directory: str, disk: Disk, entries: Mapping[str, ManifestEntry], mode: int) -> None:
    """Save the manifest unless there is one: another process may have created the same plan."""
    path = os.path.join(directory, NAME)
    new = write_temporary(disk, path, encode(entries), mode=mode)
    try:
        place_if_absent(disk, new, path)
    except OSError as error:
        disk.remove(new)
        if not isinstance(error, FileExistsError):
            raise


def remove(directory: str, disk: Disk) -> None:
    """Remove the manifest, if there is one: no view counts as rendered then."""
    with suppress(FileNotFoundError):
        disk.remove(os.path.join(directory, NAME))
