"""R0.01, R0.02, R0.12: `plan.json` in `.sessions/<key>/` is a view that follows the journal."""

import json
import os
import time
from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.errors import InvalidDocument, PlanExists, StoreError
from outlast.model import commands as c
from outlast.store.journal import add_checksum
from outlast.store.port import Request
from outlast.system.clock import now
from tests.plan.places import DONE, SEED, act, drop, make_session, names, open_session, wait_until
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.opening import views_of

DEEP = b'{"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
OURS = ["journal.jsonl", "plan.json", "rendered.json"]
DAMAGED = {
    "empty": b"",
    "truncated": SEED.read_bytes()[:300],
    "no JSON": b"\x00\xff\x00" * 50,
    "a list": b"[]",
}


class CountingDisk(QuickDisk):
    """A disk that counts how often each file is put in its place."""

    def __init__(self) -> None:
        self.placed: list[str] = []

    def rename(self, old: str, new: str) -> None:
        self.placed.append(os.path.basename(new))  # noqa: PTH119 - a name, not a path
        super().rename(old, new)

    def views(self) -> int:
        """Return how often the view was written."""
        return self.placed.count("plan.json")


def test_r0_02_the_documents_example_is_taken_over_and_not_changed(tmp_path: Path) -> None:
    view = drop(tmp_path, SEED.read_bytes())
    for _ in range(2):
        with open_plan(tmp_path, "x") as plan:
            assert (plan.key, plan.id, len(plan.tasks())) == ("x", "plan_abc123", 2)
            assert plan.notices == []
        assert view.read_bytes() == SEED.read_bytes()
    assert names(view.parent) == OURS


def test_r0_02_only_what_was_done_changes_in_it(tmp_path: Path) -> None:
    view = drop(tmp_path, SEED.read_bytes())
    with open_plan(tmp_path, "x", actor="agent") as plan:
        plan.complete(2, "five files")
        assert plan.notices == []
    expected, found = json.loads(SEED.read_bytes()), json.loads(view.read_bytes())
    step = found["steps"][1]
    assert (step["status"], step["result"]) == ("completed", "five files")
    assert step["completed_at"]
    expected["steps"][1] |= {
        name: step[name] for name in ("status", "result", "completed_at", "outlast") if name in step
    }
    changed = ("status", "updated_at", "current_step_index")
    expected |= {name: found[name] for name in (*changed, "outlast") if name in found}
    assert found == expected
    assert found["status"] == "completed"


def test_r0_02_a_file_in_another_layout_stays_until_the_plan_changes(tmp_path: Path) -> None:
    compact = json.dumps({**json.loads(SEED.read_bytes()), "owner": "Kim"}).encode()
    view = drop(tmp_path, compact)
    open_plan(tmp_path, "x").close()
    assert view.read_bytes() == compact
    with open_plan(tmp_path, "x") as plan:
        plan.pause()
        assert plan.notices == []
    assert json.loads(view.read_bytes())["owner"] == "Kim"
    assert names(view.parent) == OURS


def test_r0_01_switching_the_key_switches_the_plan(tmp_path: Path) -> None:
    for key in ("telegram:123/..", "telegram:124/.."):
        with create_plan(tmp_path, f"Goal of {key}", key, layout="sessions") as plan:
            plan.add(f"Task of {key}")
    assert names(tmp_path) == [".sessions"]
    for key in ("telegram:123/..", "telegram:124/.."):
        assert open_plan(tmp_path, key).goal == f"Goal of {key}"
    views = [json.loads(view.read_bytes()) for view in tmp_path.rglob("plan.json")]
    assert {view["goal"] for view in views} == {
        "Goal of telegram:123/..",
        "Goal of telegram:124/..",
    }
    assert all("key" not in view.get("outlast", {}) for view in views)


def test_r0_01_one_plan_at_a_time_under_a_key(tmp_path: Path) -> None:
    drop(tmp_path, SEED.read_bytes())
    for layout in ("sessions", "outlast"):
        with pytest.raises(PlanExists):
            create_plan(tmp_path, "Another", "x", layout=layout)
    with create_plan(tmp_path, "First", "y", layout="sessions") as plan:
        plan.add("a")
        plan.complete(1)
        first = plan.id
        plan.initialize("Second", [c.NewTask("b")])
        assert (plan.goal, plan.key) == ("Second", "y")
        assert plan.id != first
    view = tmp_path / ".sessions" / "y" / "plan.json"
    assert json.loads(view.read_bytes())["goal"] == "Second"


def test_r0_02_the_view_is_written_at_most_once_a_second_and_at_close(tmp_path: Path) -> None:
    disk, began = CountingDisk(), time.monotonic()
    store = make_session(tmp_path, disk)
    for number in range(100):
        act(store, c.SetProgress(1, number % 7, 7))
    store.close()
    assert disk.views() <= 2 + (time.monotonic() - began)
    view = json.loads((tmp_path / ".sessions" / "x" / "plan.json").read_bytes())
    assert view["steps"][0]["progress"] == {"current": 1, "total": 7}
    disk.placed.clear()
    open_session(tmp_path, disk).close()
    assert disk.placed == []


def test_r0_02_the_view_follows_without_being_closed(tmp_path: Path) -> None:
    store = make_session(tmp_path)
    view = tmp_path / ".sessions" / "x" / "plan.json"
    wait_until(lambda: len(json.loads(view.read_bytes())["steps"]) == 3)
    store.submit(Request((DONE,), "ann", now()), lambda state, _: state)
    store.close()
    assert json.loads(view.read_bytes())["steps"][1]["result"] == "all of them"


def test_r0_02_what_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    make_session(tmp_path).close()
    disk = CountingDisk()
    store = open_session(tmp_path, disk)
    with pytest.raises(Exception, match="Task with ID 99 not found"):
        act(store, c.Start("ann", 99))
    store.close()
    assert disk.placed == []


def test_r0_02_a_view_that_a_killed_process_left_behind_is_brought_up_to_date(
    tmp_path: Path,
) -> None:
    store = make_session(tmp_path)
    act(store, DONE)
    del store  # no close
    open_session(tmp_path).close()
    view = json.loads((tmp_path / ".sessions" / "x" / "plan.json").read_bytes())
    assert view["steps"][1]["status"] == "completed"


def test_r0_02_looking_at_a_large_plan_does_not_write_its_view(tmp_path: Path) -> None:
    make_session(tmp_path).close()
    directory = tmp_path / ".sessions" / "x"
    older = {name: (directory / name).read_bytes() for name in ("plan.json", "rendered.json")}
    store = open_session(tmp_path)
    act(store, c.AddTasks(tuple(c.NewTask(f"task {n}") for n in range(500))))
    store.close()
    for name, content in older.items():
        (directory / name).write_bytes(content)
    store = open_session(tmp_path, disk := CountingDisk())
    assert disk.placed == []
    act(store, DONE)
    store.close()
    assert disk.placed == []
    store = open_session(tmp_path, disk)
    views_of(store).render()
    store.close()
    assert len(json.loads((directory / "plan.json").read_bytes())["steps"]) == 503
    assert store.notices == []


def test_r0_12_what_somebody_else_wrote_there_is_kept_aside_and_said(tmp_path: Path) -> None:
    make_session(tmp_path).close()
    view = tmp_path / ".sessions" / "x" / "plan.json"
    ours = view.read_bytes()
    edits = [ours.replace(b"one", word) for word in (b"First!", b"Second!")]
    for edit in edits:
        view.write_bytes(edit)
        store = open_session(tmp_path)
        [(text, details)] = store.notices
        assert text == "view_set_aside"
        assert Path(str(details["kept"])).read_bytes() == edit
        assert view.read_bytes() == ours
        store.close()
    kept = [path.read_bytes() for path in sorted(view.parent.glob("plan.json.edited-*"))]
    assert kept == edits


def test_r0_12_an_edit_while_the_plan_is_open_is_kept_too(tmp_path: Path) -> None:
    store = make_session(tmp_path)
    view = tmp_path / ".sessions" / "x" / "plan.json"
    wait_until(lambda: len(json.loads(view.read_bytes())["steps"]) == 3)
    view.write_bytes(edit := view.read_bytes().replace(b"one", b"uno"))
    act(store, DONE)
    store.close()
    assert [text for text, _ in store.notices] == ["view_set_aside"]
    assert [path.read_bytes() for path in view.parent.glob("plan.json.edited-*")] == [edit]
    assert b"all of them" in view.read_bytes()


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_f6_a_damaged_view_is_moved_aside_and_recovered_from_the_journal(
    content: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    make_session(tmp_path).close()
    view = tmp_path / ".sessions" / "x" / "plan.json"
    ours = view.read_bytes()
    view.write_bytes(content)
    with open_plan(tmp_path, "x") as plan:
        assert [task.name for task in plan.tasks()] == ["one", "two", "three"]
    assert view.read_bytes() == ours
    [kept] = view.parent.glob("plan.json.bad-*")
    assert kept.read_bytes() == content
    assert f"could not be read and was set aside: {kept}" in caplog.text


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_r0_12_a_damaged_file_without_a_journal_is_refused_and_left_alone(
    content: bytes, tmp_path: Path
) -> None:
    view = drop(tmp_path, content)
    with pytest.raises(InvalidDocument):
        open_plan(tmp_path, "x")
    with pytest.raises(InvalidDocument):
        open_plan(tmp_path)
    assert names(view.parent) == ["plan.json"]
    assert view.read_bytes() == content


def make_odd(kind: str, path: Path) -> None:
    """Put something at a path that is no file of a plan."""
    path.unlink(missing_ok=True)
    if kind == "link":
        path.symlink_to("/etc/passwd")
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.truncate(100 << 20)


@pytest.mark.parametrize("kind", ["link", "fifo", "directory", "huge"])
def test_f15_an_odd_view_is_left_alone(kind: str, tmp_path: Path) -> None:
    make_session(tmp_path).close()
    view = tmp_path / ".sessions" / "x" / "plan.json"
    make_odd(kind, view)
    store = open_session(tmp_path)
    assert [text for text, _ in store.notices] == ["view_odd"]
    before = view.lstat()
    act(store, DONE)
    store.close()
    assert (view.lstat().st_ino, view.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert names(view.parent) == OURS


@pytest.mark.parametrize("kind", ["link", "fifo", "directory", "huge"])
def test_f15_an_odd_file_without_a_journal_is_refused_unread(kind: str, tmp_path: Path) -> None:
    view = drop(tmp_path, b"")
    make_odd(kind, view)
    with pytest.raises((InvalidDocument, StoreError)):
        open_plan(tmp_path, "x")
    assert names(view.parent) == ["plan.json"]


def test_f6_a_damaged_journal_does_not_put_the_view_back(tmp_path: Path) -> None:
    store = make_session(tmp_path)
    act(store, DONE)
    store.close()
    directory = tmp_path / ".sessions" / "x"
    lines = (directory / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (directory / "journal.jsonl").write_bytes(b"".join([*lines[:2], b"damaged\n", *lines[3:]]))
    before = (directory / "plan.json").read_bytes()
    open_session(tmp_path).close()
    assert (directory / "plan.json").read_bytes() == before


def test_r0_12_a_full_disk_costs_the_view_not_the_commit(tmp_path: Path) -> None:
    make_session(tmp_path).close()
    for kind in ("rename", "write"):
        disk = FaultyDisk(QuickDisk(), error=OSError(28, "full"))
        store = open_session(tmp_path, disk)
        disk.deadly, disk.spared = kind, int(kind == "write")
        before = act(store, c.CountIteration())
        assert before == store.read(lambda state: state.revision)
        assert ("view_failed" in dict(store.notices)) == disk.struck
        disk.heal()
        counted = store.read(lambda state: state.iteration_count)
        store.close()
        view = tmp_path / ".sessions" / "x" / "plan.json"
        assert json.loads(view.read_bytes())["iteration_count"] == counted


def test_r0_12_a_directory_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    make_session(tmp_path).close()
    (tmp_path / ".sessions" / "x" / "plan.json").unlink()

    class ReadOnly(QuickDisk):
        def open(self, path: str, flags: int, mode: int) -> int:
            if flags & (os.O_RDWR | os.O_WRONLY):
                raise PermissionError(13, "no")
            return super().open(path, flags, mode)

    class OnlyTheJournal(QuickDisk):
        def open(self, path: str, flags: int, mode: int) -> int:
            if flags & os.O_CREAT:
                raise PermissionError(13, "no")
            return super().open(path, flags, mode)

    for disk, said in ((ReadOnly(), []), (OnlyTheJournal(), ["view_failed"])):
        store = open_session(tmp_path, disk)
        assert store.read(lambda state: len(state.tasks)) == 3
        assert [text for text, _ in store.notices] == said
        store.close()


def test_r0_01_two_processes_do_not_fight_about_the_view(tmp_path: Path) -> None:
    stores = [make_session(tmp_path), open_session(tmp_path), open_session(tmp_path)]
    for number in range(30):
        act(stores[number % 3], c.SetProgress(1, number, 30))
    for store in stores:
        store.close()
        assert store.notices == []
    view = tmp_path / ".sessions" / "x" / "plan.json"
    assert json.loads(view.read_bytes())["steps"][0]["progress"] == {"current": 29, "total": 30}
    assert names(view.parent) == OURS


def test_a12_a_foreign_mark_is_no_mark(tmp_path: Path) -> None:
    make_session(tmp_path).close()
    mark = tmp_path / ".sessions" / "x" / "rendered.json"
    for content in (
        b"",
        b"[" * 100_000,
        b'{"now": "x"}',
        add_checksum(b"{}"),
        b'{"now":1e999}',
        DEEP,
    ):
        mark.write_bytes(content)
        store = open_session(tmp_path)
        act(store, c.CountIteration())
        store.close()
        assert [text for text, _ in store.notices] in ([], ["view_set_aside"])
