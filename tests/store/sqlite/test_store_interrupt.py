"""X6, F1: an interrupt anywhere leaves none or all of a commit, and no lock."""

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from outlast.errors import InvalidStatus
from outlast.model.changes import Commit
from outlast.model.execute import return_commit
from outlast.store import sqlite
from outlast.store.port import Request
from outlast.store.store import Store
from tests.store.operations import LATER
from tests.store.sqlite.databases import ADD, NAME, change, make_store, on_disk, open_store, state

OURS = str(Path(sqlite.__path__[0]))
ENDS = 1000  # an operation has fewer lines than that


class Interrupt(KeyboardInterrupt):
    """The interrupt that a person sends."""


def interrupted(line: int, work: Callable[[], object]) -> bool:
    """Call a function, interrupted after so many lines of the store; return whether it was."""
    left = [line]

    def enter(frame: FrameType, _event: str, _argument: object) -> Any:
        return count if frame.f_code.co_filename.startswith(OURS) else None

    def count(_frame: FrameType, event: str, _argument: object) -> Any:
        left[0] -= event == "line"
        if not left[0]:
            left[0] = -1
            sys.settrace(None)
            raise Interrupt
        return count

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        work()
    except Interrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def assert_sound(path: Path, store: Store) -> None:
    """Check that the store agrees with the database and leaves no lock."""
    assert state(store) == on_disk(path)
    with closing(sqlite3.connect(path / NAME, timeout=0, isolation_level=None)) as other:
        other.execute("begin immediate")
        other.execute("rollback")


@pytest.mark.slow
def test_x6_a_commit_interrupted_anywhere_is_there_or_not(ram_path: Path) -> None:
    store = make_store(ram_path)
    seen = set()
    for line in range(1, ENDS):
        before = state(store)["revision"]
        stopped = interrupted(line, lambda: change(store, ADD))
        assert_sound(ram_path, store)
        new = state(store)["revision"] - before
        assert new in ((0, 1) if stopped else (1,))
        seen.add((stopped, new))
        if not stopped:
            break
    assert seen == {(True, 0), (True, 1), (False, 1)}
    store.close()


def test_x6_a_question_interrupted_anywhere_leaves_the_plan_readable(ram_path: Path) -> None:
    store, other = make_store(ram_path), open_store(ram_path)
    for line in range(1, ENDS):
        change(other, ADD)
        stopped = interrupted(line, lambda: state(store))
        assert_sound(ram_path, store)
        if not stopped:
            break
    assert line > 20
    store.close()
    other.close()


def test_x6_a_plan_cannot_be_changed_by_a_question_about_it(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)
    with pytest.raises(InvalidStatus):
        store.read(lambda _: change(store, ADD))
    with pytest.raises(InvalidStatus):
        store.commit(Request(ADD, "ann", LATER), lambda *_: change(store, ADD))
    future = store.submit(Request(ADD, "ann", LATER), lambda *_: change(store, ADD))
    assert isinstance(future.exception(30), InvalidStatus)
    assert state(store) == on_disk(ram_path)
    assert state(store)["revision"] == before["revision"] + 2
    store.close()


def test_x6_what_ends_one_submitted_commit_costs_no_other(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)["revision"]

    def leave(*_: object) -> Commit:
        raise SystemExit

    with store.lock.mutex:
        futures = [
            store.submit(Request(ADD, "ann", LATER), then)
            for then in (return_commit, leave, return_commit)
        ]
    assert isinstance(futures[1].exception(30), SystemExit)
    made = [future.result(30) for future in (futures[0], futures[2])]
    assert [commit.revision - before for commit in made] == [1, 2]
    assert on_disk(ram_path)["revision"] == before + 2
    store.close()


def test_x6_a_snapshot_is_written_for_the_file_it_was_made_of(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)
    (ram_path / NAME).rename(ram_path / "elsewhere")
    store.replica.save_snapshot()  # at this very moment
    assert store.notices == []
    (ram_path / "elsewhere").rename(ram_path / NAME)
    assert state(store) == before
    store.close()
