"""Plans that have ended are put away, never removed, and no others (R4.01, F11)."""

from __future__ import annotations

import errno
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from outlast import create_plan, open_plan
from outlast.errors import (
    HistoryDiverged,
    InvalidStatus,
    NewerFormat,
    OutlastError,
    PlanExists,
    PlanNotFound,
    StoreError,
    TaskClaimed,
)
from outlast.plan.archive import archive_ended_plan, archive_old_plans
from outlast.plan.home.archive_directory import ArchiveDirectory, refuse_unfinished
from outlast.plan.home.database import Database
from outlast.plan.home.find import home_of, workspace_at
from outlast.plan.home.workspace import Workspace
from outlast.plan.past_revision import ReadOnlyStore
from outlast.plan.plan_list import list_plans
from outlast.plans import archive_plan, list_archived, open_archived, restore_plan
from outlast.sessions import PlanningService
from outlast.store.journal import add_checksum
from outlast.system.clock import now
from tests.store.faults import FaultyDisk, Killed, QuickDisk
from tests.store.observed_disk import RecordingDisk

if TYPE_CHECKING:
    from outlast.plan.home.archive_directory import ArchivedPlan
    from outlast.plans import Layout

YEAR = 365
LAYOUTS: tuple[Layout, ...] = ("outlast", "code-agent", "sessions")
KINDS = (*LAYOUTS, "database")


def make(
    workspace: Path | str, key: str, status: str, layout: Layout | None = None, goal: str = "Goal"
) -> None:
    """Make a plan that stands in some way."""
    with create_plan(workspace, goal, key, layout=layout) as plan:
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
        name = archive_plan(tmp_path, key)
        assert not before.exists()
        put = tmp_path / ".outlast" / "archive" / name
        assert {path.name: path.read_bytes() for path in put.iterdir()} == files
        assert name.startswith(f"{key}-")
    assert list_plans(str(tmp_path)) == []
    assert [plan.key for plan in list_archived(str(tmp_path))] == ["a", "b", "c"]
    assert (tmp_path / ".outlast" / ".gitignore").read_text() == "*\n"
    assert (tmp_path / ".outlast" / "archive").stat().st_mode & 0o777 == 0o700


def test_r4_01_archived_plans_can_be_listed_and_read(tmp_path: Path) -> None:
    assert list_archived(tmp_path) == []
    make(tmp_path, "a", "completed")
    name = archive_plan(tmp_path, "a")
    [listed] = list_archived(tmp_path)
    put = tmp_path / ".outlast" / "archive" / name
    assert (listed.name, listed.path, listed.title, listed.status, listed.done, listed.total) == (
        *(name, str(put), "Goal", "completed", 1, 1),
    )
    with open_archived(tmp_path, name) as plan:
        assert plan.task(1).status == "completed"
        assert len(plan.history.commits()) == 3
    (put / "journal.jsonl").write_text("no journal\n")
    [listed] = list_archived(tmp_path)
    assert (listed.key, listed.problem is None) == ("a", False)


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
    view.write_text(view.read_text().replace("- [x] ● **1** task", "- [ ] ○ **1** task"))
    assert archive_old_plans(tmp_path, 0) == []
    with open_plan(tmp_path, "a") as plan:
        assert plan.task(1).status == "pending"


def test_r4_01_a_handle_on_an_archived_plan_changes_nothing(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed")
    with open_plan(tmp_path, "a") as plan:
        name = archive_plan(str(tmp_path), "a")
        with pytest.raises(PlanNotFound):
            plan.add("too late")
    assert not (tmp_path / ".outlast" / "plans" / "a").exists()
    with open_archived(tmp_path, name) as plan:
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
    put = workspace / ".outlast" / "archive" / archive_plan(str(workspace), "a")
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
    archive = ArchiveDirectory(str(tmp_path), QuickDisk())
    for at in range(1, 200):
        make(tmp_path, "a", "completed")
        disk = FaultyDisk(QuickDisk(), at)
        directory = tmp_path / ".outlast" / "plans" / "a"
        try:
            broken = ArchiveDirectory(str(tmp_path), disk)
            broken.add(str(directory), "outlast", now(), refuse_unfinished)
        except Killed:
            assert directory.exists() != bool(archive.plans())
            if directory.exists():
                archive_plan(tmp_path, "a")
        else:
            assert at > 10
            break
        [put] = archive.plans()
        with open_archived(tmp_path, put.name) as plan:
            assert plan.status == "completed"
        Path(put.path).rename(tmp_path / f"seen-{at}")
    else:
        pytest.fail("it never ended")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_f1_a_crash_while_a_plan_is_restored_leaves_it_here_or_there(
    tmp_path: Path, layout: Layout
) -> None:
    make(tmp_path, "a", "completed", layout)
    archive_plan(tmp_path, "a")
    for at in range(1, 200):
        disk = FaultyDisk(QuickDisk(), at)
        try:
            broken = Workspace(str(tmp_path), disk)
            [put] = broken.archived_plans()
            broken.restore(put)
        except Killed:
            live, archived = list_plans(tmp_path), list_archived(tmp_path)
            assert len(live) + len(archived) == 1, "it is in one place, and whole"
            assert [plan.total for plan in (*live, *archived)] == [1]
            if archived:
                restore_plan(tmp_path, "a")
        else:
            assert at > 10
            break
        with open_plan(tmp_path, "a") as plan:
            assert plan.status == "completed"
        assert (tmp_path / {"outlast": ".outlast/plans"}.get(layout, f".{layout}")).exists()
        archive_plan(tmp_path, "a")
    else:
        pytest.fail("it never ended")


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.ENOSPC, errno.ENOTEMPTY])
def test_f5_what_the_disk_refuses_is_told_and_the_plan_stays(tmp_path: Path, code: int) -> None:
    make(tmp_path, "a", "completed")
    directory = tmp_path / ".outlast" / "plans" / "a"

    def broken_by(kind: str) -> ArchiveDirectory:
        disk = FaultyDisk(QuickDisk(), error=OSError(code, ""))
        disk.deadly = kind
        return ArchiveDirectory(str(tmp_path), disk)

    with pytest.raises(StoreError):
        broken_by("rename").add(str(directory), "outlast", now(), refuse_unfinished)
    with open_plan(tmp_path, "a") as plan:
        assert plan.status == "completed"
    archive_plan(tmp_path, "a")
    with pytest.raises(StoreError):
        broken_by("list_directory").plans()
    [put] = ArchiveDirectory(str(tmp_path), QuickDisk()).plans()
    with pytest.raises(StoreError):
        broken_by("rename").move_out(put, str(directory))
    assert len(list_archived(tmp_path)) == 1


# Every kind of store: files in each layout, and a database


def place(tmp_path: Path, kind: str) -> tuple[str, Layout | None]:
    """Return where plans of a kind are kept, and their layout."""
    if kind == "database":
        return f"sqlite:///{tmp_path / 'plans.db'}", None
    return str(tmp_path), next(layout for layout in LAYOUTS if layout == kind)


@pytest.mark.parametrize("kind", KINDS)
def test_r0_01_archived_plans_are_listed_shown_and_restored(tmp_path: Path, kind: str) -> None:
    where, layout = place(tmp_path, kind)
    make(where, "telegram:1/..", "completed", layout, "First")
    first = archive_plan(where, "telegram:1/..")
    make(where, "telegram:1/..", "completed", goal="Second")
    assert [(plan.title, plan.name) for plan in list_archived(where)] == [("First", first)]
    assert [plan.title for plan in list_plans(where)] == ["Second"]
    with open_archived(where, first, actor="ann") as plan:
        assert (plan.goal, plan.key, plan.actor) == ("First", "telegram:1/..", "ann")
        assert [task.name for task in plan.tasks()] == ["task"]
        assert len(plan.history.commits()) == 3
        assert plan.as_of(2).task(1).status == "pending"
        assert plan.notices == []
        for change in (lambda: plan.add("more"), lambda: plan.core.submit((), lambda *_: None)):
            with pytest.raises(InvalidStatus, match=f"restore it first: outlast restore {first}"):
                change()
        plan.core.store.subscribe(print)()
    assert restore_plan(where, first) == "telegram:1/.."
    with open_plan(where, "telegram:1/..") as plan:
        assert (plan.goal, plan.status) == ("First", "completed")
        plan.add("goes on")
        assert plan.status == "running"
    [second] = list_archived(where)
    assert (second.title, second.key) == ("Second", "telegram:1/..")
    layouts = {path.parent.parent.name for path in tmp_path.rglob("journal.jsonl")}
    assert len(layouts) == (0 if kind == "database" else 2), "the archive, and the layout"


@pytest.mark.parametrize("kind", KINDS)
def test_r0_01_an_unfinished_plan_keeps_its_key(tmp_path: Path, kind: str) -> None:
    where, layout = place(tmp_path, kind)
    make(where, "a", "completed", layout)
    name = archive_plan(where, "a")
    for status in ("idle", "paused", "in_progress"):
        make(where, "a", status)
        with pytest.raises(InvalidStatus, match="Another plan has the key a and is"):
            restore_plan(where, name)
        with open_plan(where, "a") as plan:
            assert len(plan.tasks()) == 1
            plan.abort()
        archive_plan(where, "a")
    make(where, "a", "completed")
    with open_plan(where, "a") as plan, plan.core.claim_plan():
        with pytest.raises(TaskClaimed):
            restore_plan(where, name)
        assert len(list_archived(where)) == 4
    assert restore_plan(where, name) == "a"


@pytest.mark.parametrize("kind", KINDS)
def test_r0_01_a_failed_plan_makes_room_for_a_restored_one(tmp_path: Path, kind: str) -> None:
    where, layout = place(tmp_path, kind)
    make(where, "a", "completed", layout, "First")
    archive_plan(where, "a")
    make(where, "a", "failed", goal="Second")
    restore_plan(where, "a")
    assert [plan.title for plan in list_plans(where)] == ["First"]
    assert [plan.title for plan in list_archived(where)] == ["Second"]


@pytest.mark.parametrize("kind", KINDS)
def test_r0_01_an_archived_plan_is_named_by_its_key_or_a_beginning(
    tmp_path: Path, kind: str
) -> None:
    where, layout = place(tmp_path, kind)
    for key in ("copy", "copy", "copy-2", "other"):
        make(where, key, "completed", layout)
        archive_plan(where, key)
    listed = list_archived(where)
    names = [plan.name for plan in listed]
    with pytest.raises(PlanNotFound, match="2 archived plans are called copy; choose one of") as at:
        open_archived(where, "copy")
    assert at.value.details["candidates"] == [plan.name for plan in listed if plan.key == "copy"]
    with pytest.raises(PlanNotFound, match="No archived plan is called nope; archived plans: copy"):
        restore_plan(where, "nope")
    for word in ("copy-2", "oth", *names):
        open_archived(where, word).close()


@pytest.mark.parametrize("kind", KINDS)
def test_f19_a_handle_does_not_go_over_to_the_next_plan_of_its_key(
    tmp_path: Path, kind: str
) -> None:
    where, layout = place(tmp_path, kind)
    make(where, "a", "completed", layout, "First")
    with open_plan(where, "a") as old:
        assert old.goal == "First"
        archive_plan(where, "a")
        with pytest.raises(PlanNotFound):
            old.tasks()
        make(where, "a", "idle", goal="Second")
        with pytest.raises(HistoryDiverged, match="another plan now") as caught:
            old.add("another")
        assert (caught.value.text, caught.value.details["goal"]) == ("history_foreign", "Second")
    with open_plan(where, "a") as plan:
        assert (plan.goal, [task.name for task in plan.tasks()]) == ("Second", ["task"])
    with open_archived(where, "a") as plan:
        assert (plan.goal, len(plan.tasks())) == ("First", 1)


def test_x6_a_handle_on_a_plan_archived_in_a_database_finds_and_changes_nothing(
    tmp_path: Path,
) -> None:
    where, _ = place(tmp_path, "database")
    make(where, "a", "completed")
    make(where, "b", "idle")
    with open_plan(where, "a") as plan:
        archive_plan(where, "a")
        with pytest.raises(PlanNotFound, match="plans here: b"):
            plan.add("too late")
        with pytest.raises(PlanNotFound, match="plans here: b"):
            plan.tasks()
    with open_archived(where, "a") as plan:
        assert len(plan.tasks()) == 1


def test_r4_01_cleanup_archives_in_a_database_too(tmp_path: Path) -> None:
    where, _ = place(tmp_path, "database")
    make(where, "done", "completed")
    make(where, "open", "idle")
    later = now() + timedelta(days=8)
    assert archive_old_plans(where, 7, clock=lambda: later) == ["done"]
    assert [plan.key for plan in list_plans(where)] == ["open"]
    assert [(plan.key, plan.path) for plan in list_archived(where)] == [("done", "")]


def restored_meanwhile(where: str) -> tuple[Workspace | Database, ArchivedPlan]:
    """Return a home and an archived plan of it that another process has restored since."""
    path = where.removeprefix("sqlite:///")
    home = Workspace(path, QuickDisk()) if path == where else Database(path, QuickDisk())
    make(where, "a", "completed")
    archive_plan(where, "a")
    [put] = home.archived_plans()
    restore_plan(where, "a")
    return home, put


@pytest.mark.parametrize("kind", ["outlast", "database"])
def test_x6_of_two_who_restore_a_plan_one_is_refused(tmp_path: Path, kind: str) -> None:
    where, _ = place(tmp_path, kind)
    home, put = restored_meanwhile(where)
    with pytest.raises(PlanExists):
        home.restore(put)
    archive_plan(where, "a")
    with pytest.raises(PlanNotFound):
        home.restore(put)


def test_r0_01_there_has_to_be_a_workspace_with_an_archive(tmp_path: Path) -> None:
    assert list_archived(tmp_path) == []
    with pytest.raises(PlanNotFound):
        open_archived(tmp_path, "a")
    make(tmp_path, "a", "idle")
    with pytest.raises(PlanNotFound, match="archived plans: none"):
        restore_plan(tmp_path, "a")


def test_r0_01_a_restored_plan_stays_shared(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Goal", "a", shared=True) as plan:
        plan.abort()
    archive_plan(tmp_path, "a")
    restore_plan(tmp_path, "a")
    journal = tmp_path / ".outlast" / "plans" / "a" / "journal.jsonl"
    assert journal.stat().st_mode & 0o077, "as far as the umask allows"


def test_a4_what_a_directory_in_the_archive_says_leads_nowhere_else(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed")
    put = tmp_path / ".outlast" / "archive" / archive_plan(tmp_path, "a")
    put.rename(put.parent / "..%2f..%2fout-20260101T000000.000000Z-../../x".replace("/", "_"))
    [listed] = list_archived(tmp_path)
    assert restore_plan(tmp_path, listed.name) == "a"
    assert (tmp_path / ".outlast" / "plans" / "a" / "journal.jsonl").exists()


def test_f1_a_crash_of_a_database_leaves_the_plan_here_or_there(tmp_path: Path) -> None:
    where, _ = place(tmp_path, "database")
    make(where, "a", "completed")

    def die(*_: object) -> None:
        raise Killed

    with pytest.raises(Killed):
        Database(where.removeprefix("sqlite:///"), QuickDisk()).archive("a", now(), die)
    assert [plan.key for plan in list_plans(where)] == ["a"]
    archive_plan(where, "a")
    assert [plan.key for plan in list_archived(where)] == ["a"]


def test_f11_an_archived_plan_of_a_newer_version_is_listed(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed")
    journal = tmp_path / ".outlast" / "archive" / archive_plan(tmp_path, "a") / "journal.jsonl"
    _, *lines = journal.read_bytes().splitlines(keepends=True)
    newer = add_checksum(b'{"outlast":"journal","format":99,"key":"a"}') + b"\n"
    journal.write_bytes(b"".join([newer, *lines]))
    [listed] = list_archived(tmp_path)
    assert (listed.key, type(listed.problem)) == ("a", NewerFormat)


def test_x6_a_plan_that_another_process_moves_first_is_not_archived_twice(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed")
    directory = tmp_path / ".outlast" / "plans" / "a"

    class Overtaken(QuickDisk):
        def lock(self, fd: int) -> None:
            super().lock(fd)
            directory.rename(tmp_path / "elsewhere")

    archive = ArchiveDirectory(str(tmp_path), Overtaken())
    with pytest.raises(PlanNotFound):
        archive.add(str(directory), "outlast", now(), refuse_unfinished)
    assert archive.plans() == []


def test_r0_03_an_unfinished_plan_does_not_make_room_for_a_new_one(tmp_path: Path) -> None:
    make(tmp_path, "a", "paused")
    with pytest.raises(InvalidStatus, match="only a plan that has ended"):
        archive_ended_plan(workspace_at(tmp_path), "a")


def test_r0_01_a_store_of_a_program_of_its_own_has_no_archive(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Goal", "a") as plan:
        assert home_of(ReadOnlyStore(plan.core.store, "plan_archived", name="a")) is None


def test_f2_a_plan_that_is_put_away_or_restored_survives_a_power_cut(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed")
    plans, archive = tmp_path / ".outlast" / "plans", tmp_path / ".outlast" / "archive"
    disk = RecordingDisk()
    put = ArchiveDirectory(str(tmp_path), disk).add(
        str(plans / "a"), "outlast", now(), refuse_unfinished
    )
    moved = disk.position("rename", str(plans / "a"), put.path)
    after = [("sync directory", str(archive)), ("sync directory", str(plans))]
    assert disk.calls[moved + 1 :] == after
    disk = RecordingDisk()
    Workspace(str(tmp_path), disk).restore(put)
    moved = disk.position("rename", put.path, str(plans / "a"))
    assert disk.calls[moved + 1 :] == after[::-1]
