"""Damaged journals and their repair."""

from typing import Any

from outlast.model import commands as c
from outlast.model.changes import fold
from outlast.model.history.rebuild import skip_ids
from outlast.model.history.salvage import salvage
from outlast.model.state import PlanState
from outlast.store.files.repair import is_sound, repair
from outlast.store.journal import split_lines
from tests.model.indexes import assert_indexes, encode_all
from tests.store.opening import new_files
from tests.store.operations import CREATE, JOURNAL, LATEST, NOW, STEPS, change, open_store, state
from tests.store.simulated_disk import SimulatedDisk

WHERE = "/plans/some-key"
PATH = f"{WHERE}/{JOURNAL}"
ADD = (c.AddTasks((c.NewTask("one more"),)),)
STEP = 7
LINE = 5  # one in the middle: tasks four and five are added in it


class SampleJournal:
    """A journal of about 20 KB, its lines and its commits."""

    def __init__(self) -> None:
        disk = SimulatedDisk()
        store = new_files(WHERE, disk, CREATE, author="ann", now=NOW)
        for number, commands in enumerate(STEPS):
            change(store, commands, key=f"step {number}")
        for size in range(14):
            change(store, (c.AddTasks((c.NewTask(f"task {size}", reasoning="ä\n" * 450),)),))
        change(store, (c.Claim("bob", 5, 60), c.BeginAttempt(5, "tool", "look", token=1)))
        change(store, (c.Pause(),))
        self.state = state(store)
        self.data = disk.get(PATH)
        self.commits = store.commits_since(0)
        self.ends = [n + 1 for n, byte in enumerate(self.data) if byte == 10]
        assert 15_000 < len(self.data) < 30_000

    def line_of(self, offset: int) -> int:
        """Return which line a byte belongs to; 0 is the header."""
        return sum(end <= offset for end in self.ends)

    def without(self, line: int) -> dict[str, Any]:
        """Return the plan that is left when one commit is lost."""
        made, numbers = PlanState(NOW), {}
        for commit in self.commits[: line - 1]:
            fold(made, commit.changes, commit.revision, commit.at)
            numbers[commit.revision] = commit.revision
        for commit in self.commits[line:]:
            salvage(made, commit, numbers)
        skip_ids(made, made.updated_at)
        return encode_all(made)


def disk_with(data: bytes, **files: bytes) -> SimulatedDisk:
    disk = SimulatedDisk()
    disk.put(PATH, data)
    for name, content in files.items():
        disk.put(f"{WHERE}/{name}.json", content)
    return disk


def flip_byte(data: bytes, offset: int) -> bytes:
    damaged = bytearray(data)
    damaged[offset] ^= 1 + offset % 255
    return bytes(damaged)


def repair_and_check(
    disk: SimulatedDisk, damaged: bytes
) -> tuple[dict[str, Any], dict[str, object]]:
    """Repair a journal and commit to it; return the repaired plan and the notice's details."""
    (key, details), *_ = repair(WHERE, disk, LATEST)
    assert key == "journal_repaired"
    assert disk.get(str(details["kept"])) == damaged
    assert str(details["kept"]).startswith(f"{PATH}.damaged-20260101T000009-")
    assert is_sound(split_lines(disk.get(PATH)), NOW)
    assert repair(WHERE, disk, LATEST) == []
    store = open_store(WHERE, disk)
    found = state(store)
    store.read(assert_indexes)
    change(store, ADD)
    assert state(open_store(WHERE, disk)) == state(store)
    assert store.notices == []
    return found, details
