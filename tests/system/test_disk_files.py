"""F7: a file is placed only where nothing is. F5: a refused write leaves nothing."""

import os
from errno import EIO, ENOSPC, EPERM
from pathlib import Path

import pytest

from outlast.system.disk import Disk, place_if_absent, write_atomically, write_temporary
from tests.store.faults import FaultyDisk, QuickDisk


class Unlinked(Disk):
    """A file system without hard links."""

    def __init__(self, errno: int = EPERM) -> None:
        self.errno = errno

    def link(self, old: str, new: str) -> None:
        raise OSError(self.errno, os.strerror(self.errno), old, None, new)


@pytest.mark.parametrize("disk", [Disk(), Unlinked()])
def test_f7_a_file_is_placed_only_where_nothing_is(disk: Disk, tmp_path: Path) -> None:
    path = tmp_path / "file"
    place_if_absent(disk, write_temporary(disk, str(path), b"first"), str(path))
    assert path.read_bytes() == b"first"
    new = write_temporary(disk, str(path), b"second")
    with pytest.raises(FileExistsError):
        place_if_absent(disk, new, str(path))
    assert path.read_bytes() == b"first"
    assert Path(new).read_bytes() == b"second"


def test_f7_a_disk_that_fails_is_not_asked_in_another_way(tmp_path: Path) -> None:
    disk, path = Unlinked(EIO), tmp_path / "file"
    with pytest.raises(OSError, match="Input/output error"):
        place_if_absent(disk, write_temporary(disk, str(path), b"first"), str(path))
    assert not path.exists()


@pytest.mark.parametrize("call", ["write", "sync", "rename"])
def test_f5_a_refused_write_leaves_no_file(call: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    disk = FaultyDisk(QuickDisk(), error=OSError(ENOSPC, ""))
    disk.deadly = call
    with pytest.raises(OSError, match=r"Errno"):
        write_atomically(disk, str(path), b"after", sync=True)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("file", b"before")]


def test_f7_a_stamp_changes_with_the_file_and_its_content(tmp_path: Path) -> None:
    disk, path = Disk(), tmp_path / "file"
    path.write_bytes(b"one")
    before = disk.stamp(str(path))
    assert disk.stamp(str(path)) == before
    path.write_bytes(b"three")
    assert disk.stamp(str(path)) != before
    before = disk.stamp(str(path))
    path.unlink()
    path.symlink_to("elsewhere")
    assert disk.stamp(str(path)) != before
