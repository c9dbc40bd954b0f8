"""X1, F15, F17, A5: keys, sizes, old and new formats, permissions."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from outlast.errors import NewerFormat, OutlastError, PlanExists, PlanNotFound, StoreError
from outlast.model import commands as c
from outlast.store.journal import add_checksum
from outlast.system.disk import Disk
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.files.make_golden import GOLDEN, NEWEST, plain, plans
from tests.store.opening import new_files
from tests.store.operations import (
    CREATE,
    JOURNAL,
    LATER,
    LATEST,
    NOW,
    SNAPSHOT,
    change,
    get_files,
    make_store,
    on_disk,
    open_store,
    state,
)

ADD = (c.AddTasks((c.NewTask("once"),)),)
Eager = Callable[[], None]


@pytest.mark.parametrize("way", ["same store", "reopened", "from a snapshot"])
def test_x1_a_key_is_answered_as_it_was_then(way: str, ram_path: Path, eager: Eager) -> None:
    if way == "from a snapshot":
        eager()
    store = make_store(ram_path)
    first = change(store, ADD, key="once")
    change(store, (c.Pause(),))
    if way != "same store":
        store.close()
        store = open_store(ram_path)
    assert (ram_path / SNAPSHOT).exists() == (way == "from a snapshot")
    before = state(store)
    assert change(store, ADD, key="once", now=LATEST) == first
    assert state(store) == before == on_disk(ram_path)


@pytest.mark.parametrize("snapshots", ["rare", "eager"])
def test_x1_a_key_for_a_command_that_changes_nothing_is_remembered(
    snapshots: str, ram_path: Path, eager: Eager
) -> None:
    if snapshots == "eager":
        eager()
    store = make_store(ram_path)
    before = state(store)
    goal = (c.EditPlan(goal=before["goal"]),)
    first = change(store, goal, key="nothing", now=LATEST)
    assert first.changes == ()
    assert first.revision == before["revision"]
    assert state(store) == before
    assert on_disk(ram_path) == before, "a commit without changes changes nothing by replay either"
    change(store, (c.EditPlan(goal="Changed since"),))
    again = open_store(ram_path)
    assert change(again, goal, key="nothing") == first
    assert state(again)["goal"] == "Changed since"


def test_x1_a_refused_command_leaves_its_key_free(ram_path: Path) -> None:
    store = make_store(ram_path)
    with pytest.raises(OutlastError):
        change(store, (c.Resume(),), key="later")
    change(store, (c.Pause(),))
    change(store, (c.Resume(),), key="later")
    assert state(store)["hold"] == ""


def test_x1_a_key_that_cannot_be_written_changes_nothing(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)
    with pytest.raises((OutlastError, UnicodeEncodeError)):
        change(store, ADD, key="\ud800")
    assert state(store) == before == on_disk(ram_path)


def test_x1_a_key_whose_commit_cannot_be_read_is_a_typed_error(ram_path: Path) -> None:
    disk = FaultyDisk(QuickDisk(), error=OSError(5, "EIO"))
    store = make_store(ram_path, disk)
    first = change(store, ADD, key="once")
    disk.deadly = "read"
    with pytest.raises(StoreError):
        change(store, ADD, key="once")
    assert change(store, ADD, key="once") == first


def test_r0_01_a_plan_is_made_once_and_found_only_where_it_is(ram_path: Path) -> None:
    with pytest.raises(PlanNotFound):
        open_store(ram_path)
    make_store(ram_path).close()
    files = get_files(ram_path)
    with pytest.raises(PlanExists):
        new_files(str(ram_path), QuickDisk(), CREATE, author="ann", now=NOW)
    assert get_files(ram_path) == files


def test_a5_files_are_for_their_owner_only(ram_path: Path, eager: Eager) -> None:
    eager()
    make_store(ram_path).close()
    with (ram_path / JOURNAL).open("ab") as file:
        file.write(b"torn")
    open_store(ram_path).close()
    assert len(list(ram_path.iterdir())) == 3
    assert {file.stat().st_mode & 0o777 for file in ram_path.iterdir()} == {0o600}


@pytest.mark.parametrize("name", [JOURNAL, SNAPSHOT])
def test_a10_a_link_in_the_place_of_a_file_is_not_followed(
    name: str, ram_path: Path, eager: Eager
) -> None:
    eager()
    make_store(ram_path).close()
    expected = on_disk(ram_path)
    (ram_path / name).rename(ram_path / "elsewhere")
    (ram_path / name).symlink_to(ram_path / "elsewhere")
    try:
        found = on_disk(ram_path)
    except StoreError:
        assert name == JOURNAL
    except OSError as error:
        pytest.fail(f"not told as a StoreError: {error!r}")
    else:
        assert name == SNAPSHOT
        assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("count", [10_000, 100_000])
def test_f15_a_chain_of_tasks_in_one_commit(count: int, ram_path: Path) -> None:
    store = new_files(str(ram_path), Disk(), CREATE, author="ann", now=NOW)
    chain = tuple(c.NewTask(f"task {n}", peers=(n,) if n else ()) for n in range(count))
    change(store, (c.AddTasks(chain),))
    change(store, (c.Complete(1, "ann"),))
    expected = state(store)
    assert len(expected["tasks"]) == count
    assert expected["executable"] == [2]
    assert on_disk(ram_path) == expected
    store.close()
    assert (ram_path / SNAPSHOT).exists()
    assert on_disk(ram_path) == expected
    (ram_path / SNAPSHOT).unlink()
    assert on_disk(ram_path) == expected


@pytest.mark.parametrize("snapshots", ["rare", "eager"])
@pytest.mark.parametrize(
    ("name", "asked", "key", "revision"),
    [
        ("format-1", None, "step 45", 47),
        ("format-1-loops", 1, "step 16", 19),
        ("format-1-refusals", 1, "step 1", 4),
        ("format-1-assumptions", 1, "step 6", 9),
        ("format-1-runs", 1, "step 4", 7),
        ("format-1-work", 1, "step 5", 8),
        ("format-1-replans", 1, "step 4", 7),
        (NEWEST, 1, "step 2", 5),
    ],
)
def test_f17_a_journal_of_format_1_is_read_for_ever(  # noqa: PLR0913, PLR0917 - what is read, and how
    name: str,
    asked: int | None,
    key: str,
    revision: int,
    snapshots: str,
    ram_path: Path,
    eager: Eager,
) -> None:
    if snapshots == "eager":
        eager()
    golden = (GOLDEN / f"{name}.jsonl").read_bytes()
    (ram_path / JOURNAL).write_bytes(golden)
    for _ in range(2):
        store = open_store(ram_path)
        found = json.loads(msgspec.json.encode(plans(store)))
        assert found == json.loads((GOLDEN / f"{name}.json").read_bytes())
        assert json.loads(msgspec.json.encode(store.read(plain))) == found[-1]
        assert store.notices == []
        store.close()
        assert (ram_path / JOURNAL).read_bytes() == golden
    store = open_store(ram_path)
    assert change(store, (c.CountIteration(asked),), key=key).revision == revision
    change(store, ADD)
    assert on_disk(ram_path) == state(store)


@pytest.mark.parametrize("snapshot", ["without", "with"])
def test_f17_a_journal_of_a_newer_format_is_refused_and_left_alone(
    snapshot: str, ram_path: Path, eager: Eager
) -> None:
    if snapshot == "with":
        eager()
    make_store(ram_path).close()
    old, _, rest = (ram_path / JOURNAL).read_bytes().partition(b"\n")
    header = add_checksum(b'{"outlast":"journal","format":2,"key":"some-key"}')
    assert len(header) == len(old) + 1
    (ram_path / JOURNAL).write_bytes(header + rest)
    files = get_files(ram_path)
    disk = FaultyDisk(QuickDisk())
    with pytest.raises(NewerFormat) as caught:
        open_store(ram_path, disk)
    assert caught.value.details == {"found": 2, "known": 1}
    assert not disk.held, "a refused plan leaves no file open"
    assert get_files(ram_path) == files


def test_f17_a_golden_journal_has_every_kind_of_change() -> None:
    from outlast.model.changes import Change  # noqa: PLC0415 - only this test asks

    golden = b"".join(path.read_bytes() for path in GOLDEN.glob("*.jsonl"))
    kinds = {kind.__struct_config__.tag for kind in Change.__args__}
    assert {kind for kind in kinds if b'"type":"%b"' % kind.encode() not in golden} == set()


def test_x1_a_commit_says_when_who_and_why_after_reopening(ram_path: Path) -> None:
    store = make_store(ram_path)
    change(store, ADD, key="once")
    store.close()
    commit = change(open_store(ram_path), ADD, key="once")
    assert (commit.author, commit.at, commit.reason, commit.key) == ("ann", LATER, "why", "once")
