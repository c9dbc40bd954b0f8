"""F6: the repair of a damaged database loses nothing that can be read."""

import multiprocessing
import sqlite3
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from outlast.errors import DamagedJournal, HistoryDiverged, PlanNotFound, StoreError, WriteFailed
from outlast.language import explain, text
from outlast.model import commands as c
from outlast.plan.plan_list import list_plans, repair_plan
from outlast.store.port import Notice
from outlast.store.sqlite.connection import DatabaseFile
from outlast.store.sqlite.repair import DatabaseRepair
from outlast.system.disk import Disk
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.operations import CREATE, LATEST, NOW, STEPS, fresh_directory, get_files, put_files
from tests.store.sqlite.databases import (
    ADD,
    KEY,
    NAME,
    change,
    database,
    kill_repairs,
    make_store,
    on_disk,
    open_store,
    sql,
    state,
)
from tests.store.sqlite.test_replica_damage import ROW, SPOILT
from tests.store.sqlite.test_store_full_disk import LONG, no_file_beyond

PAGE = 4096
SPAWN = multiprocessing.get_context("spawn")
SPOIL = f"{SPOILT['an empty line']} where plan = 1 and place = {ROW}"


def repair(path: Path, disk: Disk | None = None) -> list[Notice]:
    return database(path, disk).repair(KEY, LATEST)


def rows(path: Path | str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("select * from commits order by plan, place").fetchall()


def assert_repaired(path: Path, notices: list[Notice]) -> dict[str, Any]:
    """Check that the plan is whole and goes on, and that a copy was kept, as private as before."""
    [(key, details)] = notices
    assert key == "database_repaired"
    kept = Path(str(details["kept"]))
    assert sorted(get_files(path)) == [NAME, kept.name]
    assert kept.stat().st_mode == (path / NAME).stat().st_mode
    found = on_disk(path)
    with closing(open_store(path)) as store:
        assert change(store, ADD).revision == found["revision"] + 1
    database(path).check_integrity(KEY, LATEST)
    assert repair(path) == []
    return found


@pytest.mark.parametrize("statement", SPOILT.values(), ids=SPOILT.keys())
def test_f6_a_damaged_commit_costs_itself_and_what_depends_on_it(
    statement: str, ram_path: Path
) -> None:
    store = make_store(ram_path)
    expected = state(store)
    store.close()
    sql(ram_path, f"{statement} where place = {ROW}")
    damaged = rows(ram_path / NAME)
    [(_, details)] = notices = repair(ram_path)
    assert rows(str(details["kept"])) == damaged
    found = assert_repaired(ram_path, notices)
    beside = statement.split()[3] in ("mark", "revision")  # the line itself is good
    lost = set() if beside else {4, 5}
    assert bool(details["lost_commits"]) == bool(lost)
    assert found["tasks"].keys() == expected["tasks"].keys() - lost
    assert text("database_repaired", "zh", **details) != text("database_repaired", "en", **details)


def test_f6_answers_are_kept_under_their_keys(ram_path: Path) -> None:
    make_store(ram_path).close()
    sql(ram_path, SPOIL)
    repair(ram_path)
    with closing(open_store(ram_path)) as store:
        before = state(store)
        assert change(store, STEPS[1], key="step 1").revision == ROW - 1
        assert change(store, STEPS[3], key="step 3").revision == ROW
        assert state(store) == before


def test_f19_a_repair_ends_open_stores_of_the_plan_and_no_others(ram_path: Path) -> None:
    store = make_store(ram_path)
    other = database(ram_path).create(replace(CREATE, key="other"), "ann", NOW)
    change(other, ADD, key="mine")
    sql(ram_path, SPOIL)
    before = state(other)
    [_] = repair(ram_path)
    repaired = on_disk(ram_path)
    with pytest.raises(HistoryDiverged):
        change(store, ADD)
    assert on_disk(ram_path) == repaired
    assert state(other) == before
    assert change(other, ADD, key="mine").revision == 2
    assert change(other, ADD).revision == 3
    store.close()
    other.close()
    assert database(ram_path).plan_keys() == [KEY, "other"]


def test_f6_what_a_snapshot_knows_is_not_lost(ram_path: Path, eager: Callable[[], None]) -> None:
    eager()
    store = make_store(ram_path)
    expected = state(store)
    store.close()
    for statement in (SPOIL, "delete from commits", "delete from commits where place > 3"):
        whole = get_files(ram_path)
        sql(ram_path, statement)
        found = assert_repaired(ram_path, repair(ram_path))
        assert found["tasks"] == expected["tasks"]
        put_files(ram_path, whole)


def test_f6_a_plan_that_lost_its_key_gets_the_one_it_was_created_with(ram_path: Path) -> None:
    make_store(ram_path).close()
    expected = on_disk(ram_path)
    sql(ram_path, "delete from plans")
    assert repair(ram_path)
    assert on_disk(ram_path)["tasks"] == expected["tasks"]
    sql(ram_path, "delete from plans", "delete from commits where place = 1")
    with pytest.raises(PlanNotFound) as caught:
        repair(ram_path)
    assert caught.value.details["candidates"] == ["recovered 1"]
    assert database(ram_path).repair("recovered 1", LATEST)


def test_f6_a_plan_without_readable_rows_is_left_alone(ram_path: Path) -> None:
    make_store(ram_path).close()
    sql(ram_path, "update commits set line = x'00'")
    before = rows(ram_path / NAME)
    with pytest.raises(DamagedJournal) as caught:
        repair(ram_path)
    assert str(ram_path / NAME) in explain(caught.value)
    assert rows(ram_path / NAME) == before
    assert list(get_files(ram_path)) == [NAME]


def test_f6_a_whole_database_is_not_touched(ram_path: Path) -> None:
    make_store(ram_path).close()
    before = get_files(ram_path)
    assert repair(ram_path) == []
    with pytest.raises(PlanNotFound):
        database(ram_path).repair("another", LATEST)
    assert get_files(ram_path) == before


def damage(whole: bytes, random: Random) -> bytes:
    """Return a database with damaged pages, or a truncated one."""
    damaged = bytearray(whole)
    for _ in range(random.choice((1, 1, 3))):
        at = random.randrange(len(whole) // PAGE) * PAGE
        size = random.choice((12, PAGE))
        damaged[at : at + size] = random.choice((bytes(size), random.randbytes(size)))
    return bytes(damaged[: random.choice((len(whole), len(whole), random.randrange(len(whole))))])


def try_repair(path: Path) -> str:
    before = get_files(path)
    try:
        notices = repair(path)
    except StoreError as error:
        refusal = explain(error)
    else:
        if notices:
            assert_repaired(path, notices)
        return "repaired" if notices else "whole"
    assert str(path / NAME) in refusal
    assert "was not changed" in refusal
    assert get_files(path) == before
    return "refused"


@pytest.mark.slow
def test_f6_damaged_pages_cost_what_is_on_them_or_nothing_is_changed(ram_path: Path) -> None:
    store = make_store(fresh_directory(ram_path / "made"))
    for number in range(100):
        long = "x" * (6000 if number % 20 == 0 else 10)
        change(store, (c.AddTasks((c.NewTask(f"{number}", reasoning=long),)),))
    store.close()
    whole = (ram_path / "made" / NAME).read_bytes()
    random = Random(6)  # noqa: S311 - repeatable
    seen = Counter(
        try_repair(put_files(ram_path / "spoilt", {NAME: damage(whole, random)})) for _ in range(50)
    )
    assert seen["repaired"] > seen["refused"] > 0


def test_f6_a_row_that_cannot_be_read_is_stepped_over(ram_path: Path) -> None:
    store = make_store(ram_path)
    for number in range(100):
        change(store, (c.AddTasks((c.NewTask(f"{number}", reasoning="x" * 300),)),))
    expected = state(store)
    store.close()
    data = bytearray((ram_path / NAME).read_bytes())
    [page] = {at // PAGE for at in range(len(data)) if data.startswith(b'"name":"50"', at)}
    data[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
    put_files(ram_path, {NAME: bytes(data)})
    [(_, details)] = notices = repair(ram_path)
    found = assert_repaired(ram_path, notices)
    names = {task.name for task in found["tasks"].values()}
    assert {"0", "20", "80", "99"} < names
    assert len(names) >= len(expected["tasks"]) - int(str(details["lost_commits"]))
    assert 0 < int(str(details["lost_commits"])) < 20


def test_f6_nothing_is_changed_before_the_damaged_database_is_safe(ram_path: Path) -> None:
    make_store(ram_path).close()
    sql(ram_path, SPOIL)
    damaged = get_files(ram_path)
    counted = FaultyDisk(QuickDisk())
    repair(ram_path, counted)
    refused = 0
    for call, kind in enumerate(counted.calls, 1):
        if kind == "close":
            continue
        put_files(ram_path, damaged)
        before = rows(ram_path / NAME)
        try:
            repair(ram_path, FaultyDisk(QuickDisk(), call, error=OSError(28, "full")))
        except StoreError:
            refused += 1
            assert rows(ram_path / NAME) == before
        assert not list(ram_path.glob("*.new*"))
    assert refused > 5


def test_f5_where_there_is_no_room_for_the_copy_nothing_is_changed(ram_path: Path) -> None:
    store = make_store(ram_path)
    change(store, LONG * 5)
    store.close()
    sql(ram_path, SPOIL)
    with no_file_beyond(60_000), pytest.raises(WriteFailed):
        repair(ram_path)
    assert rows(ram_path / NAME)[ROW - 1][-1] == b""
    assert list(get_files(ram_path)) == [NAME]


def test_f6_a_database_that_another_changes_meanwhile_is_read_again(ram_path: Path) -> None:
    make_store(ram_path).close()
    other = database(ram_path).create(replace(CREATE, key="other"), "ann", NOW)
    sql(ram_path, SPOIL)

    class Slow(DatabaseFile):
        """Another store commits twice between the read and the write."""

        times = 0

        def replace_content(self, new: sqlite3.Connection, changed: int) -> None:
            self.times += 1
            if self.times < 3:
                change(other, ADD)
            super().replace_content(new, changed)

    with closing(Slow(str(ram_path / NAME), QuickDisk())) as file:
        notices = DatabaseRepair(file, QuickDisk(), LATEST).repair(KEY)
        assert file.times == 3
    assert state(other)["revision"] == 3
    other.close()
    assert_repaired(ram_path, notices)


@pytest.mark.slow
def test_f1_a_process_killed_during_a_repair_leaves_the_damaged_or_the_repaired_plan(
    ram_path: Path,
) -> None:
    made = fresh_directory(ram_path / "made")
    store = make_store(made)
    change(store, LONG)
    store.close()
    sql(made, SPOIL)
    damaged = rows(made / NAME)
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        results = pool.submit(kill_repairs, str(made), f"{ram_path}/killed", 2100).result()
    mended = rows(f"{results[-1][0]}/{NAME}")
    seen = set()
    for where, survived in results:
        found = rows(f"{where}/{NAME}")
        assert found == mended or (found == damaged and not survived)
        seen.add(found == mended)
        repair(Path(where))
        assert rows(f"{where}/{NAME}") == mended
        assert not list(Path(where).glob("*.new*"))
    assert seen == {True, False}
    assert len(results) > 10


def test_f6_a_database_is_repaired_by_its_url(ram_path: Path) -> None:
    make_store(ram_path).close()
    sql(ram_path, SPOIL)
    url = f"sqlite:///{ram_path / NAME}"
    [damaged] = list_plans(url, thorough=True)
    assert isinstance(damaged.problem, DamagedJournal)
    assert "outlast doctor --repair sqlite:///" in explain(damaged.problem)
    [(key, _)] = repair_plan(url, KEY)
    assert key == "database_repaired"
    [mended] = list_plans(url, thorough=True)
    assert mended.problem is None
    assert repair_plan(url, KEY) == []
