"""R4.02: an edit is looked up once, and rendered together with the command after it."""

from __future__ import annotations

import time
from threading import Event
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from outlast.documents.views.registry import OUTLAST
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.store.port import Request
from tests.documents.views.rendered_plans import TASK_PLAN, with_sync
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.opening import new_views, open_views, views_of
from tests.store.operations import CREATE, NOW, change

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from outlast.model.state import PlanState
    from outlast.store.port import EditedView, Views
    from outlast.store.store import Store

PATIENCE = 30
RENDERED: list[int] = []


def count_rendering(state: PlanState, mark: str) -> bytes:
    """Render a plan, and note its revision."""
    RENDERED.append(state.revision)
    return OUTLAST.views[0].render(state, mark)


COUNTING = replace(
    OUTLAST, views=(replace(OUTLAST.views[0], render=count_rendering), *OUTLAST.views[1:])
)


@pytest.fixture(autouse=True)
def begin() -> Iterator[None]:
    RENDERED.clear()
    yield
    RENDERED.clear()


def make(path: Path) -> None:
    store = new_views(str(path), QuickDisk(), CREATE, now=NOW, layout=COUNTING)
    with_sync(store, lambda: NOW)
    change(store, (c.AddTasks((c.NewTask("one"), c.NewTask("two"))),))
    store.close()
    RENDERED.clear()


def open_counting(path: Path, disk: FaultyDisk | None = None) -> Store:
    return with_sync(open_views(str(path), disk or QuickDisk(), NOW, layout=COUNTING), lambda: NOW)


def edit(path: Path, old: str, new: str) -> None:
    view = path / TASK_PLAN
    view.write_text(view.read_text().replace(old, new))


def test_r4_02_an_edit_found_on_opening_is_rendered_with_the_command_after_it(
    tmp_path: Path,
) -> None:
    make(tmp_path)
    edit(tmp_path, "two", "zwei")
    disk = FaultyDisk(QuickDisk())
    store = open_counting(tmp_path, disk)
    assert RENDERED == []
    assert change(store, (c.Complete(1, "ann", "done"),)).revision == 4
    assert RENDERED == [4]
    store.close()
    assert RENDERED == [4]
    shown = (tmp_path / TASK_PLAN).read_text()
    assert "- [x] ● **1** one" in shown
    assert "zwei" in shown


def test_r4_02_an_edit_of_an_open_plan_is_rendered_with_the_command_after_it(
    tmp_path: Path,
) -> None:
    make(tmp_path)
    store = open_counting(tmp_path)
    time.sleep(0.3)  # it looks five times a second
    edit(tmp_path, "two", "zwei")
    assert change(store, (c.Complete(1, "ann", "done"),)).revision == 4
    store.close()
    assert RENDERED == [4]


def test_r4_02_an_edit_is_rendered_after_a_read(tmp_path: Path) -> None:
    make(tmp_path)
    edit(tmp_path, "two", "zwei")
    store = open_counting(tmp_path)
    assert store.read(lambda state: state.tasks[2].name) == "zwei"
    assert RENDERED == [3]
    store.close()
    assert RENDERED == [3]


def test_x3_looks_between_commits_leave_the_views_to_the_next_rendering(tmp_path: Path) -> None:
    """A process renders at most once a second, however often tools have it look for edits."""
    make(tmp_path)
    store = open_counting(tmp_path)
    for count in range(30):
        change(store, (c.AddTasks((c.NewTask(f"Task {count}"),)),))
        views_of(store).sync_touched()
        views_of(store).sync_touched("bash")
    assert len(RENDERED) < 10
    store.close()
    assert RENDERED[-1] == 2 + 30


def test_r4_02_what_is_submitted_finds_edits_and_waits_for_none(tmp_path: Path) -> None:
    make(tmp_path)
    store = open_views(str(tmp_path), QuickDisk(), NOW, layout=COUNTING)
    is_applying, go_on = Event(), Event()

    def apply(views: Views, edits: Sequence[EditedView], *, confirmed: bool) -> None:
        assert views.view_paths()
        assert [edit.name for edit in edits] == [TASK_PLAN]
        assert not confirmed
        is_applying.set()
        assert go_on.wait(PATIENCE)

    views_of(store).sync_with(apply)
    time.sleep(0.3)  # it looks five times a second
    edit(tmp_path, "two", "zwei")
    request = Request((c.CountIteration(),), "ann", NOW)
    store.submit(request, return_commit).result(PATIENCE)
    assert is_applying.wait(PATIENCE)
    assert store.submit(request, return_commit).result(PATIENCE).revision == 4
    go_on.set()
    store.close()


def test_r4_02_views_that_are_current_are_neither_rendered_nor_locked(tmp_path: Path) -> None:
    make(tmp_path)
    disk = FaultyDisk(QuickDisk())
    store = open_counting(tmp_path, disk)
    disk.calls.clear()
    for _ in range(3):
        store.read(lambda state: state.revision)
    assert set(disk.calls) <= {"stat_path", "read"}
    store.close()
    assert RENDERED == []
