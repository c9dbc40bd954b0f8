"""`edit`, and checks given with `add`."""

from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.model.model import Check, Progress
from tests.cli.processes import json_of, outlast, stdout_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        for name in "abc":
            plan.add(name)
        plan.add_phase("Later on")
    return tmp_path


def test_all_fields_of_a_task_change_in_one_step_that_can_be_undone(workspace: Path) -> None:
    stdout_of(
        *(workspace, "edit", "#3", "--name", "C new", "--needs", "1,2", "--phase", "later on"),
        *("--progress", "2/5", "--check", "file: out.txt ~ ^ok$", "--check", "true"),
        *("--run", "make", "--files", "src/**, docs/**", "--protect", "tests/**"),
        *("--reason", "the customer asked for it"),
    )
    with open_plan(str(workspace)) as plan:
        task = plan.task(3)
        commit = next(one for one in plan.history.commits() if one.reason)
    assert (task.name, task.needs, task.phase) == ("C new", (1, 2), "later-on")
    assert task.checks == (Check("file", "out.txt ~ ^ok$"), Check("command", "true"))
    assert (task.run, task.files, task.protect) == ("make", ("src/**", "docs/**"), ("tests/**",))
    assert task.progress == Progress(2, 5)
    assert commit.reason == "the customer asked for it"
    stdout_of(workspace, "undo")
    with open_plan(str(workspace)) as plan:
        assert (plan.task(3).name, plan.task(3).checks, plan.task(3).phase) == ("c", (), "main")


def test_fields_are_cleared(workspace: Path) -> None:
    stdout_of(
        workspace, "edit", "2", "--needs", "1", "--check", "true", "--run", "x", "--files", "a"
    )
    stdout_of(
        workspace, "edit", "2", "--needs", "none", "--no-checks", "--run", "", "--files", "none"
    )
    with open_plan(str(workspace)) as plan:
        task = plan.task(2)
    assert (task.needs, task.checks, task.run, task.files) == ((), (), "", ())


def test_a_task_is_moved_in_the_list(workspace: Path) -> None:
    stdout_of(workspace, "mv", "3", "--first")
    stdout_of(workspace, "move", "1", "--insert-after", "2")
    with open_plan(str(workspace)) as plan:
        assert [task.id for task in plan.tasks()] == [3, 2, 1]


def test_a_finished_task_is_reopened(workspace: Path) -> None:
    stdout_of(workspace, "done", "1")
    assert stdout_of(workspace, "reopen", "1", "--reason", "it broke").startswith("Changed 1 a\n")
    with open_plan(str(workspace)) as plan:
        assert plan.task(1).status == "pending"
    assert "because: it broke" in stdout_of(workspace, "log", "-n", "1")


def test_a_person_renames_a_finished_task_and_an_agent_cannot(workspace: Path) -> None:
    stdout_of(workspace, "done", "1")
    stdout_of(workspace, "rename", "1", "--name", "A as it should be called")
    refused = outlast(workspace, "edit", "1", "--name", "Mine", "--as", "bot")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "○ 2 b" in stdout_of(workspace)
    assert "● 1 A as it should be called" in stdout_of(workspace)


def test_m1_a_task_gets_a_description_and_another_one(workspace: Path) -> None:
    stdout_of(workspace, "add", "Write", "Print", "-d", "In euros.\nOne page.")
    with open_plan(str(workspace)) as plan:
        assert {task.description for task in plan.tasks()[-2:]} == {"In euros.\nOne page."}
    last = json_of(workspace, "show")["tasks"][-1]
    assert last["description"] == "In euros.\nOne page."
    stdout_of(workspace, "edit", str(last["id"]), "--description", "In dollars")
    assert json_of(workspace, "show")["tasks"][-1]["description"] == "In dollars"


def test_r0_14_a_person_changes_the_goal_and_the_log_has_both(workspace: Path) -> None:
    refused = outlast(workspace, "edit", "--goal", "Mine", "--as", "bot")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "only a person may change the goal" in refused.stderr
    changed = stdout_of(workspace, "edit", "--goal", "Ship it in May\nnot later")
    assert changed == "Changed plan ship: Ship it in May\n  its goal was: Ship it\n"
    log = stdout_of(workspace, "log", "-n", "1")
    assert "human (mira)  changed the plan (goal: Ship it → Ship it in May)\n" in log
    in_chinese = stdout_of(workspace, "log", "-n", "1", "--lang", "zh")
    assert "修改计划（目标：Ship it → Ship it in May）\n" in in_chinese


def test_without_a_number_the_plan_or_the_own_task_is_edited(workspace: Path) -> None:
    assert stdout_of(
        workspace, "edit", "--title", "Ship", "--order", "sequential", "--goal", "G"
    ) == ("Changed plan ship: Ship\n  its goal was: Ship it\n")
    with open_plan(str(workspace)) as plan:
        assert (plan.title, plan.order, plan.goal) == ("Ship", "sequential", "G")
    stdout_of(workspace, "start")
    stdout_of(workspace, "edit", "--progress", "1/2")
    with open_plan(str(workspace)) as plan:
        assert plan.task(1).progress == Progress(1, 2)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["edit"], 2, "say what to change"),
        (["edit", "1"], 2, "say what to change"),
        (["edit", "1", "--title", "x"], 2, "--title: these change the plan itself"),
        (["edit", "--name", "x", "--goal", "y"], 2, "--goal: these change the plan itself"),
        (["edit", "1", "--first", "--insert-after", "2"], 2, "--first, --insert-after: only one"),
        (["edit", "1", "--check", "a", "--no-checks"], 2, "--check, --no-checks: only one"),
        (["edit", "1", "--check", "file:"], 2, "--check: expected some text"),
        (["edit", "1", "--progress", "half"], 2, "--progress: expected whole numbers"),
        (["edit", "1", "--progress", "3/2"], 2, "--progress: expected whole numbers"),
        (["edit", "1", "--order", "odd"], 2, "--order: expected graph|sequential"),
        (["edit", "9", "--name", "x"], 1, "Task with ID 9 not found"),
        (["edit", "1", "--needs", "1"], 1, "Circular dependency: 1, 1"),
        (["edit", "1", "--phase", " "], 2, "--phase: expected some text"),
        (["edit", "1", "--name", " "], 2, "name: expected some text"),
        (["edit", "--progress", "1/2"], 1, "human has no task in progress"),
        (["graph", "--format", "svg"], 2, "--format: expected ascii|mermaid|dot"),
    ],
)
def test_what_cannot_be_changed_is_refused(
    workspace: Path, arguments: list[str], code: int, words: str
) -> None:
    done = outlast(workspace, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"outlast: {words}")


def test_when_one_thing_is_refused_nothing_is_changed(workspace: Path) -> None:
    outlast(workspace, "edit", "1", "--name", "New", "--needs", "1")
    assert "○ 1 a\n" in stdout_of(workspace)


def test_r4_03_a_new_phase_is_created_in_the_same_step(workspace: Path) -> None:
    added = stdout_of(workspace, "add", "d", "e", "--phase", "Review")
    assert added.startswith("Created phase Review\nAdded 4 d\nAdded 5 e\n")
    moved = json_of(workspace, "edit", "1", "--phase", "Last of all", "--name", "A")
    assert moved["new_phase"] == {"id": "last-of-all", "title": "Last of all"}
    assert json_of(workspace, "add", "f", "--phase", "REVIEW")["new_phase"] is None
    assert "已新建阶段 新" in stdout_of(workspace, "edit", "2", "--phase", "新", "--lang", "zh")
    with open_plan(str(workspace)) as plan:
        titles = [phase.title for phase in plan.phases]
        assert titles == ["Main Tasks", "Later on", "Review", "Last of all", "新"]
        assert [plan.task(number).phase for number in (4, 5, 6)] == ["review"] * 3
        assert (plan.task(1).phase, plan.task(1).name) == ("last-of-all", "A")
    for _ in range(4):
        stdout_of(workspace, "undo")
    with open_plan(str(workspace)) as plan:
        assert [phase.title for phase in plan.phases] == ["Main Tasks", "Later on"]


def test_r4_03_no_phase_is_created_when_the_task_is_refused(workspace: Path) -> None:
    for arguments in (["add", "d", "--insert-after", "1"], ["edit", "2", "--needs", "2"]):
        assert outlast(workspace, *arguments, "--phase", "Review").returncode != 0
    with open_plan(str(workspace)) as plan:
        assert [phase.title for phase in plan.phases] == ["Main Tasks", "Later on"]


def test_x2_a_check_is_given_with_the_task(workspace: Path) -> None:
    made = json_of(
        *(workspace, "add", "d", "e", "--check", "person: Ada has read it"),
        *("--check", "command: file: x", "--run", "make", "--protect", "a,b"),
    )
    for task in made["tasks"]:
        assert task["checks"] == [
            {"kind": "person", "rule": "Ada has read it"},
            {"kind": "command", "rule": "file: x"},
        ]
        assert (task["run"], task["files"], task["protect"]) == ("make", [], ["a", "b"])
