"""`doctor`: the machine, the files, the proofs."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.domain.model import Check
from tests.interfaces.processes import data, outlast, said


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("a", checks=[Check("file", "out.txt")])
    return tmp_path


def troubles(cwd: Path, code: int = 4, **variables: str) -> list[str]:
    found = data(cwd, "doctor", code=code, **variables)["findings"]
    return [f"{one['what']}: {one['says']}" for one in found if not one["ok"]]


def test_what_a_plan_stands_on_is_told(workspace: Path) -> None:
    found = {one["what"]: one["says"] for one in data(workspace, "doctor")["findings"]}
    assert list(found) == ["outlast", "python", "sqlite", "workspace", "state", "plan ship"]
    assert found["workspace"].startswith(f"{workspace} (")
    assert found["state"] == os.environ["XDG_STATE_HOME"]
    assert said(workspace, "doctor").endswith("\nEverything is in order.\n")
    chinese = said(workspace, "doctor", "--lang", "zh")
    assert chinese.endswith("\n✓ 计划 ship: 空闲 0/1\n一切正常。\n")
    assert f"\n✓ 工作区: {workspace} (" in chinese


def test_a10_commands_that_nobody_allowed_are_told(workspace: Path) -> None:
    with open_plan(str(workspace), actor="bot") as plan:
        plan.add("b", checks=[Check("command", "make")])
    [trouble] = troubles(workspace)
    assert trouble == (
        "plan ship: task 2: nobody has allowed the checks of this; outlast check 2 "
        "shows them, and a person allows them with: outlast check 2 --approve"
    )


def test_x2_proofs_that_no_longer_hold_are_told(workspace: Path) -> None:
    (workspace / "out.txt").write_text("one")
    said(workspace, "done", "1")
    assert troubles(workspace, 0) == []
    (workspace / "out.txt").write_text("two")
    [trouble] = troubles(workspace)
    assert trouble == (
        "plan ship: task 1: stale: files have changed since it was seen to be done; "
        "look again: outlast check 1"
    )


def test_f6_what_was_never_finished_is_cleared_up_and_told(workspace: Path) -> None:
    left = workspace / ".outlast/plans/ship/snapshot.json.1.2.new"
    left.write_bytes(b"half")
    shown = outlast(workspace, "doctor")
    assert "snapshot.json.1.2.new" in shown.stdout
    assert (shown.returncode, left.exists()) == (0, False)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_a_state_directory_that_cannot_be_written_is_told(workspace: Path, mode: int) -> None:
    closed = workspace / "closed"
    closed.mkdir(mode=mode)
    found = troubles(workspace, XDG_STATE_HOME=str(closed))
    assert found[0].startswith(f"state: {closed} cannot be written")
    assert [one.split(":")[0] for one in found] == ["state", "plan ship"]


def test_a_state_directory_that_cannot_be_looked_at_is_told(workspace: Path) -> None:
    found = troubles(workspace, XDG_STATE_HOME=f"{workspace}/{'x' * 300}")
    assert [one.split(":")[0] for one in found] == ["plan ship"]


def test_a_file_in_the_place_of_the_state_directory_is_told(workspace: Path) -> None:
    (workspace / "file").write_text("")
    found = troubles(workspace, XDG_STATE_HOME=str(workspace / "file" / "below"))
    assert found[0].startswith(f"state: {workspace}/file/below cannot be written")


def test_a10_a_state_directory_that_others_may_write_to_is_told(workspace: Path) -> None:
    own = workspace / "state" / "outlast"
    own.mkdir(parents=True)
    own.chmod(0o777)
    found = troubles(workspace, XDG_STATE_HOME=str(own.parent))
    assert found[0].startswith(f"state: {own.parent}: others may write there too")


def test_a10_commands_of_a_task_that_was_skipped_need_nobody(workspace: Path) -> None:
    said(workspace, "add", "b", "--check", "make", "--as", "bot")
    said(workspace, "skip", "2")
    assert troubles(workspace, 0) == []


def test_f7_an_edit_that_was_taken_in_is_no_trouble(workspace: Path) -> None:
    said(workspace, "add", "Free")
    file = workspace / ".outlast/plans/ship/task_plan.md"
    file.write_text(file.read_text().replace("- [ ] ○ Free", "- [x] ○ Free"))
    assert troubles(workspace, 0) == []


def test_f7_an_edit_that_was_refused_is_told_with_its_line(workspace: Path) -> None:
    file = workspace / ".outlast/plans/ship/task_plan.md"
    lines = file.read_text().splitlines(keepends=True)
    number = next(at for at, line in enumerate(lines, 1) if line.startswith("- [ ]"))
    file.write_text(file.read_text().replace("- [ ] ○ a", "- [x] ○ a"))
    [trouble] = troubles(workspace)
    assert trouble.startswith(f"plan ship: task_plan.md, line {number}: not taken in")
    assert troubles(workspace, 0) == []


def test_plans_elsewhere_are_looked_at(
    workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    found = data(other, "doctor", str(workspace))["findings"]
    assert [one["what"] for one in found][-1] == "plan ship"
    beside = data(other, "doctor", os.path.relpath(workspace, other))["findings"]
    assert beside == found
    assert data(workspace, "doctor", "nowhere", code=4)["error"]["code"] == "STORE_ERROR"
    for where in (".", "sqlite:///none.db"):
        assert data(other, "doctor", where, code=3)["error"]["code"] == "PLAN_NOT_FOUND"
    assert data(other, "doctor", "sqlite://none.db", code=2)["error"]["code"] == "INVALID_ARGUMENT"
    assert os.listdir(other) == []  # noqa: PTH208 - names


def test_f6_a_damaged_plan_of_a_database_is_mended_by_the_command_that_its_message_names(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    for key in ("ship", "other"):
        with create_plan(url, "Ship it", key) as plan:
            for name in "abc":
                plan.add(name)
    assert said(tmp_path, "doctor", "sqlite:///plans.db").endswith("Everything is in order.\n")
    with closing(sqlite3.connect(tmp_path / "plans.db")) as database:
        database.execute("update commits set line = x'' where plan = 1 and place = 3")
        database.commit()
    told = outlast(tmp_path, "doctor", url)
    assert (told.returncode, told.stderr) == (4, "")
    command = f"outlast doctor --mend {url}"
    assert f"`{command}`" in told.stdout
    assert f"`{command}`" in outlast(tmp_path, "doctor", url, "--lang", "zh").stdout
    mended = said(tmp_path, *command.split()[1:])
    assert "plan ship: " in mended
    assert "the damaged database is kept" in mended
    assert mended.endswith("Everything is in order.\n")
    assert f"\n✓ database: {tmp_path}/plans.db (" in said(tmp_path, "doctor", url)
    with open_plan(url, "ship") as plan:
        assert [task.name for task in plan.tasks()] == ["a", "c"]
