"""F2, X6: plans are made durably, and looking for a plan and creating it is one step."""

from pathlib import Path

import pytest

from outlast.errors import LockTimeout
from outlast.model.commands import CreatePlan
from outlast.plan.home.workspace import Workspace
from tests.store.observed_disk import ImpatientDisk, RecordingDisk
from tests.store.operations import NOW


def test_f2_the_directory_of_a_new_plan_survives_a_power_cut(tmp_path: Path) -> None:
    disk = RecordingDisk()
    plan = CreatePlan("plan_1", "Ship", "ship")
    Workspace(str(tmp_path), disk).create(plan, "mira", NOW).close()
    places = [tmp_path / ".outlast", tmp_path / ".outlast/plans", tmp_path / ".outlast/plans/ship"]
    for place in places:
        made = disk.position("make directory", str(place))
        synced = disk.calls.index(("sync directory", str(place.parent)), made)
        assert all(call[0] != "make directory" for call in disk.calls[made + 1 : synced])
    journal = str(places[-1] / "journal.jsonl")
    assert any(call[0] == "sync" and call[1].startswith(journal) for call in disk.calls)


def test_x6_only_one_process_at_a_time_looks_for_a_plan_to_create_it(tmp_path: Path) -> None:
    one, other = (Workspace(str(tmp_path), ImpatientDisk()) for _ in range(2))
    with one.lock(), pytest.raises(LockTimeout), other.lock():
        pytest.fail("two processes look at once")
    with other.lock():
        pass
