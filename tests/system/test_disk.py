"""F1: every method of the disk does what its name says, and so does an atomic write."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from outlast.system.disk import Disk, take_lock, write_atomically

READ_WRITE = os.O_RDWR | os.O_CREAT | os.O_APPEND


def test_f1_every_call_does_what_it_says(tmp_path: Path) -> None:
    disk = Disk()
    directory, path = str(tmp_path / "d"), str(tmp_path / "d" / "file")
    disk.make_directory(directory, 0o700)
    assert (tmp_path / "d").stat().st_mode & 0o777 == 0o700
    fd = disk.open(path, READ_WRITE, 0o600)
    assert (tmp_path / "d" / "file").stat().st_mode & 0o777 == 0o600
    assert not os.get_inheritable(fd)
    assert disk.write(fd, b"hello") == 5
    assert disk.write(fd, b" world") == 6
    disk.sync(fd)
    disk.sync_directory(directory)
    assert disk.stat(fd) == (1, 11)
    assert disk.read(fd, 6, 100) == b"world"
    assert disk.read(fd, 100, 1) == b""
    disk.truncate(fd, 5)
    assert disk.write(fd, b"!") == 1
    assert disk.read(fd, 0, 100) == b"hello!"
    disk.close(fd)
    with pytest.raises(OSError, match="Bad file descriptor"):
        disk.stat(fd)
    disk.rename(path, f"{path}.b")
    (tmp_path / "d" / "a").touch()
    assert disk.list_directory(directory) == ["a", "file.b"]
    disk.remove(f"{path}.b")
    assert disk.list_directory(directory) == ["a"]
    with pytest.raises(FileExistsError):
        disk.make_directory(directory, 0o700)


def test_f3_a_lock_is_waited_for_also_within_one_process(tmp_path: Path) -> None:
    disk, path = Disk(), str(tmp_path / "file")
    first, second = (disk.open(path, READ_WRITE, 0o600) for _ in range(2))
    disk.lock(first)
    with pytest.raises(BlockingIOError):
        disk.lock(second)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(take_lock, disk, second, path)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.05)
        disk.unlock(first)
        waiting.result(timeout=10)
    disk.close(second)
    disk.lock(first)
    disk.close(first)


def test_a10_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="symbolic"):
        Disk().open(str(tmp_path / "link"), os.O_RDONLY, 0)


class Halting(Disk):
    """A disk that writes a few bytes at a time, and at last none."""

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, fd: int, data: bytes) -> int:
        if not self.room:
            raise OSError(28, "full")
        done = super().write(fd, data[: min(3, self.room)])
        self.room -= done
        return done


@pytest.mark.parametrize("sync", [False, True])
def test_f1_a_file_is_written_whole_in_spite_of_short_writes(
    sync: bool,  # noqa: FBT001 - a parameter
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    write_atomically(Halting(100), str(path), b"0123456789", sync=sync)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"0123456789"
    assert path.stat().st_mode & 0o777 == 0o600


def test_f5_a_file_that_does_not_fit_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="full"):
        write_atomically(Halting(5), str(path), b"0123456789")
    assert path.read_bytes() == b"old"
