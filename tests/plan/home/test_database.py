"""A5, A10, F10, F18: which files are opened as a database of plans, and which are refused."""

import gc
import multiprocessing
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from outlast.errors import (
    InvalidArgument,
    InvalidStatus,
    LockTimeout,
    PlanExists,
    PlanNotFound,
    StoreError,
    UnsuitableFileSystem,
)
from outlast.language import explain
from outlast.model import commands as c
from outlast.plan.home.database import create_database
from outlast.store.port import Request
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.observed_disk import ImpatientDisk, RecordingDisk
from tests.store.operations import CREATE, NOW, get_files, put_files
from tests.store.sqlite.databases import (
    ADD,
    KEY,
    NAME,
    begin,
    change,
    database,
    make_store,
    on_disk,
    open_store,
    sql,
    state,
    use_as_another_user,
)

SPAWN = multiprocessing.get_context("spawn")
ATTEMPTS: tuple[Callable[[Path], object], ...] = (
    open_store,
    begin,
    lambda path: database(path).plan_keys(),
)


class Elsewhere(QuickDisk):
    """A disk on a network file system."""

    def file_system(self, path: str) -> str:  # noqa: ARG002 - the name of the seam
        return "nfs4"


def modes(path: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.iterdir()}


@pytest.mark.parametrize(("shared", "mask", "expected"), [(False, 0, 0o600), (True, 0o007, 0o660)])
def test_a5_only_the_owner_reads_a_database_unless_it_is_shared(
    shared: bool,  # noqa: FBT001 - a parameter of the test
    mask: int,
    expected: int,
    ram_path: Path,
) -> None:
    before = os.umask(mask)
    try:
        store = database(ram_path).create(CREATE, "ann", NOW, shared=shared)
        change(store, ADD)
        assert modes(ram_path) == {NAME + end: expected for end in ("", "-wal", "-shm")}
        store.close()
        assert modes(ram_path) == {NAME: expected}
    finally:
        os.umask(before)


def _refused(path: Path, text: str) -> None:
    before = {file: file.read_bytes() for file in path.iterdir() if file.is_file()}
    for attempt in ATTEMPTS:
        with pytest.raises(StoreError) as caught:
            attempt(path)
        assert caught.value.text == text
        assert explain(caught.value)
    assert {file: file.read_bytes() for file in path.iterdir() if file.is_file()} == before


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"# A plan\n" * 1000, b"SQLite format 3\x00", b"SQLite format 3\x00" * 300],
)
def test_f10_a_file_that_is_no_database_is_left_alone(content: bytes, ram_path: Path) -> None:
    (ram_path / NAME).write_bytes(content)
    _refused(ram_path, "not_a_database")


@pytest.mark.parametrize("wal", [True, False])
def test_f10_the_database_of_another_program_is_left_alone(
    wal: bool,  # noqa: FBT001 - a parameter of the test
    ram_path: Path,
) -> None:
    source = ram_path / "source.db"
    with closing(sqlite3.connect(source, isolation_level=None)) as other:
        if wal:
            other.execute("pragma journal_mode = wal")
        other.execute("create table plans (id, key)")
        place = ram_path / "place"
        place.mkdir()
        for end in ("", "-wal"):
            if Path(f"{source}{end}").exists():
                shutil.copy(f"{source}{end}", place / f"{NAME}{end}")
    _refused(place, "not_a_database")


@pytest.mark.parametrize("kind", ["link", "link to nowhere", "pipe", "directory"])
@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
def test_f10_what_is_no_plain_file_is_not_opened(kind: str, end: str, ram_path: Path) -> None:
    target = ram_path / "elsewhere"
    target.mkdir()
    make_store(target).close()
    place = ram_path / "place"
    if end:
        shutil.copytree(target, place)
    else:
        place.mkdir()
    odd = place / f"{NAME}{end}"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "directory":
        odd.mkdir()
    else:
        odd.symlink_to(target / (NAME if kind == "link" else "nothing"))
    if kind == "link to nowhere" and not end:
        with pytest.raises(StoreError):
            open_store(place)
        with pytest.raises(StoreError):
            begin(place)
        assert not (target / "nothing").exists()
        return
    _refused(place, "no_plain_file")
    assert on_disk(target)["revision"] == 7


@pytest.mark.parametrize("end", ["-wal", "-journal"])
def test_f10_the_log_of_a_deleted_database_is_not_applied(end: str, ram_path: Path) -> None:
    store = make_store(ram_path)
    log = get_files(ram_path)[f"{NAME}-wal"]
    store.close()
    put_files(ram_path, {f"{NAME}{end}": log})
    with pytest.raises(StoreError) as caught:
        begin(ram_path)
    assert str(ram_path / f"{NAME}{end}") in explain(caught.value)
    assert get_files(ram_path) == {f"{NAME}{end}": log}
    put_files(ram_path, {f"{NAME}{end}": b"", f"{NAME}-shm": b"x"})
    begin(ram_path).close()
    assert on_disk(ram_path)["revision"] == 1


def test_f10_any_name_that_a_directory_may_have_will_do(ram_path: Path) -> None:
    for name in (b"a?b#c%41 d", b"\xff", "键".encode(), b"file:x"):
        place = ram_path / os.fsdecode(name)
        place.mkdir()
        make_store(place).close()
        assert on_disk(place)["revision"] == 7
        assert [path.name for path in place.iterdir()] == [NAME]


@pytest.mark.parametrize(
    "program",
    [
        "create trigger t after insert on commits begin delete from plans; end",
        "create view v as select 1",
    ],
)
def test_a10_a_database_that_does_things_itself_is_refused(program: str, ram_path: Path) -> None:
    make_store(ram_path).close()
    sql(ram_path, program)
    _refused(ram_path, "not_a_database")


def test_f18_nothing_is_made_or_opened_on_a_network(ram_path: Path) -> None:
    with pytest.raises(UnsuitableFileSystem):
        database(ram_path, Elsewhere())
    assert get_files(ram_path) == {}


def test_r0_01_a_missing_plan_is_reported(ram_path: Path) -> None:
    with pytest.raises(PlanNotFound) as caught:
        open_store(ram_path)
    assert (caught.value.text, caught.value.details["candidates"]) == ("no_plan_there", [])
    assert get_files(ram_path) == {}
    assert database(ram_path).plan_keys() == []
    begin(ram_path).close()
    with pytest.raises(PlanNotFound) as caught:
        database(ram_path).open("another", NOW)
    assert caught.value.details["candidates"] == [KEY]
    with pytest.raises(PlanExists):
        begin(ram_path)
    with pytest.raises(StoreError) as nowhere:
        database(ram_path / "nothing")
    assert nowhere.value.text == "no_directory"
    with pytest.raises(InvalidArgument):
        database(ram_path).create(replace(CREATE, key="x"), "ann", NOW, layout="sessions")
    assert database(ram_path).plan_keys() == [KEY]


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_x6_the_plans_of_a_database_share_a_connection_that_goes_with_the_last(
    ram_path: Path,
) -> None:
    home = database(ram_path)
    gc.collect()  # what other tests have left would be closed meanwhile
    before = descriptors()
    first = home.create(replace(CREATE, key="first"), "ann", NOW)
    with_one = descriptors()
    for n in range(50):
        home.create(replace(CREATE, key=f"plan {n}"), "ann", NOW).close()
    stores = [home.open(f"plan {n}", NOW) for n in range(50)]
    for store in stores:
        assert change(store, ADD).revision == 2
    assert descriptors() == with_one
    for store in stores:
        store.close()
    assert descriptors() == with_one
    assert change(first, ADD).revision == 2
    first.close()
    assert descriptors() == before
    assert len(home.plan_keys()) == 51
    assert descriptors() == before


def test_x6_plans_of_a_database_are_used_by_threads_at_the_same_time(ram_path: Path) -> None:
    home = database(ram_path)
    stores = [home.create(replace(CREATE, key=f"{n}"), "ann", NOW) for n in range(8)]

    def work(number: int) -> int:
        own, neighbour = stores[number], stores[(number + 1) % len(stores)]
        for _ in range(20):
            change(own, ADD)
            own.read(lambda _: neighbour.read(lambda state: state.revision))
        revision: int = state(own)["revision"]
        return revision

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [21] * 8
    for store in stores:
        store.close()


def test_x6_the_answer_of_a_commit_cannot_change_another_plan_of_the_database(
    ram_path: Path,
) -> None:
    home = database(ram_path)
    first, second = (home.create(replace(CREATE, key=key), "ann", NOW) for key in ("a", "b"))
    with pytest.raises(InvalidStatus) as caught:
        first.commit(Request(ADD, "ann", NOW), lambda *_: change(second, ADD))
    assert caught.value.text == "commit_in_question"
    assert [state(store)["revision"] for store in (first, second)] == [2, 1]
    assert first.read(lambda _: change(second, ADD)).revision == 2
    first.close()
    second.close()


def test_x6_a_forgotten_plan_gives_its_connection_back(ram_path: Path) -> None:
    gc.collect()  # what other tests have forgotten
    before = descriptors()
    store = make_store(ram_path)
    change(store, ADD)
    del store
    gc.collect()
    assert descriptors() == before


def test_x6_a_deleted_database_is_reported(ram_path: Path) -> None:
    store = make_store(ram_path)
    for file in ram_path.iterdir():
        file.unlink()
    with pytest.raises(PlanNotFound):
        change(store, ADD)
    with pytest.raises(PlanNotFound):
        state(store)
    assert get_files(ram_path) == {}
    store.close()


@pytest.mark.parametrize("there", ["closed", "in use"])
def test_f5_a_plan_that_may_only_be_read_is_read(there: str, ram_path: Path) -> None:
    store = make_store(ram_path)
    if there == "closed":
        store.close()
    for file in ram_path.iterdir():
        file.chmod(0o444)
    ram_path.chmod(0o555)
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        told = pool.submit(use_as_another_user, str(ram_path)).result()
    ram_path.chmod(0o700)
    assert told == ["7", "7", "not_writable", "7"]
    store.close()


def test_f5_a_large_read_only_plan_is_closed_without_a_notice(ram_path: Path) -> None:
    store = make_store(ram_path)
    for number in range(9):
        change(store, (c.AddTasks((c.NewTask(f"{number}", reasoning="x" * 9000),)),))
    store.close()
    sql(ram_path, "delete from snapshots")
    (ram_path / NAME).chmod(0o444)
    ram_path.chmod(0o555)
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        told = pool.submit(use_as_another_user, str(ram_path)).result()
    ram_path.chmod(0o700)
    assert told == ["16", "16", "not_writable", "16"]


def test_f1_an_unfinished_database_of_a_dead_process_is_removed(ram_path: Path) -> None:
    kept = f"{NAME}.new"
    for name in (f"{NAME}.7.0.new", f"{NAME}.7.0.new-wal", f"{NAME}.7.0.new-shm", kept):
        (ram_path / name).write_bytes(b"x")
    begin(ram_path).close()
    assert sorted(get_files(ram_path)) == [NAME, kept]


def test_f5_a_database_that_cannot_be_made_is_not_there(ram_path: Path) -> None:
    begin(ram_path).close()
    counted = FaultyDisk(QuickDisk())
    (ram_path / NAME).unlink()
    database(ram_path, counted).create(CREATE, "ann", NOW).close()
    for call, kind in enumerate(counted.calls, 1):
        if kind == "close":
            continue  # it would leave the lock to this very process
        for file in ram_path.iterdir():
            file.unlink()
        disk = FaultyDisk(QuickDisk(), call, error=OSError(28, "full"))
        with suppress(StoreError):  # a failure that nothing depends on is none
            database(ram_path, disk).create(CREATE, "ann", NOW).close()
        assert set(get_files(ram_path)) <= {NAME}
        made = database(ram_path).plan_keys()
        assert made in ([], [KEY])
        if not made:
            begin(ram_path).close()
        assert on_disk(ram_path)["revision"] == 1


def test_f2_the_name_of_a_new_database_survives_a_power_cut(tmp_path: Path) -> None:
    disk = RecordingDisk()
    create_database(str(tmp_path / NAME), disk, shared=False)
    (_, _, renamed), last = disk.calls[-2:]
    assert renamed == str(tmp_path / NAME)
    assert last == ("sync directory", str(tmp_path))


def test_x6_only_one_process_at_a_time_creates_a_database(tmp_path: Path) -> None:
    disk = QuickDisk()
    fd = disk.open(str(tmp_path), os.O_RDONLY | os.O_DIRECTORY, 0)
    try:
        disk.lock(fd)
        with pytest.raises(LockTimeout):
            create_database(str(tmp_path / NAME), ImpatientDisk(), shared=False)
        assert list(tmp_path.iterdir()) == []
    finally:
        disk.close(fd)
    create_database(str(tmp_path / NAME), ImpatientDisk(), shared=False)
    assert (tmp_path / NAME).exists()
