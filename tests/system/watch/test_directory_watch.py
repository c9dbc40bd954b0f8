"""Directories whose changes the system tells of, and those that are polled."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import pytest

from outlast.system.disk import tells_of_changes
from outlast.system.watch.directory_watch import DirectoryWatch
from outlast.system.watch.inotify import DirectoryFeed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of changes")
PATIENCE = 30.0  # seconds: a guard against hanging


def append(place: Path) -> None:
    with (place / "file").open("a") as file:
        file.write("more")


def replace(place: Path) -> None:
    (place.parent / "new").write_text("new")
    (place.parent / "new").rename(place / "file")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a write": append,
    "a new file": lambda place: (place / "new").touch(),
    "a replaced file": replace,
}
WRITES: dict[str, Callable[[Path], object]] = {
    **CHANGES,
    "a file that stays open": lambda place: os.write(os.open(place / "file", os.O_WRONLY), b"x"),
    "a truncation": lambda place: os.truncate(place / "file", 1),
    "a removal": lambda place: (place / "file").unlink(),
    "a file that is taken away": lambda place: (place / "file").rename(place.parent / "away"),
    "its own new name": lambda place: place.rename(place.parent / "away"),
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "watched"
    made.mkdir()
    (made / "file").write_text("content")
    return made


@pytest.fixture
def feed() -> Iterator[DirectoryFeed]:
    made = DirectoryFeed()
    yield made
    made.close()


@pytest.mark.parametrize("change", CHANGES)
def test_o10_a_change_of_a_directory_is_told(
    change: str, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    watch = DirectoryWatch((str(place.parent), str(place)))

    async def wait_for_it() -> None:
        CHANGES[change](place)
        async with asyncio.timeout(PATIENCE):
            await watch.wait(2 * PATIENCE)
        with pytest.raises(TimeoutError):  # it is told once
            async with asyncio.timeout(0.05):
                await watch.wait(PATIENCE)
        await watch.wait(0.01)

    assert watch.is_told
    asyncio.run(wait_for_it())
    watch.close()
    assert "polled" not in caplog.text


def test_o10_what_cannot_be_watched_is_polled_and_said(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    watch = DirectoryWatch((str(place), str(place / "nowhere")))
    assert not watch.is_told
    assert "changes of files are polled: inotify: No such file" in caplog.text
    asyncio.run(watch.wait(0.01))
    watch.close()


@pytest.mark.parametrize("change", WRITES)
def test_x1_every_write_in_a_directory_is_told(
    change: str, place: Path, feed: DirectoryFeed, caplog: pytest.LogCaptureFixture
) -> None:
    number = feed.watch(str(place))
    assert number >= 0
    assert feed.watch(str(place)) == number
    assert feed.wait(0) == set()
    WRITES[change](place)
    assert feed.wait(PATIENCE) == {number}
    assert feed.wait(0) == set()
    assert not caplog.text


def test_x1_what_changed_is_told_apart(tmp_path: Path, feed: DirectoryFeed) -> None:
    places = [tmp_path / str(number) for number in range(5)]
    for place in places:
        place.mkdir()
    numbers = [feed.watch(str(place)) for place in places]
    for place in places[1:4]:
        for name in ("a", "a longer name", "b" * 200):
            (place / name).touch()
    assert feed.wait(PATIENCE) == {*numbers[1:4]}
    feed.unwatch(numbers[1])
    feed.wait(0)  # that it is watched no longer is told too
    (places[1] / "c").touch()
    assert feed.wait(0) == set()
    assert feed.watch(str(tmp_path / "nowhere")) == -1


def test_x1_another_thread_wakes_the_one_that_sleeps(feed: DirectoryFeed) -> None:
    for _ in range(100_000):  # more than a pipe holds
        feed.wake()
    assert feed.wait(PATIENCE) == set()


def test_x1_file_systems_of_others_tell_too_little() -> None:
    kinds = ("ext4", "btrfs", "xfs", "tmpfs", "overlay", "", "nfs4", "9p", "virtiofs", "fuse.x")
    told = [kind for kind in kinds if tells_of_changes(kind)]
    assert told == ["ext4", "btrfs", "xfs", "tmpfs", "overlay", ""]
