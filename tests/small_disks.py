"""Disks that are soon full."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mount_small_disk(path: Path, kilobytes: int) -> Iterator[Path]:
    """Mount a file system of this size; skip the test where that is not allowed."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if not mount or not umount:
        pytest.skip("there is no mount")
    size = ("-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs")
    done = subprocess.run([mount, *size, str(path)], capture_output=True, check=False)  # noqa: S603 - ours
    if done.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        yield path
    finally:
        subprocess.run([umount, "--lazy", str(path)], check=True)  # noqa: S603 - ours


def fill_disk(directory: Path) -> Path:
    """Fill the file system of a directory; return the file that does."""
    filler = directory / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 512):
                pass
        except OSError:
            return filler
    raise AssertionError


def make_read_only(path: Path) -> None:
    """Let a mounted file system be read only."""
    mount = shutil.which("mount")
    assert mount is not None
    subprocess.run([mount, "-o", "remount,ro", str(path)], check=True)  # noqa: S603 - ours
