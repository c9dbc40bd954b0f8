"""`doctor`: the machine, the files, the proofs."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.model.model import Check
from tests.cli.processes import json_of, outlast, stdout_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship", actor="human") as plan:
        plan.add("a", checks=[Check("file", "out.txt")])
    return tmp_path


def problems_of(cwd: Path, code: int = 4, **variables: str) -> list[str]:
    problems = json_of(cwd, "doctor", code=code, **variables)["findings"]
    return [f"{one['what']}: {one['says']}" for one in problems if not one["ok"]]


def test_the_machine_and_the_plan_are_diagnosed(workspace: Path) -> None:
    problems = {one["what"]: one["says"] for one in json_of(workspace, "doctor")["findings"]}
    about = ["outlast", "python", "sqlite", "workspace", "state", "plan ship"]
    assert list(problems)[: len(about)] == about
    assert problems["workspace"].startswith(f"{workspace} (")
    assert problems["state"] == os.environ["XDG_STATE_HOME"]
    assert stdout_of(workspace, "doctor").endswith("\nEverything is in order.\n")
    chinese = stdout_of(workspace, "doctor", "--lang", "zh")
    assert "\n✓ 计划 ship: 未开始 0/1\n" in chinese
    assert chinese.endswith("\n一切正常。\n")
    assert f"\n✓ 工作区: {workspace} (" in chinese


def test_a10_unapproved_commands_are_reported(workspace: Path) -> None:
    with open_plan(str(workspace), actor="bot") as plan:
        plan.add("b", checks=[Check("command", "make")])
    [trouble] = problems_of(workspace)
    assert trouble == (
        "plan ship: task 2: its checks are not approved; to see them: outlast check 2; "
        "a person approves them with: outlast check 2 --approve"
    )


def test_x2_doubtful_proofs_are_reported(workspace: Path) -> None:
    (workspace / "out.txt").write_text("one")
    stdout_of(workspace, "done", "1")
    assert problems_of(workspace, 0) == []
    (workspace / "out.txt").write_text("two")
    [trouble] = problems_of(workspace)
    assert trouble == (
        "plan ship: task 1: stale: files have changed since it was proved; "
        "check again: outlast check 1"
    )


def test_f6_leftovers_are_removed_and_reported(workspace: Path) -> None:
    left = workspace / ".outlast/plans/ship/snapshot.json.1.2.new"
    left.write_bytes(b"half")
    shown = outlast(workspace, "doctor")
    assert "snapshot.json.1.2.new" in shown.stdout
    assert (shown.returncode, left.exists()) == (0, False)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_an_unwritable_state_directory_is_reported(workspace: Path, mode: int) -> None:
    closed = workspace / "closed"
    closed.mkdir(mode=mode)
    problems = problems_of(workspace, XDG_STATE_HOME=str(closed))
    assert problems[0].startswith(f"state: {closed} is not writable")
    assert [one.split(":")[0] for one in problems] == ["state", "plan ship"]


def test_an_unreadable_state_directory_is_reported(workspace: Path) -> None:
    problems = problems_of(workspace, XDG_STATE_HOME=f"{workspace}/{'x' * 300}")
    assert [one.split(":")[0] for one in problems] == ["plan ship"]


def test_a_file_in_the_place_of_the_state_directory_is_reported(workspace: Path) -> None:
    (workspace / "file").write_text("")
    problems = problems_of(workspace, XDG_STATE_HOME=str(workspace / "file" / "below"))
    assert problems[0].startswith(f"state: {workspace}/file/below is not writable")


def test_a10_a_state_directory_that_others_can_write_is_reported(workspace: Path) -> None:
    own = workspace / "state" / "outlast"
    own.mkdir(parents=True)
    own.chmod(0o777)
    problems = problems_of(workspace, XDG_STATE_HOME=str(own.parent))
    assert problems[0].startswith(f"state: {own.parent}: other users can write there")


def test_a10_commands_of_a_skipped_task_need_no_approval(workspace: Path) -> None:
    stdout_of(workspace, "add", "b", "--check", "make", "--as", "bot")
    stdout_of(workspace, "skip", "2")
    assert problems_of(workspace, 0) == []


def test_f7_an_applied_edit_is_no_problem(workspace: Path) -> None:
    stdout_of(workspace, "add", "Free")
    file = workspace / ".outlast/plans/ship/task_plan.md"
    file.write_text(file.read_text().replace("- [ ] ○ **2** Free", "- [x] ○ **2** Free"))
    assert problems_of(workspace, 0) == []


def test_f7_a_refused_edit_is_reported_with_its_line(workspace: Path) -> None:
    file = workspace / ".outlast/plans/ship/task_plan.md"
    lines = file.read_text().splitlines(keepends=True)
    number = next(at for at, line in enumerate(lines, 1) if line.startswith("- [ ]"))
    file.write_text(file.read_text().replace("- [ ] ○ **1** a", "- [x] ○ **1** a"))
    [trouble] = problems_of(workspace)
    assert trouble.startswith(f"plan ship: task_plan.md, line {number}: not applied")
    assert problems_of(workspace, 0) == []


def test_plans_elsewhere_are_diagnosed(
    workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    problems = json_of(other, "doctor", str(workspace))["findings"]
    assert [one["what"] for one in problems][-1] == "plan ship"
    beside = json_of(other, "doctor", os.path.relpath(workspace, other))["findings"]
    assert beside == problems
    assert json_of(workspace, "doctor", "nowhere", code=4)["error"]["code"] == "STORE_ERROR"
    for where in (".", "sqlite:///none.db"):
        assert json_of(other, "doctor", where, code=3)["error"]["code"] == "PLAN_NOT_FOUND"
    assert (
        json_of(other, "doctor", "sqlite://none.db", code=2)["error"]["code"] == "INVALID_ARGUMENT"
    )
    assert os.listdir(other) == []  # noqa: PTH208 - names


def test_f6_a_damaged_plan_in_a_database_is_repaired_by_the_command_in_its_message(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    for key in ("ship", "other"):
        with create_plan(url, "Ship it", key, actor="human") as plan:
            for name in "abc":
                plan.add(name)
    assert stdout_of(tmp_path, "doctor", "sqlite:///plans.db").endswith("Everything is in order.\n")
    with closing(sqlite3.connect(tmp_path / "plans.db")) as database:
        database.execute("update commits set line = x'' where plan = 1 and place = 3")
        database.commit()
    result = outlast(tmp_path, "doctor", url)
    assert (result.returncode, result.stderr) == (4, "")
    command = f"outlast doctor --repair {url}"
    assert f"`{command}`" in result.stdout
    assert f"`{command} --lang zh`" in outlast(tmp_path, "doctor", url, "--lang", "zh").stdout
    repaired = stdout_of(tmp_path, *command.split()[1:])
    assert "plan ship: " in repaired
    assert "the damaged database was kept" in repaired
    assert repaired.endswith("Everything is in order.\n")
    assert f"\n✓ database: {tmp_path}/plans.db (" in stdout_of(tmp_path, "doctor", url)
    with open_plan(url, "ship", actor="human") as plan:
        assert [task.name for task in plan.tasks()] == ["a", "c"]
