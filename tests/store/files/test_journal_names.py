"""F2: a file is as durable as its name, and as the names of the directories above it."""

from contextlib import suppress
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from outlast.errors import DamagedJournal, PlanExists, PlanNotFound
from outlast.plan.home.workspace import Workspace
from outlast.store.files.repair import repair
from outlast.store.store import Store
from outlast.system.disk import Disk
from tests.store.faults import FaultyDisk, Killed
from tests.store.files.damage import ADD, LINE, WHERE, SampleJournal, disk_with, flip_byte
from tests.store.opening import new_files
from tests.store.operations import CREATE, LATEST, NOW, change, open_store, state
from tests.store.simulated_disk import LoseAll, SimulatedDisk

ROOT = "/work"
CUTS = range(6)


def cut_power(disk: SimulatedDisk, number: int) -> None:
    """Lose everything that may be lost, or any part of it."""
    disk.power_cut(Random(number) if number else LoseAll())  # noqa: S311 - repeatable


def make(disk: Disk) -> Store:
    return new_files(WHERE, disk, CREATE, author="ann", now=NOW)


def test_f2_opening_a_plan_makes_its_name_durable_after_its_creator_died() -> None:
    make(counting := FaultyDisk(SimulatedDisk())).close()
    for at in range(1, len(counting.calls) + 1):
        for cut in CUTS:
            disk = SimulatedDisk()
            with pytest.raises(Killed):
                make(FaultyDisk(disk, at)).close()
            try:
                store = open_store(WHERE, disk)
            except PlanNotFound:
                store = make(disk)
            change(store, ADD)
            told = state(store)
            cut_power(disk, cut)
            assert state(open_store(WHERE, disk)) == told, f"made up to call {at}"


@pytest.fixture(scope="module")
def made() -> SampleJournal:
    return SampleJournal()


@pytest.mark.parametrize("opened", ["before", "after"])
def test_f2_opening_a_journal_makes_its_name_durable_after_its_repairer_died(
    opened: str, made: SampleJournal
) -> None:
    damaged = flip_byte(made.data, made.ends[LINE] - 30)
    repair(WHERE, counting := FaultyDisk(disk_with(damaged)), LATEST)
    for at in range(1, len(counting.calls) + 1):
        for cut in CUTS:
            disk = disk_with(damaged)
            early = open_store(WHERE, disk)
            with pytest.raises(Killed):
                repair(WHERE, FaultyDisk(disk, at), LATEST)
            store = early if opened == "before" else open_store(WHERE, disk)
            try:
                change(store, ADD)
            except DamagedJournal:
                assert repair(WHERE, disk, LATEST)
                change(store, ADD)
            told = state(store)
            cut_power(disk, cut)
            assert state(open_store(WHERE, disk)) == told, f"mended up to call {at}"


def workspace() -> SimulatedDisk:
    """Return a disk with an empty workspace."""
    disk = SimulatedDisk()
    disk.make_directory(ROOT, 0o700)
    disk.sync_directory("/")
    return disk


def create(disk: Disk, key: str, layout: str) -> Store:
    return Workspace(ROOT, disk).create(replace(CREATE, key=key), "ann", NOW, layout=layout)


def open_or_create(disk: Disk, key: str, layout: str) -> dict[str, Any]:
    """Create or open a plan as the next process does, and change it."""
    try:
        store = create(disk, key, layout)
    except PlanExists:
        store = Workspace(ROOT, disk).open(key, LATEST)
    change(store, ADD)
    told = state(store)
    store.close()
    return told


@pytest.mark.parametrize("layout", ["outlast", "sessions"])
@pytest.mark.parametrize("key", ["the same", "another"])
def test_f2_a_plan_in_a_new_workspace_survives_though_the_first_process_died(
    key: str, layout: str
) -> None:
    create(counting := FaultyDisk(workspace()), "the same", layout).close()
    assert "make_directory" in counting.calls
    for at in range(1, len(counting.calls) + 1):
        for cut in CUTS:
            disk = workspace()
            with suppress(Killed):
                create(FaultyDisk(disk, at), "the same", layout).close()
            told = open_or_create(disk, key, layout)
            cut_power(disk, cut)
            found = Workspace(ROOT, disk).open(key, LATEST)
            assert state(found) == told, f"made up to call {at}"
            found.close()


def test_f2_the_simulated_disk_loses_a_directory_that_was_not_synced() -> None:
    disk = workspace()
    for name in ("kept", "lost"):
        disk.make_directory(f"{ROOT}/{name}", 0o700)
        disk.close(disk.open(f"{ROOT}/{name}/file", 0o100, 0o600))
        disk.sync_directory(f"{ROOT}/{name}")
        if name == "kept":
            disk.sync_directory(ROOT)
    disk.power_cut(LoseAll())
    assert sorted(disk.files) == [ROOT, f"{ROOT}/kept", f"{ROOT}/kept/file"]
