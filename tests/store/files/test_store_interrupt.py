"""F1, X6: Ctrl-C at any line of the store leaves a plan that can be read and written on."""

import linecache
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from threading import Thread
from types import FrameType, TracebackType
from typing import Any, Self

import pytest

import outlast
from outlast.model import commands as c
from outlast.model.changes import Commit
from outlast.model.execute import return_commit
from outlast.store.port import Request
from outlast.store.store import Store
from tests.store.operations import (
    JOURNAL,
    LATER,
    STEPS,
    change,
    fresh_directory,
    get_files,
    make_store,
    on_disk,
    open_store,
    put_files,
    state,
)

PACKAGE = str(Path(outlast.__file__).parent)
ADD = (c.AddTasks((c.NewTask("new"),)),)
STEP = 10
PATIENCE = 5
BLOCKS = [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, STEP))]


class Interrupt:
    """Interrupts this thread, and no other, at line number `at` of the package.

    The interpreter delivers no interrupt between `try:`, or the end of a `with`, and the next line.
    """

    def __init__(self, at: int) -> None:
        self.left = at

    def __enter__(self) -> Self:
        self.before = sys.gettrace()
        sys.settrace(self.look)
        return self

    def look(self, frame: FrameType, event: str, _: object) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line" and not _line(frame).startswith(("try:", "with ")):
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt  # with which the interpreter also ends the tracing
        return self.look

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> bool:
        sys.settrace(self.before)
        return kind is KeyboardInterrupt

    @property
    def came(self) -> bool:
        return self.left <= 0


def _line(frame: FrameType) -> str:
    return linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()


def every_line(block: int, interrupt_at: Callable[[int], bool]) -> int:
    """Interrupt at every tenth line until there are no more; return how many there were."""
    for number, at in enumerate(count(1 + block, STEP)):
        try:
            if not interrupt_at(at):
                return number
        except BaseException as error:
            error.add_note(f"line {at}")
            raise
    raise AssertionError


# Reading


def append(path: Path, files: dict[str, bytes]) -> None:
    with (path / JOURNAL).open("ab") as file:
        file.write(files[JOURNAL][file.tell() :])


def exchange(path: Path, files: dict[str, bytes]) -> None:
    (path / "other").write_bytes(files[JOURNAL])
    (path / "other").rename(path / JOURNAL)


WAYS: dict[str, Callable[[Path, dict[str, bytes]], None]] = {
    "others have written": append,
    "the file was exchanged": exchange,
}


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("way", WAYS)
def test_f1_after_an_interrupted_read_the_next_read_and_commit_are_right(
    way: str, block: int, ram_path: Path
) -> None:
    made = fresh_directory(ram_path / "made")
    store = make_store(made)
    old = get_files(made)
    change(store, ADD, key="theirs")
    change(store, STEPS[1])
    expected, new = state(store), get_files(made)
    store.close()

    def read(at: int) -> bool:
        path = put_files(ram_path / "plan", old)
        store = open_store(path)
        WAYS[way](path, new)
        with Interrupt(at) as interrupt:
            store.read(lambda _: None)
        assert state(store) == expected
        assert change(store, ADD).revision == expected["revision"] + 1
        assert state(store) == on_disk(path)
        assert change(store, ADD, key="theirs").revision < expected["revision"]
        assert store.notices == []
        store.close()
        return interrupt.came

    assert every_line(block, read) > 5


# Committing together with others


class Batch:
    """Commits of another thread, of the writer thread, and of this thread, which leads."""

    def __init__(self, store: Store, at: int) -> None:
        self.store = store
        self.theirs: list[BaseException | Commit] = []
        self.own: Commit | None = None
        with store.lock.mutex:
            thread = Thread(target=self.commit_elsewhere, daemon=True)
            thread.start()
            self.sent = self.submit()
            while len(store._queue) < 2:  # noqa: SLF001 - the other thread is about to join
                thread.join(0.0001)
            with Interrupt(at) as self.interrupt:
                self.own = self.add("own")
        thread.join(PATIENCE)
        assert not thread.is_alive(), "nobody wakes it"

    def add(self, name: str) -> Commit:
        return change(self.store, (c.AddTasks((c.NewTask(name),)),))

    def submit(self) -> Future[Commit]:
        sent = (c.AddTasks((c.NewTask("sent"),)), *ADD)
        return self.store.submit(Request(sent, "ann", LATER), return_commit)

    def commit_elsewhere(self) -> None:
        try:
            self.theirs.append(self.add("theirs"))
        except BaseException as error:  # noqa: BLE001 - looked at below
            self.theirs.append(error)

    def acknowledged(self) -> Iterator[tuple[str, Commit]]:
        [theirs] = self.theirs
        assert isinstance(theirs, Commit), theirs
        yield "theirs", theirs
        yield "sent", self.sent.result(PATIENCE)
        if self.own is not None:
            yield "own", self.own


def check_batch(batch: Batch, path: Path) -> None:
    """Check that every caller got an answer, and that acknowledged commits are there once."""
    names = batch.store.read(lambda state: [task.name for task in state.tasks_in_order()])
    assert names.count("own") <= 1
    made = {commit.revision: commit for commit in batch.store.commits_since(0)}
    for name, commit in batch.acknowledged():
        assert names.count(name) == 1
        assert made[commit.revision].changes == commit.changes
    batch.add("afterwards")
    assert state(batch.store) == on_disk(path)
    assert batch.store.notices == []


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("snapshots", [False, True])
def test_x6_an_interrupted_commit_costs_other_callers_nothing(
    block: int, ram_path: Path, eager: Callable[[], None], *, snapshots: bool
) -> None:
    made = fresh_directory(ram_path / "made")
    make_store(made).close()
    files = get_files(made)
    if snapshots:
        eager()

    def commit(at: int) -> bool:
        path = put_files(ram_path / "plan", files)
        store = open_store(path)
        batch = Batch(store, at)
        check_batch(batch, path)
        store.close()
        return batch.interrupt.came

    assert every_line(block, commit) > 20
