"""F6: damage is found and reported; the plan can be read up to it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from outlast.errors import DamagedJournal, StoreError
from outlast.language import explain
from outlast.plan.home.find import damage_error
from tests.store.operations import LATEST, fresh_directory, put_files
from tests.store.sqlite.databases import (
    ADD,
    KEY,
    NAME,
    change,
    database,
    make_store,
    on_disk,
    open_store,
    sql,
    state,
)

ROW = 4  # of seven
SPOILT = {
    "a flipped byte": "update commits set line = cast(replace(line, 'five', 'fave') as blob)",
    "an empty line": "update commits set line = x''",
    "no bytes at all": "update commits set line = 'text'",
    "another mark": "update commits set mark = '00000000'",
    "another revision": "update commits set revision = 99",
    "the line of another": "update commits set (line, mark) = "
    "(select line, mark from commits where place = 2)",
}


@pytest.mark.parametrize("statement", SPOILT.values(), ids=SPOILT.keys())
def test_f6_a_damaged_commit_stops_writing_and_not_reading(statement: str, ram_path: Path) -> None:
    store = make_store(ram_path)
    whole = store.commits_since(0)
    expected = store.state_before(ROW)
    store.close()
    sql(ram_path, f"{statement} where place = {ROW}")
    spoilt = sql(ram_path, "select * from commits order by place")
    with closing(open_store(ram_path)) as store:
        [(key, details)] = store.notices
        assert (key, details["row"], details["key"]) == ("row_damaged", ROW, KEY)
        assert state(store)["revision"] == expected.revision == ROW - 1
        assert store.commits_since(0) == whole[: ROW - 1]
        for _ in range(2):
            with pytest.raises(DamagedJournal) as caught:
                change(store, ADD)
            assert caught.value.details["row"] == ROW
            assert str(ram_path / NAME) in explain(caught.value)
        assert isinstance(damage_error(store.notices), DamagedJournal)
    assert sql(ram_path, "select * from commits order by place") == spoilt
    with pytest.raises(DamagedJournal):
        database(ram_path).check_integrity(KEY, LATEST)


def test_f6_a_commit_that_is_missing_is_damage(ram_path: Path) -> None:
    make_store(ram_path).close()
    sql(ram_path, "delete from commits where place = 4")
    with closing(open_store(ram_path)) as store:
        assert state(store)["revision"] == ROW - 1
        assert store.notices[0][1]["row"] == ROW
    sql(ram_path, "delete from commits")
    with pytest.raises(DamagedJournal):
        open_store(ram_path)


def test_f6_damage_that_comes_while_a_plan_is_open_is_noticed(ram_path: Path) -> None:
    store, other = make_store(ram_path), open_store(ram_path)
    before = state(store)
    change(other, ADD)
    other.close()
    sql(ram_path, f"{SPOILT['an empty line']} where place = 8")
    assert state(store) == before
    with pytest.raises(DamagedJournal):
        change(store, ADD)
    sql(ram_path, "delete from commits where place = 8")
    assert change(store, ADD).revision == before["revision"] + 1
    store.close()


def test_f6_damage_before_a_snapshot_is_found_by_an_integrity_check(
    ram_path: Path, eager: Callable[[], None]
) -> None:
    eager()
    store = make_store(ram_path)
    expected = state(store)
    store.close()
    sql(ram_path, f"{SPOILT['an empty line']} where place = {ROW}")
    with closing(open_store(ram_path)) as store:
        assert state(store) == expected
        assert change(store, ADD).revision == expected["revision"] + 1
        with pytest.raises(DamagedJournal):
            store.state_before(ROW + 1)
        with pytest.raises(DamagedJournal):
            store.commits_since(0)
        with pytest.raises(DamagedJournal):
            change(store, ADD, key="step 2")
    with pytest.raises(DamagedJournal):
        database(ram_path).check_integrity(KEY, LATEST)


@pytest.mark.parametrize(
    "statement",
    [
        "update snapshots set data = x'00'",
        "update snapshots set data = 'text'",
        "update snapshots set data = cast(replace(data, 'Test', 'Tost') as blob)",
        "delete from snapshots",
        "update commits set mark = '00000000' where place = 7",
    ],
)
def test_f6_a_bad_snapshot_does_no_harm(
    statement: str, ram_path: Path, eager: Callable[[], None]
) -> None:
    eager()
    store = make_store(ram_path)
    expected = state(store)
    store.close()
    sql(ram_path, statement)
    with closing(open_store(ram_path)) as store:
        found = state(store)
    assert found["revision"] == expected["revision"] - ("mark" in statement)
    assert "mark" in statement or found == expected


def test_f6_commits_that_a_snapshot_speaks_of_are_missed(
    ram_path: Path, eager: Callable[[], None]
) -> None:
    eager()
    make_store(ram_path).close()
    sql(ram_path, "delete from commits where place > 3")
    with closing(open_store(ram_path)) as store:
        assert state(store)["revision"] == ROW - 1
        assert store.notices[0][1]["row"] == ROW
        for _ in range(2):
            with pytest.raises(DamagedJournal):
                change(store, ADD)


def test_f6_a_text_that_is_none_is_damage_of_its_row(ram_path: Path) -> None:
    make_store(ram_path).close()
    sql(ram_path, "update commits set mark = cast(x'ff30' as text) where place = 4")
    sql(ram_path, "insert into plans (key) values (cast(x'ff30' as text))")
    with closing(open_store(ram_path)) as store:
        assert state(store)["revision"] == ROW - 1
        assert store.notices[0][0] == "row_damaged"
    assert database(ram_path).plan_keys() == [KEY, "\ufffd0"]


def test_f6_a_whole_database_is_found_to_be_whole(ram_path: Path) -> None:
    make_store(ram_path).close()
    database(ram_path).check_integrity(KEY, LATEST)


def open_outcome(place: Path, expected: dict[str, object]) -> str:
    """Open a plan in a damaged file: it is complete, or a typed error or notice says it is not."""
    try:
        with closing(open_store(place)) as store:
            found = state(store)
            assert store.notices or found == expected
            return store.notices[0][0] if store.notices else "whole"
    except StoreError as error:
        return error.text


@pytest.mark.slow
def test_f6_a_file_damaged_anywhere_leads_to_the_plan_or_to_a_typed_error(ram_path: Path) -> None:
    make_store(fresh_directory(ram_path / "made")).close()
    expected = on_disk(ram_path / "made")
    whole = (ram_path / "made" / NAME).read_bytes()
    seen = set()
    for at in [*range(100), *range(100, len(whole), 23)]:
        spoilt = bytearray(whole)
        spoilt[at] ^= 0x55
        seen.add(open_outcome(put_files(ram_path / "spoilt", {NAME: bytes(spoilt)}), expected))
    assert seen >= {"whole", "row_damaged", "not_a_database", "database_damaged"}


def test_f6_a_file_truncated_anywhere_leads_to_the_plan_or_to_a_typed_error(ram_path: Path) -> None:
    make_store(fresh_directory(ram_path / "made")).close()
    expected = on_disk(ram_path / "made")
    whole = (ram_path / "made" / NAME).read_bytes()
    seen = set()
    for size in range(0, len(whole), 127):
        seen.add(open_outcome(put_files(ram_path / "cut", {NAME: whole[:size]}), expected))
    assert seen >= {"not_a_database", "database_damaged"}


def test_f6_another_program_may_look_at_the_plans_meanwhile(ram_path: Path) -> None:
    store = make_store(ram_path)
    with closing(sqlite3.connect(ram_path / NAME, isolation_level=None)) as other:
        other.execute("begin")
        assert other.execute("select count(*) from commits").fetchall() == [(7,)]
        assert change(store, ADD).revision == 8
        assert other.execute("select count(*) from commits").fetchall() == [(7,)]
        other.execute("commit")
        assert other.execute("select count(*) from commits").fetchall() == [(8,)]
    store.close()
