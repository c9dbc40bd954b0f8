"""F5: a file system that is really full."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast.errors import PlanNotFound, StoreError, WriteFailed
from outlast.model import commands as c
from outlast.system.disk import Disk
from tests.small_disks import fill_disk, mount_small_disk
from tests.store.opening import new_files
from tests.store.operations import (
    CREATE,
    NOW,
    change,
    fresh_directory,
    make_store,
    on_disk,
    open_store,
    state,
)

LONG = (c.AddTasks((c.NewTask("long", reasoning="x" * 1000),)),)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KB."""
    with mount_small_disk(tmp_path, 64) as path:
        yield path


def test_f5_a_full_file_system_costs_the_change_and_nothing_else(small: Path) -> None:
    plan = fresh_directory(small / "plan")
    store = make_store(plan, Disk())
    while True:
        before = state(store)
        try:
            change(store, LONG)
        except WriteFailed:
            break
    assert state(store) == before == on_disk(plan, Disk())
    store.close()
    again = open_store(plan, Disk())
    with pytest.raises(WriteFailed):
        change(again, LONG)
    assert state(again) == before
    again.close()


def test_f5_a_plan_goes_on_when_there_is_room_again(small: Path) -> None:
    plan = fresh_directory(small / "plan")
    store = make_store(plan, Disk())
    before = state(store)
    filler = fill_disk(small)
    for _ in range(4):
        try:
            change(store, LONG)  # there may be room within the last page
        except WriteFailed:
            break
        before = state(store)
    assert state(store) == before == on_disk(plan, Disk())
    filler.unlink()
    change(store, LONG)
    assert state(store)["revision"] == before["revision"] + 1
    assert on_disk(plan, Disk()) == state(store)
    store.close()


def test_f5_no_plan_is_begun_where_there_is_no_room(small: Path) -> None:
    plan = fresh_directory(small / "plan")
    filler = fill_disk(small)
    with pytest.raises(StoreError):
        new_files(str(plan), Disk(), CREATE, author="ann", now=NOW)
    with pytest.raises(PlanNotFound):
        open_store(plan, Disk())
    filler.unlink()
    new_files(str(plan), Disk(), CREATE, author="ann", now=NOW).close()
    assert on_disk(plan, Disk())["revision"] == 1
