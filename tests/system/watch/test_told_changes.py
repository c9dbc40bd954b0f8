"""Changes of directories are told by the system, not polled."""

import asyncio
import logging
import os
import sys
from pathlib import Path

import pytest

from outlast.system.watch.directory_watch import DirectoryWatch
from tests.open_files import open_files

GUARD = 60

linux = pytest.mark.skipif(sys.platform != "linux", reason="others have no inotify")


@linux
@pytest.mark.parametrize("change", ["written", "moved", "made"])
def test_f9_a_change_ends_the_wait_at_once(
    tmp_path: Path, change: str, caplog: pytest.LogCaptureFixture
) -> None:
    watched, outside = tmp_path / "watched", tmp_path / "outside"
    watched.mkdir()
    outside.write_text("text")
    (watched / "old").write_text("text")

    async def see() -> None:
        watch = DirectoryWatch((str(watched),))
        try:
            match change:
                case "written":
                    (watched / "old").write_text("new")
                case "moved":
                    outside.rename(watched / "new")
                case _:
                    (watched / "new").mkdir()
            async with asyncio.timeout(GUARD):
                await watch.wait(100 * GUARD)  # also for a change that came before
            (watched / "old").read_text()
            with pytest.raises(TimeoutError):  # it was told once, and to read is no change
                async with asyncio.timeout(0.05):
                    await watch.wait(GUARD)
        finally:
            watch.close()

    with caplog.at_level(logging.WARNING):
        asyncio.run(see())
    assert caplog.records == []


@linux
def test_f9_the_system_tells_and_a_missing_directory_is_polled(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    watch = DirectoryWatch((str(tmp_path),))
    assert any("inotify" in path for path in open_files(os.getpid()))
    watch.close()
    watch.close()
    with caplog.at_level(logging.WARNING):
        polled = DirectoryWatch((str(tmp_path / "missing"),))
    assert not any("inotify" in path for path in open_files(os.getpid()))
    assert "polled" in caplog.text
    asyncio.run(polled.wait(0.01))
    polled.close()


@linux
def test_f12_a_child_does_not_inherit_a_watch(tmp_path: Path) -> None:
    watch = DirectoryWatch((str(tmp_path),))
    links = [entry for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]
    [number] = [int(entry.name) for entry in links if "inotify" in str(entry.readlink())]
    assert not os.get_inheritable(number)
    assert not os.get_blocking(number)
    watch.close()
