"""F5: without room, or on a failing disk, the change is lost and the plan is not."""

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from outlast.errors import DamagedJournal, StoreError, WriteFailed
from outlast.language import explain
from outlast.model import commands as c
from outlast.store.port import Request
from outlast.store.sqlite.errors import read_error, write_error
from tests.small_disks import fill_disk, mount_small_disk
from tests.store.operations import CREATE, NOW, fresh_directory
from tests.store.sqlite.databases import (
    ADD,
    NAME,
    begin,
    change,
    connection_of,
    database,
    make_store,
    on_disk,
    open_store,
    state,
)

LONG = (c.AddTasks((c.NewTask("long", reasoning="x" * 20_000),)),)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    with mount_small_disk(tmp_path, 1024) as path:
        yield path


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """Limit the size of every file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_f5_a_change_that_does_not_fit_leaves_the_plan_as_it_was(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)
    log = (ram_path / f"{NAME}-wal").stat().st_size
    refused = 0
    for room in range(0, 40_000, 1000):
        with no_file_beyond(log + room):
            try:
                change(store, LONG)
            except WriteFailed as error:
                refused += 1
                failed = error
            else:
                break
            assert failed.text in ("write_failed", "write_unknown")
            assert state(store) == before
        assert on_disk(ram_path) == before
    assert refused > 10
    assert state(store)["revision"] == before["revision"] + 1
    assert change(store, ADD).revision == before["revision"] + 2
    assert state(store) == on_disk(ram_path)
    store.close()


def test_f5_a_full_database_costs_the_change_and_nothing_else(ram_path: Path) -> None:
    store = make_store(ram_path)
    [(pages,)] = connection_of(store).execute("pragma page_count").fetchall()
    connection_of(store).execute(f"pragma max_page_count = {pages + 3}")
    before = state(store)
    for _ in range(3):
        with pytest.raises(WriteFailed) as caught:
            change(store, LONG)
        assert caught.value.details == {
            "where": str(ram_path / NAME),
            "problem": "database or disk is full",
        }
        assert state(store) == before == on_disk(ram_path)
    assert isinstance(
        store.submit(Request(LONG, "ann", NOW), lambda *_: 1).exception(30), WriteFailed
    )
    connection_of(store).execute("pragma max_page_count = 1000000")
    assert change(store, LONG).revision == before["revision"] + 1
    assert state(store) == on_disk(ram_path)
    store.close()


def test_f5_a_full_file_system_costs_the_change_and_nothing_else(small: Path) -> None:
    plan = fresh_directory(small / "plan")
    store = make_store(plan)
    before = state(store)
    filler = fill_disk(small)
    while True:
        try:
            change(store, LONG)
        except WriteFailed:
            break
        before = state(store)
    assert state(store) == before
    store.close()
    with closing(open_store(plan)) as again:
        assert state(again) == before
        filler.unlink()
        assert change(again, ADD).revision == before["revision"] + 1
    assert on_disk(plan)["revision"] == before["revision"] + 1


def test_f5_a_snapshot_that_does_not_fit_is_only_a_notice(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)
    with no_file_beyond((ram_path / f"{NAME}-wal").stat().st_size):
        store.replica.save_snapshot()  # at this very moment
    assert [key for key, _ in store.notices] == ["snapshot_failed"]
    assert state(store) == before == on_disk(ram_path)
    store.close()


def test_f5_no_plan_is_begun_where_there_is_no_room(ram_path: Path) -> None:
    with no_file_beyond(1000), pytest.raises(WriteFailed):
        database(ram_path).create(CREATE, "ann", NOW)
    assert list(ram_path.iterdir()) == []
    begin(ram_path).close()
    assert on_disk(ram_path)["revision"] == 1


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        (sqlite3.SQLITE_IOERR_FSYNC, WriteFailed, "write_unknown"),
        (sqlite3.SQLITE_IOERR_WRITE, WriteFailed, "write_failed"),
        (sqlite3.SQLITE_FULL, WriteFailed, "write_failed"),
        (sqlite3.SQLITE_NOMEM, WriteFailed, "write_failed"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, WriteFailed, "not_writable"),
        (sqlite3.SQLITE_BUSY_RECOVERY, WriteFailed, "database_locked"),
        (sqlite3.SQLITE_PROTOCOL, WriteFailed, "database_locked"),
        (sqlite3.SQLITE_CORRUPT_INDEX, DamagedJournal, "database_damaged"),
        (sqlite3.SQLITE_NOTADB, StoreError, "not_a_database"),
    ],
)
def test_f5_every_sqlite_error_becomes_a_typed_error(
    code: int, kind: type[StoreError], text: str
) -> None:
    error = sqlite3.OperationalError("said")
    error.sqlite_errorcode = code
    made = write_error("here", error)
    assert (type(made), made.text) == (kind, text)
    assert isinstance(read_error("here", error), StoreError)


def test_f5_an_os_error_becomes_a_typed_error() -> None:
    assert read_error("here", OSError(13, "")).details["problem"] == "Permission denied"
    assert write_error("here", OSError(28, "")).text == "write_failed"


def malformed() -> sqlite3.DatabaseError:
    """Return the error of SQLite for a malformed database, and for one that cannot be read."""
    error = sqlite3.DatabaseError("database disk image is malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def test_f5_a_failed_read_of_a_whole_database_is_not_called_damage(ram_path: Path) -> None:
    make_store(ram_path).close()
    path = str(ram_path / NAME)
    error = read_error(path, malformed())
    assert not isinstance(error, DamagedJournal)
    assert explain(error) == (
        f"{path}: Input/output error; nothing was changed, try again when this is fixed"
    )
    assert write_error(path, malformed()).text == "write_failed"


def test_f6_a_malformed_database_names_its_repair_in_both_languages(ram_path: Path) -> None:
    make_store(ram_path).close()
    file = ram_path / NAME
    file.write_bytes(file.read_bytes()[:9000])
    for error in (read_error(str(file), malformed()), write_error(str(file), malformed())):
        assert isinstance(error, DamagedJournal)
        for language in ("en", "zh"):
            assert f"`outlast doctor --repair sqlite:///{file}`" in explain(error, language)
