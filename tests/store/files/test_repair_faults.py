"""F6: a repair may be cut short anywhere; open stores follow it."""

import errno
import os
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import pytest

from outlast.errors import DamagedJournal, LockTimeout, StoreError, WriteFailed
from outlast.store.files.identity import renew_identity
from outlast.store.files.journal_file import JournalFile
from outlast.store.files.repair import is_sound, repair
from outlast.store.journal import split_lines
from outlast.store.port import Notice
from tests.store.faults import FaultyDisk, Killed, QuickDisk
from tests.store.files.damage import ADD, LINE, PATH, WHERE, SampleJournal, disk_with, flip_byte
from tests.store.observed_disk import ImpatientDisk, RecordingDisk
from tests.store.operations import (
    JOURNAL,
    LATEST,
    NOW,
    SNAPSHOT,
    change,
    fresh_directory,
    get_files,
    make_store,
    on_disk,
    open_store,
    put_files,
    state,
)
from tests.store.simulated_disk import SimulatedDisk


@pytest.fixture(scope="module")
def made() -> SampleJournal:
    return SampleJournal()


def damaged_files(path: Path) -> dict[str, bytes]:
    make_store(fresh_directory(path)).close()
    files = get_files(path)
    lines = files[JOURNAL].splitlines(keepends=True)
    return {JOURNAL: b"".join((*lines[:4], b"?\n", *lines[5:]))}


def calls_of(path: Path, files: dict[str, bytes]) -> tuple[list[str], dict[str, bytes]]:
    """Return the calls that a repair makes, and the files it leaves."""
    disk = FaultyDisk(QuickDisk())
    repair(str(put_files(path, files)), disk, LATEST)
    return disk.calls, get_files(path)


def test_f6_a_kill_at_any_call_leaves_the_damaged_journal_or_the_repaired_one(
    ram_path: Path,
) -> None:
    path = ram_path / "some-key"
    files = damaged_files(path)
    calls, after = calls_of(path, files)
    for at in range(1, len(calls) + 1):
        for torn in (0, 9) if calls[at - 1] == "write" else (0,):
            disk = FaultyDisk(QuickDisk(), at, torn=torn)
            with pytest.raises(Killed):
                repair(str(put_files(path, files)), disk, LATEST)
            found = get_files(path)
            assert found[JOURNAL] in (files[JOURNAL], after[JOURNAL])
            if found[JOURNAL] != files[JOURNAL]:
                assert files[JOURNAL] in [found[name] for name in found if "damaged" in name]
            repair(str(path), QuickDisk(), LATEST)
            assert get_files(path)[JOURNAL] == after[JOURNAL]
            open_store(path).close()
            assert not [name for name in get_files(path) if name.endswith(".new")]


@pytest.mark.parametrize("name", ["ENOSPC", "EIO", "EROFS", "EACCES"])
def test_f6_a_refused_call_is_a_typed_error_and_leaves_one_or_the_other(
    name: str, ram_path: Path
) -> None:
    path = ram_path / "some-key"
    files = damaged_files(path)
    calls, after = calls_of(path, files)
    for at in range(1, len(calls) + 1):
        disk = FaultyDisk(QuickDisk(), at, error=OSError(getattr(errno, name), name))
        with suppress(StoreError):
            repair(str(put_files(path, files)), disk, LATEST)
        found = get_files(path)[JOURNAL]
        assert found in (files[JOURNAL], after[JOURNAL])
        if found == files[JOURNAL]:
            repair(str(path), QuickDisk(), LATEST)
            assert get_files(path)[JOURNAL] == after[JOURNAL]


def test_f6_a_power_loss_leaves_the_damaged_journal_or_the_repaired_one(
    made: SampleJournal,
) -> None:
    damaged = flip_byte(made.data, made.ends[LINE] - 30)
    whole_run = FaultyDisk(disk_with(damaged))
    repair(WHERE, whole_run, LATEST)
    for at in range(1, len(whole_run.calls) + 1):
        for seed in range(6):
            inner = disk_with(damaged)
            with pytest.raises(Killed):
                repair(WHERE, FaultyDisk(inner, at), LATEST)
            inner.power_cut(Random(seed))  # noqa: S311 - repeatable
            if inner.get(PATH) != damaged:
                assert is_sound(split_lines(inner.get(PATH)), NOW)
                assert damaged in [inner.get(name) for name in inner.files if "damaged" in name]


class ReadOnlyDisk(SimulatedDisk):
    def open(self, path: str, flags: int, mode: int) -> int:
        if flags & 3:
            raise OSError(errno.EROFS, "Read-only file system")
        return super().open(path, flags, mode)


def test_f6_on_a_disk_that_can_only_be_read_it_is_refused(made: SampleJournal) -> None:
    disk = ReadOnlyDisk()
    disk.put(PATH, flip_byte(made.data, made.ends[LINE] - 30))
    with pytest.raises(WriteFailed) as caught:
        repair(WHERE, disk, LATEST)
    assert caught.value.text == "not_writable"
    disk.put(PATH, made.data)
    assert repair(WHERE, disk, LATEST) == []


class BusyDisk(SimulatedDisk):
    """A disk on which the journal is replaced whenever it was locked."""

    def lock(self, fd: int) -> None:
        super().lock(fd)
        self.put(PATH, self.get(PATH))


def test_f6_a_file_that_is_exchanged_all_the_time_is_given_up(made: SampleJournal) -> None:
    disk = BusyDisk()
    disk.put(PATH, flip_byte(made.data, made.ends[LINE] - 30))
    with pytest.raises(StoreError) as caught:
        repair(WHERE, disk, LATEST)
    assert caught.value.text == "store_busy"


class RepairingDisk(QuickDisk):
    """A disk on which the journal is repaired just before a lock on it is granted."""

    said: list[Notice]

    def lock(self, fd: int) -> None:
        if not hasattr(self, "said"):
            self.said = repair(self.where, QuickDisk(), LATEST)
        super().lock(fd)

    def __init__(self, where: Path) -> None:
        self.where = str(where)


def test_f6_open_stores_follow_the_repaired_journal(ram_path: Path) -> None:
    path = ram_path / "some-key"
    put_files(path, damaged_files(path))
    store, other = open_store(path), open_store(path)
    with pytest.raises(DamagedJournal):
        change(store, ADD)
    assert repair(str(path), QuickDisk(), LATEST)
    assert state(store) == on_disk(path)
    change(store, ADD)
    change(other, ADD)
    assert state(store) == state(other) == on_disk(path)
    assert [t.name for t in state(store)["tasks"].values()][-2:] == ["one more"] * 2


def test_f6_a_store_that_waits_for_the_lock_writes_to_the_repaired_journal(ram_path: Path) -> None:
    path = ram_path / "some-key"
    put_files(path, damaged_files(path))
    disk = RepairingDisk(path)
    store = open_store(path, disk)
    change(store, ADD)
    assert disk.said
    assert state(store) == on_disk(path)
    assert [t.name for t in state(store)["tasks"].values()][-1] == "one more"


# --- a journal that is missing ------------------------------------------------------------------


def lost_files(path: Path, eager: Callable[[], None]) -> dict[str, bytes]:
    eager()
    make_store(fresh_directory(path)).close()
    files = get_files(path)
    del files[JOURNAL]
    assert list(files) == [SNAPSHOT]
    return files


def test_f21_a_kill_at_any_call_leaves_the_snapshot_or_the_rebuilt_journal(
    ram_path: Path, eager: Callable[[], None]
) -> None:
    path = ram_path / "some-key"
    files = lost_files(path, eager)
    calls, after = calls_of(path, files)
    for at in range(1, len(calls) + 1):
        disk = FaultyDisk(QuickDisk(), at)
        with pytest.raises(Killed):
            repair(str(put_files(path, files)), disk, LATEST)
        assert files[SNAPSHOT] in get_files(path).values()
        repair(str(path), QuickDisk(), LATEST)
        assert set(after.values()) <= set(get_files(path).values())
        assert repair(str(path), QuickDisk(), LATEST) == []
        open_store(path).close()


def test_f21_a_refused_call_is_a_typed_error_and_leaves_the_snapshot(
    ram_path: Path, eager: Callable[[], None]
) -> None:
    path = ram_path / "some-key"
    files = lost_files(path, eager)
    calls, _ = calls_of(path, files)
    for at in range(1, len(calls) + 1):
        disk = FaultyDisk(QuickDisk(), at, error=OSError(errno.ENOSPC, ""))
        with suppress(StoreError):
            repair(str(put_files(path, files)), disk, LATEST)
        assert files[SNAPSHOT] in get_files(path).values()
        assert not [name for name in get_files(path) if name.endswith(".new")], calls[at - 1]
        repair(str(path), QuickDisk(), LATEST)
        assert repair(str(path), QuickDisk(), LATEST) == []


def test_f21_a_journal_that_is_put_back_meanwhile_is_left_alone(ram_path: Path) -> None:
    path = fresh_directory(ram_path / "some-key")
    make_store(path).close()
    files = get_files(path)
    (path / JOURNAL).unlink()

    class PutBack(QuickDisk):
        """Somebody puts the journal back while the repair waits for the lock."""

        def lock(self, fd: int) -> None:
            if not get_files(path):
                put_files(path, files)
            super().lock(fd)

    assert repair(str(path), PutBack(), LATEST) == []
    assert get_files(path) == files


# --- the identity of a plan ---------------------------------------------------------------------


def test_f19_an_identity_is_renewed_as_a_whole_or_not_at_all(ram_path: Path) -> None:
    path = ram_path / "some-key"
    make_store(fresh_directory(path)).close()
    files = get_files(path)
    torn = {JOURNAL: files[JOURNAL] + b'{"revision"'}
    counted = FaultyDisk(QuickDisk())
    renew_identity(str(put_files(path, torn)), counted, NOW, "other", "plan_new")
    after = get_files(path)
    with closing(open_store(path)) as store:
        assert store.read(lambda plan: (plan.id, plan.key)) == ("plan_new", "other")
    for at in range(1, len(counted.calls) + 1):
        disk = FaultyDisk(QuickDisk(), at)
        with pytest.raises(Killed):
            renew_identity(str(put_files(path, files)), disk, NOW, "other", "plan_new")
        assert get_files(path)[JOURNAL] in (files[JOURNAL], after[JOURNAL])
        disk = FaultyDisk(QuickDisk(), at, error=OSError(errno.EIO, ""))
        with suppress(StoreError):
            renew_identity(str(put_files(path, files)), disk, NOW, "other", "plan_new")
        assert get_files(path)[JOURNAL] in (files[JOURNAL], after[JOURNAL])


def test_f19_a_damaged_plan_is_repaired_before_it_gets_an_identity(ram_path: Path) -> None:
    path = ram_path / "some-key"
    files = damaged_files(path)
    with pytest.raises(DamagedJournal):
        renew_identity(str(put_files(path, files)), QuickDisk(), NOW, "other")
    assert get_files(path) == files


def test_f19_a_plan_that_may_only_be_read_keeps_its_identity(ram_path: Path) -> None:
    path = ram_path / "some-key"
    make_store(fresh_directory(path)).close()

    class ReadOnly(QuickDisk):
        """A disk that refuses every write."""

        def open(self, name: str, flags: int, mode: int) -> int:
            if flags & (os.O_RDWR | os.O_WRONLY):
                raise OSError(errno.EROFS, "")
            return super().open(name, flags, mode)

    files = get_files(path)
    with pytest.raises(WriteFailed) as caught:
        renew_identity(str(path), ReadOnly(), NOW, "other")
    assert caught.value.text == "not_writable"
    assert get_files(path) == files
    files = damaged_files(path)
    with pytest.raises(WriteFailed) as caught:
        repair(str(put_files(path, files)), ReadOnly(), NOW)
    assert caught.value.text == "not_writable"
    assert get_files(path) == files


def test_f19_an_identity_is_only_renewed_while_nobody_writes(ram_path: Path) -> None:
    path = ram_path / "some-key"
    make_store(fresh_directory(path)).close()
    files = get_files(path)
    with closing(JournalFile(str(path), QuickDisk())) as writer:
        writer.lock()
        with pytest.raises(LockTimeout):
            renew_identity(str(path), ImpatientDisk(), NOW, "other", "plan_new")
        assert get_files(path) == files
    renew_identity(str(path), ImpatientDisk(), NOW, "other", "plan_new")
    assert get_files(path) != files


def test_f2_the_copy_of_a_damaged_journal_is_durable_before_the_journal_is_replaced(
    ram_path: Path,
) -> None:
    path = ram_path / "some-key"
    put_files(path, damaged_files(path))
    disk = RecordingDisk()
    [(_, details), *_] = repair(str(path), disk, NOW)
    renames = [call for call in disk.calls if call[0] == "rename"]
    copied, replaced = (
        next(call for call in renames if call[2] == new)
        for new in (details["kept"], str(path / JOURNAL))
    )
    between = disk.calls[disk.calls.index(copied) : disk.calls.index(replaced)]
    assert ("sync directory", str(path)) in between
    for _, written, _ in (copied, replaced):
        assert disk.position("sync", written) < disk.calls.index(("rename", written, _))
