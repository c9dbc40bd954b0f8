"""F5: a failing disk call costs that change and nothing else."""

import errno
import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from outlast.errors import PlanNotFound, StoreError, WriteFailed
from outlast.model import commands as c
from outlast.store.store import Store
from outlast.system.disk import Disk
from tests.store.faults import ERRNOS, FaultyDisk, QuickDisk, refusal, sites
from tests.store.opening import new_files
from tests.store.operations import (
    CREATE,
    JOURNAL,
    NOW,
    OPERATIONS,
    change,
    fresh_directory,
    get_files,
    make_store,
    on_disk,
    open_store,
    put_files,
    state,
    templates,
)

ADD = (c.AddTasks((c.NewTask("when the fault was gone"),)),)
TRIED = OPERATIONS["several"]
Eager = Callable[[], None]


def copy_files(path: Path) -> Path:
    """Return a copy of a directory."""
    return put_files(path.with_name(f"{path.name}-copy"), get_files(path))


def sites_of_a_commit(path: Path, files: dict[str, bytes]) -> list[tuple[int, str]]:
    """Return the calls that a commit makes, numbered after the opening."""
    disk = FaultyDisk(QuickDisk())
    store = open_store(put_files(path, files), disk)
    first = len(disk.calls)
    change(store, TRIED)
    return sites(disk, first)


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("name", ERRNOS)
def test_f5_a_refused_call_leaves_the_old_plan_and_a_store_that_works(
    name: str,
    lasting: bool,  # noqa: FBT001 - a parameter
    ram_path: Path,
    eager: Eager,
) -> None:
    path = ram_path / "plan"
    for template, files in templates(ram_path / "made", eager).items():
        before = on_disk(put_files(path, files))
        for call, kind in sites_of_a_commit(path, files):
            place = f"{template}: {kind}, call {call}"
            disk = FaultyDisk(QuickDisk(), error=refusal(name), lasting=lasting)
            store = open_store(put_files(path, files), disk)
            disk.at = len(disk.calls) + call
            try:
                change(store, TRIED)
            except WriteFailed:
                assert state(store) == before, place
            else:
                assert state(store)["revision"] == before["revision"] + 1, place
            told = state(store)
            assert on_disk(path) == told, place
            disk.heal()
            change(store, ADD)
            assert state(store)["revision"] == told["revision"] + 1, place
            assert on_disk(path) == state(store), place
            store.close()
            assert not disk.held


@pytest.mark.parametrize("torn", [1, 60, 200])
def test_f5_a_disk_that_fills_up_within_a_line_leaves_the_old_plan(
    torn: int, ram_path: Path
) -> None:
    ram_path /= "plan"
    make_store(fresh_directory(ram_path)).close()
    before = on_disk(ram_path)
    for _ in range(2):
        disk = FaultyDisk(QuickDisk(), error=refusal("ENOSPC"), torn=torn, lasting=True)
        store = open_store(ram_path, disk)
        counting = FaultyDisk(QuickDisk())
        change(open_store(copy_files(ram_path), counting), TRIED)
        disk.at = counting.calls.index("write") + 1
        with pytest.raises(WriteFailed):
            change(store, TRIED)
        assert disk.calls[disk.at - 1] == "write"
        assert state(store) == before == on_disk(ram_path)
        disk.heal()
        store.close()
    store = open_store(ram_path)
    change(store, ADD)
    assert on_disk(ram_path) == state(store)


def open_and_close(path: Path, disk: Disk, expected: object) -> None:
    store = open_store(path, disk)
    try:
        assert state(store) == expected
    finally:
        store.close()


@pytest.mark.parametrize("name", ERRNOS)
def test_f5_a_call_refused_while_opening_or_closing_is_a_typed_error(
    name: str, ram_path: Path, eager: Eager
) -> None:
    path = ram_path / "plan"
    for template, files in templates(ram_path / "made", eager).items():
        before = on_disk(put_files(path, files))
        counting = FaultyDisk(QuickDisk())
        open_and_close(put_files(path, files), counting, before)
        for call, kind in sites(counting):
            disk = FaultyDisk(QuickDisk(), call, error=refusal(name))
            put_files(path, files)
            try:
                open_and_close(path, disk, before)
            except StoreError:
                pass
            except OSError:
                pytest.fail(f"{template}: {kind}, call {call}, is not told as a StoreError")
            assert not disk.held, f"{template}: {kind}, call {call}, leaves a file open"
            assert on_disk(path) == before


def open_and_read(path: Path, disk: FaultyDisk) -> tuple[Store, int]:
    """Return a store with something new to read, and how many calls it has made so far."""
    store = open_store(path, disk)
    change(open_store(path), ADD)
    return store, len(disk.calls)


@pytest.mark.parametrize("name", ERRNOS)
def test_f5_a_call_refused_while_reading_is_a_typed_error(
    name: str, ram_path: Path, eager: Eager
) -> None:
    path = ram_path / "plan"
    for template, files in templates(ram_path / "made", eager).items():
        store, first = open_and_read(put_files(path, files), disk := FaultyDisk(QuickDisk()))
        assert state(store) == on_disk(path)
        for call, kind in sites(disk, first):
            faulty = FaultyDisk(QuickDisk(), error=refusal(name))
            store, before = open_and_read(put_files(path, files), faulty)
            faulty.at = before + call
            with pytest.raises(StoreError):
                state(store)
            assert state(store) == on_disk(path), f"{template}: {kind}, call {call}"
            store.close()
            assert not faulty.held


@pytest.mark.parametrize("name", ERRNOS)
def test_f5_a_plan_that_cannot_be_made_can_be_made_later(name: str, ram_path: Path) -> None:
    path = ram_path / "plan"
    counting = FaultyDisk(QuickDisk())
    where = str(fresh_directory(path))
    new_files(where, counting, CREATE, author="ann", now=NOW).close()
    made = on_disk(path)
    for call, kind in sites(counting):
        disk = FaultyDisk(QuickDisk(), call, error=refusal(name))
        fresh_directory(path)
        try:
            new_files(where, disk, CREATE, author="ann", now=NOW).close()
        except StoreError:
            pass
        except OSError:
            pytest.fail(f"{kind}, call {call}, is not told as a StoreError")
        assert not disk.held, f"{kind}, call {call}, leaves a file open"
        try:
            found = on_disk(path)
        except PlanNotFound:
            new_files(where, QuickDisk(), CREATE, author="ann", now=NOW).close()
            found = on_disk(path)
        assert found == made
        assert list(get_files(path)) == [JOURNAL]


def test_f5_a_file_size_limit_is_reported_and_survived(tmp_path: Path) -> None:
    store = make_store(tmp_path, Disk())
    before = state(store)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / JOURNAL).stat().st_size + 50, hard))
    try:
        with pytest.raises(WriteFailed):
            change(store, TRIED)
        assert state(store) == before
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    change(store, TRIED)
    assert on_disk(tmp_path) == state(store)
    store.close()


class ReadOnlyDisk(QuickDisk):
    """A file system mounted read-only."""

    def __init__(self, number: int) -> None:
        self.number = number

    def _refuse(self) -> OSError:
        return OSError(self.number, os.strerror(self.number))

    def open(self, path: str, flags: int, mode: int) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY | os.O_CREAT | os.O_TRUNC):
            raise self._refuse()
        return super().open(path, flags, mode)

    def rename(self, old: str, new: str) -> None:  # noqa: ARG002 - refused unseen
        raise self._refuse()

    def remove(self, path: str) -> None:  # noqa: ARG002 - refused unseen
        raise self._refuse()


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EPERM])
def test_f5_a_read_only_plan_can_be_read_and_says_that_it_cannot_be_changed(
    number: int, ram_path: Path, eager: Eager
) -> None:
    path = ram_path / "plan"
    for files in templates(ram_path / "made", eager).values():
        before = on_disk(put_files(path, files))
        put_files(path, files)
        store = open_store(path, ReadOnlyDisk(number))
        assert state(store) == before
        with pytest.raises(WriteFailed):
            change(store, ADD)
        assert state(store) == before
        store.close()
        assert get_files(path) == files


class FixedNames(ReadOnlyDisk):
    """A directory that cannot be changed, with files that can."""

    def open(self, path: str, flags: int, mode: int) -> int:
        if flags & os.O_CREAT:
            raise self._refuse()
        return QuickDisk.open(self, path, flags, mode)


def test_f5_a_directory_without_permission_to_write_can_be_read(
    ram_path: Path, eager: Eager
) -> None:
    path = ram_path / "plan"
    for template, files in templates(ram_path / "made", eager).items():
        before = on_disk(put_files(path, files))
        put_files(path, files)
        try:
            store = open_store(path, FixedNames(errno.EACCES))
        except OSError:
            pytest.fail(f"{template} cannot be read")
        assert state(store) == before
        store.close()
