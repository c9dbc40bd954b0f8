"""F1, F6: whatever call the view dies in, the journal is whole and nothing half-done stays."""

from collections.abc import Callable
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from outlast.errors import OutlastError, StoreError
from outlast.model import commands as c
from outlast.store.files.log import open_files
from tests.model.indexes import encode_all
from tests.plan.places import DONE, SEED, act, drop, make_session, open_session
from tests.store.faults import FaultyDisk, Killed, QuickDisk
from tests.store.operations import get_files, put_files

Files = dict[str, bytes]


def edited(files: Files) -> Files:
    return files | {"plan.json": files["plan.json"].replace(b"one", b"uno")}


def damaged(files: Files) -> Files:
    return files | {"plan.json": b""}


def behind(files: Files) -> Files:
    return files | {"plan.json": b"{}", "rendered.json": b"{"}


SCENES: dict[str, Callable[[Files], Files]] = {
    "ours": dict,
    "edited": edited,
    "damaged": damaged,
    "behind": behind,
}
HOUR_NS = 3_600 * 1_000_000_000


class LateDisk(QuickDisk):
    """A disk whose files were all written an hour ago: nobody waits for the rest of a save."""

    def now_ns(self) -> int:
        return super().now_ns() + HOUR_NS


def play(workspace: Path, disk: FaultyDisk) -> None:
    """Open a plan, change it, close it."""
    store = open_session(workspace, disk)
    try:
        act(store, DONE)
    finally:
        store.close()


def check(directory: Path, workspace: Path, others: list[bytes]) -> None:
    """See that the plan is whole, its view true, and that what others wrote is still there."""
    store = open_session(workspace, LateDisk())
    done = store.read(lambda state: state.tasks[2].status)
    found, updated_at = store.read(encode_all), store.read(lambda state: state.updated_at)
    store.close()
    files = get_files(directory)
    assert not [name for name in files if name.endswith(".new")]
    assert (b"all of them" in files["plan.json"]) == (done == "completed")
    for other in others:
        assert other in files.values()
    alone = open_files(str(directory), LateDisk(), updated_at)
    assert alone.read(encode_all) == found
    alone.close()


@pytest.mark.parametrize("scene", SCENES)
def test_f1_dying_in_the_view_never_harms_the_plan(scene: str, tmp_path: Path) -> None:
    make_session(tmp_path).close()
    directory = tmp_path / ".sessions" / "x"
    files = SCENES[scene](get_files(directory))
    others = [] if scene == "ours" else [files["plan.json"]]
    put_files(directory, files)
    play(tmp_path, calm := FaultyDisk(LateDisk()))
    for call in range(1, len(calm.calls) + 1):
        put_files(directory, files)
        with pytest.raises(Killed):
            play(tmp_path, FaultyDisk(LateDisk(), call, torn=call % 7))
        check(directory, tmp_path, others)


@pytest.mark.parametrize("scene", SCENES)
def test_f2_a_call_that_fails_in_the_view_costs_at_most_the_view(
    scene: str, tmp_path: Path
) -> None:
    make_session(tmp_path).close()
    directory = tmp_path / ".sessions" / "x"
    files = SCENES[scene](get_files(directory))
    others = [] if scene == "ours" else [files["plan.json"]]
    put_files(directory, files)
    play(tmp_path, calm := FaultyDisk(LateDisk()))
    refusable = [n for n, kind in enumerate(calm.calls, 1) if kind not in ("close", "unlock")]
    for call, lasting in product(refusable, (False, True)):
        put_files(directory, files)
        disk = FaultyDisk(LateDisk(), call, error=OSError(5, "broken"), lasting=lasting)
        with suppress(StoreError):
            play(tmp_path, disk)
        check(directory, tmp_path, others)


def test_f1_dying_while_a_foreign_plan_is_taken_over_loses_nothing(tmp_path: Path) -> None:
    view = drop(tmp_path, SEED.read_bytes())
    open_session(tmp_path, calm := FaultyDisk(LateDisk()))
    for call in range(1, len(calm.calls) + 1):
        put_files(view.parent, {"plan.json": SEED.read_bytes()})
        with pytest.raises(Killed):
            open_session(tmp_path, FaultyDisk(LateDisk(), call)).close()
        store = open_session(tmp_path, LateDisk())
        assert [text for text, _ in store.notices] in ([], ["leftover_removed"])
        assert store.read(lambda state: (state.id, len(state.tasks))) == ("plan_abc123", 2)
        store.close()
        assert get_files(view.parent).keys() == {"journal.jsonl", "plan.json", "rendered.json"}
        assert view.read_bytes() == SEED.read_bytes()


def test_f1_dying_while_a_plan_is_made_leaves_all_of_it_or_none(tmp_path: Path) -> None:
    make_session(_fresh(tmp_path, 0), calm := FaultyDisk(LateDisk())).close()
    for call in range(1, len(calm.calls) + 1):
        workspace = _fresh(tmp_path, call)
        with pytest.raises(Killed):
            make_session(workspace, FaultyDisk(LateDisk(), call)).close()
        try:
            store = open_session(workspace, LateDisk())
        except OutlastError:
            store = make_session(workspace)
        assert store.read(lambda state: len(state.tasks)) in (0, 3)
        act(store, c.CountIteration())
        store.close()


def _fresh(tmp_path: Path, number: int) -> Path:
    made = tmp_path / str(number)
    made.mkdir()
    return made
