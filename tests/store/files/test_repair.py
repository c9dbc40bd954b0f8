"""F6: the repair of a damaged journal loses nothing that can be read."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outlast.errors import DamagedJournal, NewerFormat, PlanNotFound
from outlast.language import text
from outlast.model import commands as c
from outlast.model.changes import Commit, TaskReopened
from outlast.store import journal
from outlast.store.files.repair import is_sound, repair
from outlast.store.journal import add_checksum
from outlast.system.disk import Disk
from tests.store.files.damage import (
    ADD,
    LINE,
    PATH,
    STEP,
    WHERE,
    SampleJournal,
    disk_with,
    flip_byte,
    repair_and_check,
)
from tests.store.opening import new_files
from tests.store.operations import (
    CREATE,
    JOURNAL,
    LATEST,
    NOW,
    SNAPSHOT,
    STEPS,
    change,
    on_disk,
    open_store,
    state,
)
from tests.store.simulated_disk import SimulatedDisk

EVERY_BYTE = "OUTLAST_EVERY_BYTE" in os.environ


@pytest.fixture(scope="module")
def made() -> SampleJournal:
    return SampleJournal()


def _without_numbers(state: dict[str, Any]) -> dict[str, Any]:
    """Leave out what a repair always moves on: the numbers of attempts and leases."""
    return {name: value for name, value in state.items() if name not in {"ledger", "revision"}}


def check_flips(made: SampleJournal, offsets: Iterator[int] | range) -> None:
    expected: dict[int, dict[str, Any]] = {}
    last = len(made.ends) - 1
    for offset in offsets:
        line = made.line_of(offset)
        damaged = flip_byte(made.data, offset)
        if line == last or offset == made.ends[last - 1] - 1:  # a torn end, which opening cuts
            disk = disk_with(damaged)
            assert repair(WHERE, disk, LATEST) == []
            assert disk.get(PATH) == damaged
            continue
        found, details = repair_and_check(disk_with(damaged), damaged)
        ends_a_line = offset + 1 in made.ends
        if line == 0 or ends_a_line:  # nothing but the header, or a line's end
            assert _without_numbers(found) == _without_numbers(made.state), offset
            assert details["lost_commits"] == 0
            assert details["kept_commits"] == len(made.commits)
        elif line > 1:
            if line not in expected:
                expected[line] = made.without(line)
            assert found == expected[line], offset
        else:
            assert found["goal"] == CREATE.key
            assert found["tasks"] == made.state["tasks"]


@pytest.mark.slow
def test_f6_a_flipped_byte_costs_its_commit_and_what_depends_on_it(made: SampleJournal) -> None:
    check_flips(made, range(0, len(made.data), 13 * STEP))
    check_flips(made, (end - 1 for end in made.ends))


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("part", range(STEP))
def test_f6_a_byte_flipped_anywhere_costs_its_commit_and_what_depends_on_it(
    part: int, made: SampleJournal
) -> None:
    check_flips(made, range(part, len(made.data), STEP if EVERY_BYTE else 6 * STEP))


def test_f6_what_depended_on_the_lost_is_gone_and_nothing_else(made: SampleJournal) -> None:
    damaged = flip_byte(made.data, made.ends[1] + 30)  # the phase
    found, details = repair_and_check(disk_with(damaged), damaged)
    assert (details["lost_commits"], details["kept_commits"]) == (1, len(made.commits) - 1)
    assert found["tasks"] == made.state["tasks"]
    damaged = flip_byte(made.data, made.ends[3] + 30)  # tasks four and five
    found, details = repair_and_check(disk_with(damaged), damaged)
    lost = {4, 5}
    assert found["tasks"] == {n: t for n, t in made.state["tasks"].items() if n not in lost}
    assert details["lost_commits"] == 2  # and the claim on five


def test_f6_answers_are_kept_under_their_keys(made: SampleJournal) -> None:
    disk = disk_with(flip_byte(made.data, made.ends[3] + 30))
    repair(WHERE, disk, LATEST)
    store = open_store(WHERE, disk)
    before = state(store)
    commit = change(store, STEPS[3], key="step 3")
    assert state(store) == before
    assert commit.changes == made.commits[4].changes
    assert commit.revision == made.commits[4].revision - 1
    change(store, STEPS[2], key="step 2")  # this one was lost: it is done again
    assert [t.name for t in state(store)["tasks"].values()][-2:] == ["four", "five"]


def test_f6_answers_that_changed_nothing_are_kept_too() -> None:
    disk = SimulatedDisk()
    store = new_files(WHERE, disk, CREATE, author="ann", now=NOW)
    nothing = (c.EditPlan(goal=CREATE.goal),)
    change(store, nothing, key="before")
    change(store, ADD)
    change(store, ADD)
    change(store, nothing, key="behind")
    lines = disk.get(PATH).splitlines(keepends=True)
    disk = disk_with(b"".join((*lines[:3], b"?\n", *lines[4:])))
    [(_, details)] = repair(WHERE, disk, LATEST)
    assert details["lost_commits"] == 1
    store = open_store(WHERE, disk)
    before = disk.get(PATH)
    assert change(store, nothing, key="before").revision == 1
    assert change(store, nothing, key="behind").revision == 2
    assert disk.get(PATH) == before


def test_f6_the_notice_reads_well_in_both_languages(made: SampleJournal) -> None:
    [(key, details)] = repair(WHERE, disk_with(flip_byte(made.data, made.ends[3] + 30)), LATEST)
    assert text(key, "en", **details) == (
        f"{WHERE}: repaired; the new journal has 21 good commits, 2 could not be read or no "
        f"longer fit; the damaged file was kept: {details['kept']}"
    )
    assert str(details["kept"]) in text(key, "zh", **details)


def test_f6_a_sound_journal_is_not_touched(made: SampleJournal) -> None:
    for data in (made.data, made.data[:-9], made.data + b'{"revision":99'):
        disk = disk_with(data)
        assert repair(WHERE, disk, LATEST) == []
        assert disk.list_directory(WHERE) == [JOURNAL]
        assert disk.get(PATH) == data


@pytest.mark.parametrize("data", [b"", b"\n", b"no journal\nat all\n", b"\x00" * 999, b"{}\n{}\n"])
def test_f6_a_file_in_which_nothing_can_be_read_is_left_alone(data: bytes) -> None:
    disk = disk_with(data)
    with pytest.raises(DamagedJournal) as caught:
        repair(WHERE, disk, LATEST)
    assert (caught.value.text, caught.value.details) == ("journal_unreadable", {"path": PATH})
    assert disk.list_directory(WHERE) == [JOURNAL]
    assert disk.get(PATH) == data


def test_f6_a_journal_of_a_newer_form_is_left_alone(made: SampleJournal) -> None:
    data = add_checksum(b'{"outlast":"journal","format":9,"key":"k"}') + made.data[made.ends[0] :]
    disk = disk_with(flip_byte(data, len(data) // 2))
    with pytest.raises(NewerFormat):
        repair(WHERE, disk, LATEST)
    assert disk.list_directory(WHERE) == [JOURNAL]


def test_f6_without_a_journal_there_is_nothing_to_repair(tmp_path: Path) -> None:
    with pytest.raises(PlanNotFound):
        repair(str(tmp_path), Disk(), LATEST)


@pytest.mark.parametrize(
    ("where", "header", "key", "shared"),
    [
        ("/plans/some-key", b"", "some-key", False),
        ("/plans/Ab~c1", b'{"outlast":"journal","shared":true', "Ab", True),
        ("/plans/A B", b"", "some-key", False),
    ],
)
def test_f6_a_lost_header_is_made_again(
    where: str,
    header: bytes,
    key: str,
    shared: bool,  # noqa: FBT001 - a table
    made: SampleJournal,
) -> None:
    disk = SimulatedDisk()
    disk.put(f"{where}/{JOURNAL}", header + b"\n" + made.data[made.ends[0] :])
    repair(where, disk, LATEST)
    whole = journal.write_header(key, shared=shared) + made.data[made.ends[0] :]
    assert disk.get(f"{where}/{JOURNAL}").startswith(whole)


def test_f6_a_plan_without_a_name_or_a_beginning_still_goes_on(made: SampleJournal) -> None:
    disk = SimulatedDisk()
    disk.put(f"/A B/{JOURNAL}", b"\n\n" + made.data[made.ends[2] :])
    repair("/A B", disk, LATEST)
    store = open_store("/A B", disk)
    found = state(store)
    assert found["goal"] == found["title"] == "recovered"
    assert found["tasks"] == made.state["tasks"]
    assert str(found["id"]).startswith("plan_")


def test_f6_a_phase_that_only_its_tasks_speak_of_comes_back() -> None:
    disk = SimulatedDisk()
    store = new_files(WHERE, disk, CREATE, author="ann", now=NOW)
    change(store, (c.AddPhase("Later"),))
    change(store, (c.AddTasks((c.NewTask("one", "later"), c.NewTask("two"))),))
    lines = disk.get(PATH).splitlines(keepends=True)
    damaged = b"".join((lines[0], b"?\n", b"?\n", lines[3]))
    disk = disk_with(damaged)
    found, _ = repair_and_check(disk, damaged)
    assert [phase.id for phase in found["phases"]] == ["main", "later"]
    assert found["list order"] == (2, 1)


# --- other damage -------------------------------------------------------------------------------


def senseless_journals(made: SampleJournal) -> Iterator[bytes]:
    """Yield journals with good checksums that do not apply, or with much damage."""
    lines = made.data.splitlines(keepends=True)
    yield b"".join((*lines[:6], lines[5], *lines[6:]))  # twice
    yield b"".join((*lines[:6], lines[7], lines[6], *lines[8:]))  # out of order
    yield b"".join((*lines[:6], *lines[8:]))  # gone
    yield b"".join((*lines[:4], bytes(4096), *lines[5:]))
    yield b"".join(line[: len(line) // 2] if n % 3 == 2 else line for n, line in enumerate(lines))
    bad = Commit(7, NOW, "ann", (*made.commits[4].changes, made.commits[1].changes[0]))
    yield b"".join((*lines[:7], journal.write_commit(bad), *lines[7:]))
    unknown = Commit(6, NOW, "ann", (TaskReopened(33),))
    yield b"".join((*lines[:6], journal.write_commit(unknown), *lines[6:]))


def test_f6_good_lines_that_do_not_apply_are_repaired_too(made: SampleJournal) -> None:
    for damaged in senseless_journals(made):
        found, details = repair_and_check(disk_with(damaged), damaged)
        assert found["goal"] == made.state["goal"]
        assert int(str(details["kept_commits"])) > 5


@pytest.mark.slow
def test_f6_random_damage_never_leaves_less_than_a_plan(made: SampleJournal) -> None:
    for seed in range(300):
        random = Random(seed)  # noqa: S311 - repeatable
        damaged = bytearray(made.data)
        for _ in range(random.randrange(1, 9)):
            at, size = random.randrange(len(damaged)), random.randrange(1, 700)
            damaged[at : at + size] = random.randbytes(random.choice((0, size, size)))
        if not is_sound(journal.split_lines(bytes(damaged)), NOW):
            repair_and_check(disk_with(bytes(damaged)), bytes(damaged))


# --- with a snapshot ----------------------------------------------------------------------------


def snapshot_at(made: SampleJournal, line: int, eager: Callable[[], None]) -> bytes:
    """Return the snapshot of the plan after a line."""
    eager()
    disk = disk_with(made.data[: made.ends[line]])
    open_store(WHERE, disk).close()
    return disk.get(f"{WHERE}/{SNAPSHOT}")


def is_alike(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Tell whether two plans are the same except for skipped numbers."""
    names = {"revision", "next_id", "ledger"}
    return (
        {k: v for k, v in found.items() if k not in names}
        == {k: v for k, v in expected.items() if k not in names}
        and found["ledger"].leases == expected["ledger"].leases
        and found["ledger"].attempts == expected["ledger"].attempts
        and found["ledger"].last_token >= expected["ledger"].last_token
    )


@pytest.mark.parametrize("line", [1, 2, 4, 10, 20])
def test_f6_what_a_snapshot_knows_is_not_lost(
    line: int, made: SampleJournal, eager: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for until in (20, 22, len(made.ends) - 1):
        snapshot = snapshot_at(made, until, eager)
        monkeypatch.undo()
        for back in (30, 9):
            damaged = flip_byte(made.data, made.ends[line] - back)
            found, _ = repair_and_check(disk_with(damaged, snapshot=snapshot), damaged)
            assert is_alike(found, made.state), (until, back)


def test_f6_a_snapshot_alone_is_enough(made: SampleJournal, eager: Callable[[], None]) -> None:
    snapshot = snapshot_at(made, len(made.ends) - 1, eager)
    for damaged in (b"", bytes(999), made.data[:99]):
        disk = disk_with(damaged, snapshot=snapshot)
        [(key, details)] = repair(WHERE, disk, LATEST)
        assert (key, details["source"], details["revision"]) == (
            "plan_rebuilt",
            SNAPSHOT,
            made.state["revision"],
        )
        assert details["tasks"] == len(made.state["tasks"])
        assert is_alike(state(open_store(WHERE, disk)), made.state)
        assert disk.get(f"{WHERE}/{JOURNAL}").startswith(journal.write_header("some-key"))


def test_f6_a_snapshot_of_something_else_is_not_believed(
    made: SampleJournal, eager: Callable[[], None]
) -> None:
    eager()
    other = SimulatedDisk()
    store = new_files(WHERE, other, CREATE, author="ann", now=NOW)
    for n in range(30):
        change(store, (c.AddTasks((c.NewTask(f"another {n}"),)),))
    store.close()
    damaged = flip_byte(made.data, made.ends[LINE] - 30)
    disk = disk_with(damaged, snapshot=other.get(f"{WHERE}/{SNAPSHOT}"))
    [_] = repair(WHERE, disk, LATEST)
    names = [task.name for task in on_disk(WHERE, disk)["tasks"].values()]
    assert "another 0" not in names
    assert names[:2] == ["one", "two"]
