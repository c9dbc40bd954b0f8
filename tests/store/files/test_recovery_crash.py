"""F1: after a crash in any call the plan is the old or the new one, and whole."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from outlast.errors import PlanNotFound
from outlast.model import commands as c
from outlast.store.port import Request
from tests.store.faults import FaultyDisk, Killed, QuickDisk
from tests.store.opening import new_files
from tests.store.operations import (
    CREATE,
    JOURNAL,
    LATER,
    LATEST,
    NOW,
    OPERATIONS,
    change,
    fresh_directory,
    get_files,
    on_disk,
    open_store,
    put_files,
    state,
    templates,
)

MORE = (c.AddTasks((c.NewTask("after the crash"),)),)
SOAK = "OUTLAST_EVERY_BYTE" in os.environ
LONG, STRIDE = (500, 23) if SOAK else (500, 97)  # from how many bytes on not each one is tried
OFTEN = ("complete", "add", "begin attempt", "end attempt", "answer", "undo", "several")
CUT_SHORT = OPERATIONS if SOAK else ("complete", "add", "several")
Eager = Callable[[], None]


class Scene:
    """One operation on one directory, from opening to closing, repeated for every call."""

    def __init__(
        self, path: Path, files: dict[str, bytes], commands: tuple[c.Command, ...]
    ) -> None:
        self.path, self.files, self.commands = path, files, commands
        self.before = on_disk(put_files(path, files))
        self.acknowledged = False
        put_files(path, files)
        self.disk = FaultyDisk(QuickDisk())
        self.play(self.disk)
        self.after = on_disk(path)
        assert self.after != self.before
        assert not self.disk.held, "a closed store holds no files"

    def play(self, disk: FaultyDisk) -> None:
        self.acknowledged = False
        store = open_store(self.path, disk)
        change(store, self.commands, key="the key")
        self.acknowledged = True
        store.close()

    def die_at(self, call: int, torn: int = 0) -> None:
        put_files(self.path, self.files)
        with pytest.raises(Killed):
            self.play(FaultyDisk(QuickDisk(), call, torn=torn))
        self.check()

    def check(self) -> None:
        store = open_store(self.path)
        found = state(store)
        assert found == self.after or (found == self.before and not self.acknowledged)
        assert not [name for name in os.listdir(self.path) if name.endswith(".new")]  # noqa: PTH208
        revision = change(store, self.commands, key="the key").revision
        assert state(store) == self.after, "asking again with the same key is harmless"
        assert revision == self.after["revision"]
        change(store, MORE)
        at_last = state(store)
        store.close()
        assert on_disk(self.path) == at_last


def test_f1_every_kind_of_command_is_among_the_operations() -> None:
    tried = {type(command) for commands in OPERATIONS.values() for command in commands}
    assert tried == {*c.Command.__args__} - {c.CreatePlan}


@pytest.mark.soak
@pytest.mark.parametrize("snapshots", ["rare", "eager"])
@pytest.mark.parametrize(
    "operation",
    [pytest.param(name, marks=[pytest.mark.slow] * (name not in OFTEN)) for name in OPERATIONS],
)
def test_f1_dying_at_any_call_leaves_the_old_or_the_new_plan(
    operation: str, snapshots: str, ram_path: Path, eager: Eager, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = 0
    starts = templates(ram_path / "made", eager, operation)
    if snapshots == "rare":
        monkeypatch.undo()
    for files in starts.values():
        scene = Scene(ram_path / "plan", files, OPERATIONS[operation])
        for call in range(1, len(scene.disk.calls) + 1):
            scene.die_at(call)
        points += len(scene.disk.calls)
    assert points >= 45


@pytest.mark.soak
@pytest.mark.parametrize(
    "operation",
    [pytest.param(name, marks=[pytest.mark.slow] * (name != "complete")) for name in CUT_SHORT],
)
def test_f1_a_write_cut_short_at_any_byte_leaves_the_old_or_the_new_plan(
    operation: str, ram_path: Path, eager: Eager
) -> None:
    points = 0
    for files in templates(ram_path / "made", eager, operation).values():
        scene = Scene(ram_path / "plan", files, OPERATIONS[operation])
        for call, length in enumerate(scene.disk.written, 1):
            for torn in range(1, length + 1, 1 if length < LONG else STRIDE):
                scene.die_at(call, torn)
                points += 1
    assert points > 500


def test_f1_a_long_write_cut_short_is_none_or_all(ram_path: Path, eager: Eager) -> None:
    files = templates(ram_path / "made", eager)["plain"]
    scene = Scene(ram_path / "plan", files, OPERATIONS["add many"])
    call = scene.disk.written.index(max(scene.disk.written)) + 1
    length = scene.disk.written[call - 1]
    for torn in (*range(1, length, 61), length - 1, length):
        scene.die_at(call, torn)


def test_f1_dying_while_a_plan_is_made_leaves_none_or_all_of_it(
    ram_path: Path, eager: Eager
) -> None:
    eager()
    path = ram_path / "plan"
    counting = FaultyDisk(QuickDisk())
    where = str(fresh_directory(path))
    new_files(where, counting, CREATE, author="ann", now=NOW).close()
    made = on_disk(path)
    kills = [(call, 0) for call in range(1, len(counting.calls) + 1)]
    kills += [
        (call, torn)
        for call, length in enumerate(counting.written, 1)
        for torn in range(1, length + 1)
    ]
    for call, torn in kills:
        fresh_directory(path)
        disk = FaultyDisk(QuickDisk(), call, torn=torn)
        with pytest.raises(Killed):
            new_files(where, disk, CREATE, author="ann", now=NOW).close()
        try:
            found = on_disk(path)
        except PlanNotFound:
            new_files(where, QuickDisk(), CREATE, author="ann", now=NOW).close()
            found = on_disk(path)
        assert found == made
        assert not [name for name in get_files(path) if name.endswith(".new")]
    assert len(kills) > 400


def test_f1_dying_again_while_recovering_does_no_more_harm(ram_path: Path, eager: Eager) -> None:
    files = templates(ram_path / "made", eager)["torn"]
    path = ram_path / "plan"
    before = on_disk(put_files(path, files))
    torn = files[JOURNAL][len(get_files(path)[JOURNAL]) :]
    calls = 0
    for call in range(1, 100):
        put_files(path, files)
        disk = FaultyDisk(QuickDisk(), call)
        try:
            open_store(path, disk).close()
        except Killed:
            calls += 1
        else:
            break
        for again in range(1, 8):
            with pytest.raises(Killed):
                open_store(path, FaultyDisk(QuickDisk(), again))
        assert on_disk(path) == before
        kept = [content for name, content in get_files(path).items() if ".torn-" in name]
        assert kept == [torn], "what was cut off is kept, whole"
        assert not [name for name in get_files(path) if name.endswith(".new")]
    assert calls > 15


def test_f1_an_interrupted_store_goes_on_with_what_is_on_disk(ram_path: Path, eager: Eager) -> None:
    files = templates(ram_path / "made", eager)["plain"]
    scene = Scene(ram_path / "plan", files, OPERATIONS["several"])
    first = len(count_calls_of_opening(scene).calls)
    for call in range(first + 1, len(scene.disk.calls) + 1):
        kind = scene.disk.calls[call - 1]
        if kind == "unlock":  # the system unlocks in one piece; the rest is closing
            break
        put_files(scene.path, files)
        disk = FaultyDisk(QuickDisk(), call, error=KeyboardInterrupt())
        store = open_store(scene.path, disk)
        with pytest.raises(KeyboardInterrupt):
            change(store, scene.commands, key="the key")
        disk.heal()
        found = state(store)
        assert found in (scene.before, scene.after)
        assert found == on_disk(scene.path), f"interrupted in {kind}"
        change(store, MORE, now=LATEST)
        assert state(store) == on_disk(scene.path)
        store.close()
    else:
        pytest.fail("the operation never came to its end")


def count_calls_of_opening(scene: Scene) -> FaultyDisk:
    disk = FaultyDisk(QuickDisk())
    open_store(put_files(scene.path, scene.files), disk)
    return disk


def test_f1_an_answer_that_cannot_be_made_leaves_the_store_as_the_disk_is(ram_path: Path) -> None:
    store = new_files(str(ram_path), QuickDisk(), CREATE, author="ann", now=NOW)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.commit(Request(MORE, "ann", LATER), fail)
    assert state(store) == on_disk(ram_path)
    change(store, MORE)
    assert state(store) == on_disk(ram_path)
    store.close()
