"""X7 and X8: `undo N`, `show --at N`, `log --diff A..B`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from outlast import NewTask, create_plan, open_plan
from tests.cli.agent_scripts import GOAL, LETTERS, isolated_home, model
from tests.cli.processes import json_of, outlast, stdout_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Publish", "release", actor="human") as plan:
        plan.add_all([NewTask("Test"), NewTask("Write")])
        plan.add("Publish", [1, 2])
        plan.complete(1, "812 passed")
    return tmp_path


def stderr_of_refusal(cwd: Path, *arguments: str, code: int = 1, **variables: str) -> str:
    done = outlast(cwd, *arguments, **variables)
    assert (done.returncode, done.stdout) == (code, "")
    return done.stderr


@pytest.mark.parametrize("number", ["3", "r3"])
def test_x7_undo_reverses_a_revision_and_a_second_undo_restores_it(here: Path, number: str) -> None:
    assert stdout_of(here, "undo", number).startswith("Undid r3: added 3 Publish\n")
    assert "3 Publish" not in stdout_of(here, "show")
    assert stdout_of(here, "undo", "5").startswith("Undid r5: undid r3; removed 3 Publish\n")
    assert "3 Publish" in stdout_of(here, "show")
    answer = json_of(here, "undo")
    assert (answer["undone"]["revision"], answer["plan"]["done"]) == (4, 0)


def test_x7_undo_explains_why_a_revision_cannot_be_undone(here: Path) -> None:
    assert stderr_of_refusal(here, "undo", "2") == (
        "outlast: Revision 2 can no longer be undone: task 1 (status) changed later, last in "
        "revision 4; undo that first\nUndo that: outlast undo 4\n"
    )
    assert "修订 2 已无法撤销：任务 1（状态）" in stderr_of_refusal(
        here, "undo", "2", "--lang", "zh"
    )
    error = json_of(here, "undo", "2", code=1)["error"]
    assert error["code"] == "INVALID_STATUS"
    assert error["details"] == {"revision": 2, "what": ["tasks[1].status"], "by": 4}
    stdout_of(here, "undo", "4")
    assert "task 3 (needs) changed later, last in revision 3" in stderr_of_refusal(
        here, "undo", "2"
    )
    assert "Revision 1 created the plan" in stderr_of_refusal(here, "undo", "1")
    assert "was already undone by revision 5" in stderr_of_refusal(here, "undo", "4")


@pytest.mark.parametrize("command", [("undo",), ("show", "--at")])
def test_x7_a_wrong_revision_is_refused_with_the_range(
    here: Path, command: tuple[str, ...]
) -> None:
    for number in "09":
        says = stderr_of_refusal(here, *command, number, code=2)
        assert says == "outlast: revision: expected a whole number from 1 to 4\n"
    for number in ("x", "９", "1" * 30):
        says = stderr_of_refusal(here, *command, number, code=2)
        assert says.startswith(f"outlast: {number}: expected a revision such as 12 or r12")


def test_x7_show_at_a_revision_shows_the_plan_of_then(here: Path) -> None:
    assert stdout_of(here, "show", "--at", "r2") == (
        "The plan as it was at r2; now it is at r4\n"
        "Publish  0/2 idle  [release]\n  ○ 1 Test\n  ○ 2 Write\n"
    )
    assert stdout_of(here, "show", "--at=4", "--lang=zh").startswith(
        "计划在 r4 时的样子；现在是 r4\n"
    )
    answer = json_of(here, "show", "--at", "2")
    assert answer["plan"]["revision"] == 2
    assert [task["status"] for task in answer["tasks"]] == ["pending", "pending"]
    assert json_of(here, "show")["plan"]["revision"] == 4


def test_x7_log_diff_as_text(here: Path) -> None:
    done = "  completed 1 Test (reported, by human)  → 812 passed\n"
    assert stdout_of(here, "log", "--diff", "r2..r4") == (
        f"From r2 to r4:\n{done}  added 3 Publish (needs: 1, 2)\n"
    )
    assert stdout_of(here, "log", "--diff", "3..") == f"From r3 to r4:\n{done}"
    assert (
        stdout_of(here, "log", "--diff", "..r2")
        == "From r1 to r2:\n  added 1 Test\n  added 2 Write\n"
    )
    assert stdout_of(here, "log", "--diff", "4..4") == "No differences between r4 and r4.\n"
    assert stdout_of(here, "log", "--diff", "..2", "--lang", "zh") == (
        "从 r1 到 r2：\n  添加 1 Test\n  添加 2 Write\n"
    )


def test_x7_log_diff_as_json(here: Path) -> None:
    answer = json_of(here, "log", "--diff", "2..3")
    assert answer == {
        "ok": True,
        "plan": {"key": "release"},
        "from": 2,
        "to": 3,
        "differences": [
            _difference("added", 3, "phase", None, "main"),
            _difference("changed", 3, "needs", [], [1, 2]),
        ],
    }


def _difference(kind: str, task: int, field: str, old: object, new: object) -> dict[str, object]:
    about = {"kind": kind, "about": "task", "id": task, "name": "Publish"}
    return {**about, "field": field, "old": old, "new": new}


@pytest.mark.parametrize("given", ["3", "a..b", "1...2", "r..", "1..99"])
def test_x7_log_refuses_wrong_revision_ranges(here: Path, given: str) -> None:
    assert "expected" in stderr_of_refusal(here, "log", "--diff", given, code=2)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    create_plan(str(tmp_path), "Ship it", "ship", actor="human").close()
    stdout_of(tmp_path, "add", "Build", "--check", "file: out.txt", "--files", "out.txt")
    return tmp_path


def test_x7_undo_does_not_list_facts_as_undone(workspace: Path) -> None:
    (workspace / "out.txt").write_text("one")
    stdout_of(workspace, "done", "1")
    assert stdout_of(workspace, "undo").startswith(
        "Undid r3: work started; started 1 Build; completed 1 Build (proved)\n"
    )


def test_x7_log_names_a_task_removed_long_after_it_was_added(workspace: Path) -> None:
    stdout_of(workspace, "pause")
    stdout_of(workspace, "resume")
    stdout_of(workspace, "rm", "1")
    assert "removed 1 Build\n" in stdout_of(workspace, "log", "-n", "1")


def test_x7_log_names_tasks_as_they_were_called_then(workspace: Path) -> None:
    with open_plan(str(workspace), actor="human") as plan:
        plan.update(1, name="Make")
        plan.abort()
        plan.initialize("Next", [NewTask("Other"), NewTask("More")])
        plan.start(1)
        plan.update(2, name="Less")
    lines = [line.split("  ", 3)[3] for line in stdout_of(workspace, "log").splitlines()]
    assert lines[:6] == [
        "changed 2 More (name: More → Less)",
        "work started; started 1 Other",
        "created the plan: Next; added 1 Other; added 2 More",
        "aborted the plan",
        "changed 1 Build (name: Build → Make)",
        "added 1 Build",
    ]


def test_x7_undo_after_a_run_undoes_what_the_agent_did_and_not_the_end_of_the_run(
    tmp_path: Path,
) -> None:
    here = tmp_path / "project"
    here.mkdir()
    home = isolated_home(here)
    run = ("run", GOAL, "--model", model(here, LETTERS), "--yes", "--max-iterations")
    assert "0/2 tasks done" in outlast(here, *run, "2", **home).stdout
    outlast(here, "resume", "--max-iterations", "1", **home)
    assert "1/2 paused" in stdout_of(here, "show")
    said = [stdout_of(here, "undo").splitlines()[0].partition(": ")[2] for _ in range(2)]
    assert said == [
        "completed 1 first letter; started 2 second letter",
        (
            "changed the plan (order); added 1 first letter; added 2 second letter; "
            "started 1 first letter"
        ),
    ]
    assert stdout_of(here, "show").startswith(f"{GOAL}  0/0 paused")
    nothing = outlast(here, "undo")
    assert (nothing.returncode, nothing.stderr) == (1, "outlast: There is nothing to undo\n")


def test_u6_a_task_that_was_removed_has_a_log(here: Path) -> None:
    stdout_of(here, "remove", "3")
    lines = stdout_of(here, "log", "--task", "3").splitlines()
    assert [line.partition("human")[2].partition("  ")[2] for line in lines] == [
        "removed 3 Publish",
        "added 3 Publish",
    ]
    assert "There is no task 4" in stderr_of_refusal(here, "log", "--task", "4")
