"""F2: what is synced reaches the kernel. A simulated disk cannot show that."""

import os
from errno import EINVAL
from pathlib import Path

import pytest

from outlast.system.disk import Disk


def test_f2_a_sync_of_a_file_reaches_the_kernel(tmp_path: Path) -> None:
    disk = Disk()
    file = disk.open(f"{tmp_path}/file", os.O_RDWR | os.O_CREAT, 0o600)
    disk.sync(file)
    disk.close(file)
    pipe = os.pipe()
    try:
        with pytest.raises(OSError, match="Invalid argument") as refused:
            disk.sync(pipe[1])  # the kernel can sync no pipe, and says so
    finally:
        for end in pipe:
            os.close(end)
    assert refused.value.errno == EINVAL


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc")
def test_f2_a_sync_of_a_directory_reaches_the_kernel(tmp_path: Path) -> None:
    Disk().sync_directory(str(tmp_path))
    with pytest.raises(OSError, match="Invalid argument"):
        Disk().sync_directory("/proc/self")  # nothing there can be synced
