"""Plans that have ended are put away, never removed, and no others (R4.01, F11)."""

from __future__ import annotations

import errno
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from outlast import create_plan, open_plan
from outlast.adapters.stores.archive import archive, find_archived_directories, refuse_unfinished
from outlast.errors import InvalidStatus, OutlastError, PlanNotFound, StoreError, TaskClaimed
from outlast.sessions import PlanningService
from outlast.system.clock import now
from outlast.wiring.archive import archive_old_plans, archive_plan, list_archived, open_archived
from outlast.wiring.plan_list import list_plans
from tests.adapters.stores.faults import FaultyDisk, Killed, QuickDisk

if TYPE_CHECKING:
    from outlast.ports.store import Layout

YEAR = 365


def make(workspace: Path, key: str, status: str, layout: Layout = "outlast") -> None:
    """Make a plan that stands in some way."""
    with create_plan(workspace, "Goal", key, layout=layout) as plan:
        if status == "empty":
            return
        plan.add("task")
        if status == "completed":
            plan.complete(1)
        elif status == "failed":
            plan.fail(1, "broke", retry=False)
        elif status == "in_progress":
            plan.start(1)
        elif status == "paused":
            plan.pause()
        elif status == "aborted":
            plan.abort()


OPEN = ("empty", "idle", "in_progress", "failed", "paused")


def test_r4_01_a_plan_that_has_ended_is_moved_as_a_whole(tmp_path: Path) -> None:
    layouts: dict[str, Layout] = {"a": "outlast", "b": "sessions", "c": "code-agent"}
    for key, layout in layouts.items():
        make(tmp_path, key, "completed", layout)
        before = next(tmp_path.rglob(f"{key}/journal.jsonl")).parent
        files = {path.name: path.read_bytes() for path in before.iterdir()}
        put = archive_plan(str(tmp_path), key)
        assert not before.exists()
        assert {path.name: path.read_bytes() for path in Path(put).iterdir()} == files
        assert put.startswith(str(tmp_path / ".outlast" / "archive" / f"{key}-"))
    assert list_plans(str(tmp_path)) == []
    assert [plan.key for plan in list_archived(str(tmp_path))] == ["a", "b", "c"]
    assert (tmp_path / ".outlast" / ".gitignore").read_text() == "*\n"
    assert (tmp_path / ".outlast" / "archive").stat().st_mode & 0o777 == 0o700


def test_r4_01_archived_plans_can_be_listed_and_read(tmp_path: Path) -> None:
    assert list_archived(str(tmp_path)) == []
    make(tmp_path, "a", "completed")
    put = archive_plan(str(tmp_path), "a")
    [found] = list_archived(str(tmp_path))
    assert (found.path, found.title, found.status, found.done, found.total) == (
        *(put, "Goal", "completed", 1, 1),
    )
    with open_archived(put) as plan:
        assert plan.task(1).status == "completed"
        assert len(plan.history.commits()) == 3
    (tmp_path / put / "journal.jsonl").write_text("no journal\n")
    [found] = list_archived(str(tmp_path))
    assert found.problem is not None


def test_r4_01_a_key_can_be_used_again(tmp_path: Path) -> None:
    for _ in range(3):
        make(tmp_path, "a", "completed")
        archive_plan(str(tmp_path), "a")
    assert [plan.key for plan in list_archived(str(tmp_path))] == ["a"] * 3


@pytest.mark.parametrize("status", OPEN)
def test_r4_01_an_open_plan_stays(tmp_path: Path, status: str) -> None:
    make(tmp_path, "a", status)
    with pytest.raises(InvalidStatus, match="only a plan that has ended"):
        archive_plan(str(tmp_path), "a")
    assert archive_old_plans(tmp_path, 0, clock=lambda: now() + timedelta(days=YEAR)) == []
    with open_plan(tmp_path, "a") as plan:
        assert plan.goal == "Goal"


def test_r4_01_a_plan_that_was_given_up_is_put_away_by_hand_only(tmp_path: Path) -> None:
    make(tmp_path, "a", "aborted")
    assert archive_old_plans(tmp_path, 0) == []
    archive_plan(str(tmp_path), "a")
    assert [plan.status for plan in list_archived(str(tmp_path))] == ["failed"]


def test_r4_01_a_plan_that_somebody_holds_stays(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed")
    with open_plan(tmp_path, "a") as plan, plan.core.claim_plan():
        with pytest.raises(TaskClaimed):
            archive_plan(str(tmp_path), "a")
        assert archive_old_plans(tmp_path, 0) == []
    assert archive_old_plans(tmp_path, 0) == ["a"]


def test_r4_01_a_plan_that_cannot_be_read_stays(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed")
    journal = tmp_path / ".outlast" / "plans" / "a" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + lines[1] + b"damaged\n" + b"".join(lines[2:]))
    with pytest.raises(OutlastError):
        archive_plan(str(tmp_path), "a")
    assert archive_old_plans(tmp_path, 0) == []
    assert journal.exists()


def test_r4_01_somebody_elses_plan_stays(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed", "sessions")
    (tmp_path / ".sessions" / "a" / "journal.jsonl").unlink()
    assert archive_old_plans(tmp_path, 0) == []
    assert (tmp_path / ".sessions" / "a" / "plan.json").exists()


def test_r4_01_an_edit_that_reopens_a_plan_comes_first(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed")
    view = tmp_path / ".outlast" / "plans" / "a" / "task_plan.md"
    view.write_text(view.read_text().replace("- [x] ● task", "- [ ] ○ task"))
    assert archive_old_plans(tmp_path, 0) == []
    with open_plan(tmp_path, "a") as plan:
        assert plan.task(1).status == "pending"


def test_r4_01_a_handle_on_an_archived_plan_changes_nothing(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed")
    with open_plan(tmp_path, "a") as plan:
        put = archive_plan(str(tmp_path), "a")
        with pytest.raises(PlanNotFound):
            plan.add("too late")
    assert not (tmp_path / ".outlast" / "plans" / "a").exists()
    with open_archived(put) as plan:
        assert len(plan.tasks()) == 1


def test_a4_a_link_leads_no_plan_out_of_the_workspace(tmp_path: Path) -> None:
    workspace, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    workspace.mkdir()
    elsewhere.mkdir()
    make(workspace, "a", "completed")
    (workspace / ".outlast" / "archive").symlink_to(elsewhere)
    with pytest.raises(StoreError):
        archive_plan(str(workspace), "a")
    assert not list(elsewhere.iterdir())
    (workspace / ".outlast" / "archive").unlink()
    put = Path(archive_plan(str(workspace), "a"))
    (put.parent / "link").symlink_to(put)
    assert len(list_archived(str(workspace))) == 1


def test_r4_01_there_has_to_be_such_a_plan(tmp_path: Path) -> None:
    with pytest.raises(PlanNotFound):
        archive_plan(str(tmp_path), "a")
    make(tmp_path, "b", "completed")
    with pytest.raises(PlanNotFound):
        archive_plan(str(tmp_path), "a")


def test_r4_01_cleanup_of_a_service_archives_what_is_old(tmp_path: Path) -> None:
    make(tmp_path, "old", "completed")
    later = now() + timedelta(days=8)
    with PlanningService(tmp_path, "mine", clock=lambda: later) as service:
        service.errors.log("bash", "exit 1")
        assert service.cleanup(9) == []
        assert service.cleanup() == ["old"]
        assert service.cleanup() == []
        assert service.errors.count("bash", "exit 1") == 1
    assert [plan.key for plan in list_archived(str(tmp_path))] == ["old"]


def test_f11_whatever_the_clock_says_no_open_plan_is_touched(tmp_path: Path) -> None:
    for status in (*OPEN, "aborted"):
        make(tmp_path, status, status)
    make(tmp_path, "done", "completed")
    open_ones = {*OPEN, "aborted"}
    moment = now()
    for days in (-40_000, -YEAR, -7, -1, 0, 1, 6, 40_000):
        jumped = moment + timedelta(days=days)
        assert archive_old_plans(tmp_path, 41_000, clock=lambda at=jumped: at) == []
        if days < 7:
            assert archive_old_plans(tmp_path, clock=lambda at=jumped: at) == []
    far = moment + timedelta(days=40_000)
    assert archive_old_plans(tmp_path, clock=lambda: far) == ["done"]
    assert {plan.key for plan in list_plans(str(tmp_path))} == open_ones
    assert [plan.key for plan in list_archived(str(tmp_path))] == ["done"]


def test_f1_a_crash_while_archiving_leaves_the_plan_here_or_there(tmp_path: Path) -> None:
    for at in range(1, 200):
        make(tmp_path, "a", "completed")
        disk = FaultyDisk(QuickDisk(), at)
        place = tmp_path / ".outlast" / "plans" / "a"
        try:
            archive(str(place), str(tmp_path), disk, now(), refuse_unfinished)
        except Killed:
            moved = find_archived_directories(str(tmp_path), QuickDisk())
            assert place.exists() != bool(moved)
            if place.exists():
                archive_plan(str(tmp_path), "a")
        else:
            assert at > 10
            break
        [put] = find_archived_directories(str(tmp_path), QuickDisk())
        with open_archived(put) as plan:
            assert plan.status == "completed"
        Path(put).rename(tmp_path / f"seen-{at}")
    else:
        pytest.fail("it never ended")


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.ENOSPC, errno.ENOTEMPTY])
def test_f5_what_the_disk_refuses_is_told_and_the_plan_stays(tmp_path: Path, code: int) -> None:
    make(tmp_path, "a", "completed")
    place = tmp_path / ".outlast" / "plans" / "a"
    disk = FaultyDisk(QuickDisk(), error=OSError(code, ""))
    disk.deadly = "rename"
    with pytest.raises(StoreError):
        archive(str(place), str(tmp_path), disk, now(), refuse_unfinished)
    with open_plan(tmp_path, "a") as plan:
        assert plan.status == "completed"
    broken = FaultyDisk(QuickDisk(), error=OSError(code, ""))
    broken.deadly = "list_directory"
    with pytest.raises(StoreError):
        find_archived_directories(str(tmp_path), broken)
