"""F6: damage is noticed at every byte; nothing that was readable is lost or overwritten."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from outlast.errors import DamagedJournal, HistoryDiverged, StoreError
from outlast.model import commands as c
from outlast.store.journal import add_checksum, verify_checksum
from outlast.store.store import Store
from tests.store.opening import new_files
from tests.store.operations import (
    CREATE,
    JOURNAL,
    LATEST,
    NOW,
    SNAPSHOT,
    STEPS,
    change,
    open_store,
    state,
)
from tests.store.simulated_disk import SimulatedDisk

WHERE = "/plan"
PATH = f"{WHERE}/{JOURNAL}"
ADD = (c.AddTasks((c.NewTask("one more"),)),)
KILOBYTES = int(os.environ.get("OUTLAST_KILOBYTES", "20"))
PARTS = 16
every_part = pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))]
)


class Made:
    """A journal of so many kilobytes, its lines, and the plan after each of them."""

    def __init__(self) -> None:
        disk = SimulatedDisk()
        store = new_files(WHERE, disk, CREATE, author="ann", now=NOW)
        self.states = [state(store)]
        for commands in STEPS:
            change(store, commands)
            self.states.append(state(store))
        for size in range(KILOBYTES - 6):
            added = c.NewTask(f"task {size}", reasoning=f"{size} ä\n" * 150)
            change(store, (c.AddTasks((added,)),))
            self.states.append(state(store))
        change(store, (c.Pause(),))
        self.states.append(state(store))
        self.data = disk.get(PATH)
        self.ends = [n + 1 for n, byte in enumerate(self.data) if byte == 10]
        assert 0.75 < len(self.data) / KILOBYTES / 1000 < 2
        assert len(self.ends) == len(self.states) + 1

    def line_of(self, offset: int) -> int:
        """Return which line a byte belongs to; 0 is the header."""
        return sum(end <= offset for end in self.ends)


@pytest.fixture(scope="module")
def made() -> Made:
    return Made()


def open_journal(data: bytes, **files: bytes) -> tuple[SimulatedDisk, Store]:
    disk = SimulatedDisk()
    disk.put(PATH, data)
    for name, content in files.items():
        disk.put(f"{WHERE}/{name}.json", content)
    return disk, open_store(WHERE, disk)


def expect_cut(data: bytes, end: int, expected: dict[str, Any]) -> None:
    """Expect that the tail after `end` is truncated, kept and reported, and that commits go on."""
    disk, store = open_journal(data)
    assert state(store) == expected
    assert disk.get(PATH) == data[:end]
    [(text, details)] = store.notices
    assert (text, details["bytes"]) == ("tail_cut", len(data) - end)
    assert disk.get(str(details["kept"])) == data[end:]
    change(store, ADD, now=LATEST)
    assert state(open_store(WHERE, disk)) == state(store)


@pytest.mark.soak
@every_part
def test_f6_a_journal_cut_short_at_any_byte_ends_at_its_last_good_line(
    part: int, made: Made
) -> None:
    for size in range(made.ends[1] + part, len(made.data), PARTS):
        line = made.line_of(size)
        end = made.ends[line - 1]
        if size == end:
            disk, store = open_journal(made.data[:size])
            assert state(store) == made.states[line - 2]
            assert not store.notices
            assert disk.get(PATH) == made.data[:size]
        else:
            expect_cut(made.data[:size], end, made.states[line - 2])


def test_f6_a_journal_cut_short_before_its_plan_began_is_refused_and_left_alone(made: Made) -> None:
    for size in range(made.ends[1]):
        disk = SimulatedDisk()
        disk.put(PATH, made.data[:size])
        with pytest.raises(StoreError):
            open_store(WHERE, disk)
        assert disk.get(PATH) == made.data[:size], f"cut at {size}"


def flip_bytes(made: Made, part: int) -> Iterator[tuple[int, bytes]]:
    for offset in range(part, len(made.data), PARTS):
        damaged = bytearray(made.data)
        damaged[offset] ^= 1 + offset % 255
        yield offset, bytes(damaged)


@pytest.mark.soak
@every_part
def test_f6_a_flipped_byte_anywhere_is_noticed_and_nothing_after_it_is_lost(
    part: int, made: Made
) -> None:
    last = len(made.ends) - 1
    for offset, damaged in flip_bytes(made, part):
        line = made.line_of(offset)
        if line <= 1:
            disk = SimulatedDisk()
            disk.put(PATH, damaged)
            with pytest.raises(DamagedJournal):
                open_store(WHERE, disk)
        elif line == last or offset == made.ends[last - 1] - 1:  # or its line end, which joins two
            expect_cut(damaged, made.ends[line - 1], made.states[line - 2])
            continue
        else:
            disk, store = open_journal(damaged)
            assert state(store) == made.states[line - 2]
            with pytest.raises(DamagedJournal) as caught:
                change(store, ADD)
            assert caught.value.details == {"path": PATH, "offset": made.ends[line - 1]}
            store.close()
        assert disk.get(PATH) == damaged, f"byte {offset}"
        assert disk.list_directory(WHERE) == [JOURNAL]


def test_f6_a_damaged_plan_can_still_be_read_after_a_failed_call(made: Made) -> None:
    damaged = bytearray(made.data)
    damaged[made.ends[4] + 5] ^= 1
    disk, store = open_journal(bytes(damaged))
    expected = state(store)

    def fail(_fd: int) -> None:
        raise OSError(5, "EIO")

    lock = disk.lock
    disk.lock = fail  # type: ignore[assignment, method-assign]
    with pytest.raises(StoreError):
        change(store, ADD)
    disk.lock = lock  # type: ignore[method-assign]
    assert state(store) == expected
    with pytest.raises(DamagedJournal):
        change(store, ADD)
    assert disk.get(PATH) == damaged


def test_f6_a_snapshot_that_is_empty_cut_short_or_bad_does_no_harm(
    made: Made, eager: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    eager()
    disk, store = open_journal(made.data)
    store.close()
    good = disk.get(f"{WHERE}/{SNAPSHOT}")
    monkeypatch.undo()
    _, store = open_journal(made.data, snapshot=good)
    assert state(store) == made.states[-1]
    for bad in bad_snapshots(good):
        disk, store = open_journal(made.data, snapshot=bad)
        assert state(store) == made.states[-1]
        assert disk.get(PATH) == made.data
        change(store, ADD)
        assert state(open_store(WHERE, disk)) == state(store)


def bad_snapshots(good: bytes) -> Iterator[bytes]:
    for size in range(0, len(good) - 1, 61):
        yield good[:size]
    for offset in range(0, len(good) - 1, 31):
        damaged = bytearray(good)
        damaged[offset] ^= 1 + offset % 255
        yield bytes(damaged)
    body = verify_checksum(good.rstrip(b"\n")) or b""
    yield add_checksum(body.replace(b'"phase":"later"', b'"phase":"never"'))
    yield from (b"null", b"[]", b"{}", b"\x00" * len(good), good + good, b"\n", b"\xff")


def test_f6_a_snapshot_of_another_journal_is_not_believed(eager: Callable[[], None]) -> None:
    eager()
    made = {}
    for name in ("aaaa", "bbbb"):
        disk = SimulatedDisk()
        store = new_files(WHERE, disk, CREATE, author="ann", now=NOW)
        change(store, (c.AddTasks((c.NewTask(name),)),))
        store.close()
        made[name] = (disk.get(PATH), disk.get(f"{WHERE}/{SNAPSHOT}"))
    _, store = open_journal(made["aaaa"][0], snapshot=made["bbbb"][1])
    assert [task.name for task in state(store)["tasks"].values()] == ["aaaa"]


def test_f6_a_snapshot_hides_no_damage_from_a_journal_that_was_cut(
    made: Made, eager: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    eager()
    disk, store = open_journal(made.data)
    store.close()
    snapshot = disk.get(f"{WHERE}/{SNAPSHOT}")
    monkeypatch.undo()
    for line in range(2, len(made.ends) - 1):
        _, store = open_journal(made.data[: made.ends[line]], snapshot=snapshot)
        assert state(store) == made.states[line - 1]


def test_f19_an_older_journal_put_in_place_of_an_open_one_is_refused(made: Made) -> None:
    for line in range(1, len(made.ends)):
        disk, store = open_journal(made.data)
        change(store, ADD)
        older = made.data[: made.ends[line]]
        disk.files[PATH].content[:] = older
        for use in (state, lambda store: change(store, ADD)):
            with pytest.raises((HistoryDiverged, DamagedJournal)) as caught:
                use(store)
            assert isinstance(caught.value, HistoryDiverged) or line == 1, "there is no plan in it"
        store.close()
        assert disk.get(PATH) == older


def test_f19_a_process_that_was_forked_knows_the_history_of_its_parent(made: Made) -> None:
    disk, store = open_journal(made.data)
    change(store, ADD)
    whole = disk.get(PATH)
    store.reset_after_fork()
    disk.put(PATH, made.data)
    with pytest.raises(HistoryDiverged):
        state(store)
    disk, store = open_journal(whole)
    store.reset_after_fork()
    assert change(store, ADD).revision == made.states[-1]["revision"] + 2


def test_f19_a_reader_knows_the_commits_that_others_have_built_on(made: Made) -> None:
    disk, reader = open_journal(made.data)
    for _ in range(2):
        writer = open_store(WHERE, disk)
        change(writer, ADD)
        writer.close()
    newest = state(reader)["revision"]
    disk.files[PATH].content[:] = made.data
    with pytest.raises(HistoryDiverged) as caught:
        state(reader)
    assert caught.value.details["revision"] == newest - 1
    assert caught.value.details["now"] == newest - 2
