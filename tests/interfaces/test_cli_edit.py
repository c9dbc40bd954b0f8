"""`edit`, `graph`, and checks that are given with `add`."""

from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.domain.model import Check, Progress
from tests.interfaces.processes import data, outlast, said


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        for name in "abc":
            plan.add(name)
        plan.add_phase("Later on")
    return tmp_path


def test_everything_of_a_task_is_changed_in_one_step_that_can_be_taken_back(
    workspace: Path,
) -> None:
    said(
        *(workspace, "edit", "#3", "--name", "C new", "--needs", "1,2", "--phase", "later on"),
        *("--progress", "2/5", "--check", "file: out.txt ~ ^ok$", "--check", "true"),
        *("--run", "make", "--files", "src/**, docs/**", "--protect", "tests/**"),
        *("--reason", "the customer asked for it"),
    )
    with open_plan(str(workspace)) as plan:
        task = plan.task(3)
        commit = next(one for one in plan.history() if one.reason)
    assert (task.name, task.needs, task.phase) == ("C new", (1, 2), "later-on")
    assert task.checks == (Check("file", "out.txt ~ ^ok$"), Check("command", "true"))
    assert (task.run, task.files, task.protect) == ("make", ("src/**", "docs/**"), ("tests/**",))
    assert task.progress == Progress(2, 5)
    assert commit.reason == "the customer asked for it"
    said(workspace, "undo")
    with open_plan(str(workspace)) as plan:
        assert (plan.task(3).name, plan.task(3).checks, plan.task(3).phase) == ("c", (), "main")


def test_what_was_given_is_taken_away_again(workspace: Path) -> None:
    said(workspace, "edit", "2", "--needs", "1", "--check", "true", "--run", "x", "--files", "a")
    said(workspace, "edit", "2", "--needs", "none", "--no-checks", "--run", "", "--files", "none")
    with open_plan(str(workspace)) as plan:
        task = plan.task(2)
    assert (task.needs, task.checks, task.run, task.files) == ((), (), "", ())


def test_a_task_is_put_elsewhere_in_the_list(workspace: Path) -> None:
    said(workspace, "mv", "3", "--first")
    said(workspace, "move", "1", "--after", "2")
    with open_plan(str(workspace)) as plan:
        assert [task.id for task in plan.tasks()] == [3, 2, 1]


def test_a_finished_task_is_taken_up_again(workspace: Path) -> None:
    said(workspace, "done", "1")
    assert said(workspace, "reopen", "1", "--reason", "it broke").startswith("Changed 1 a\n")
    with open_plan(str(workspace)) as plan:
        assert plan.task(1).status == "pending"
    assert "because: it broke" in said(workspace, "log", "-n", "1")


def test_a_person_renames_what_is_finished_and_an_agent_does_not(workspace: Path) -> None:
    said(workspace, "done", "1")
    said(workspace, "rename", "1", "--name", "A as it should be called")
    refused = outlast(workspace, "edit", "1", "--name", "Mine", "--as", "bot")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "○ 2 b" in said(workspace)
    assert "● 1 A as it should be called" in said(workspace)


def test_without_a_number_the_plan_itself_or_ones_own_task_is_meant(workspace: Path) -> None:
    assert said(workspace, "edit", "--title", "Ship", "--order", "sequential", "--goal", "G") == (
        "Changed plan ship: Ship\n"
    )
    with open_plan(str(workspace)) as plan:
        assert (plan.title, plan.order, plan.goal) == ("Ship", "sequential", "G")
    said(workspace, "start")
    said(workspace, "edit", "--progress", "1/2")
    with open_plan(str(workspace)) as plan:
        assert plan.task(1).progress == Progress(1, 2)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["edit"], 2, "say what to change"),
        (["edit", "1"], 2, "say what to change"),
        (["edit", "1", "--title", "x"], 2, "--title: these belong to the plan itself"),
        (["edit", "--name", "x", "--goal", "y"], 2, "--goal: these belong to the plan itself"),
        (["edit", "1", "--first", "--after", "2"], 2, "--first, --after: only one"),
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
    assert "○ 1 a\n" in said(workspace)


def test_r4_03_a_phase_that_is_not_there_yet_is_begun_in_the_same_step(workspace: Path) -> None:
    added = said(workspace, "add", "d", "e", "--phase", "Review")
    assert added.startswith("Began phase Review\nAdded 4 d\nAdded 5 e\n")
    moved = data(workspace, "edit", "1", "--phase", "Last of all", "--name", "A")
    assert moved["new_phase"] == {"id": "last-of-all", "title": "Last of all"}
    assert data(workspace, "add", "f", "--phase", "REVIEW")["new_phase"] is None
    assert "已开始阶段 新" in said(workspace, "edit", "2", "--phase", "新", "--lang", "zh")
    with open_plan(str(workspace)) as plan:
        titles = [phase.title for phase in plan.phases]
        assert titles == ["Main Tasks", "Later on", "Review", "Last of all", "新"]
        assert [plan.task(number).phase for number in (4, 5, 6)] == ["review"] * 3
        assert (plan.task(1).phase, plan.task(1).name) == ("last-of-all", "A")
    for _ in range(4):
        said(workspace, "undo")
    with open_plan(str(workspace)) as plan:
        assert [phase.title for phase in plan.phases] == ["Main Tasks", "Later on"]


def test_r4_03_no_phase_is_begun_when_the_task_is_refused(workspace: Path) -> None:
    for arguments in (["add", "d", "--after", "1"], ["edit", "2", "--needs", "2"]):
        assert outlast(workspace, *arguments, "--phase", "Review").returncode != 0
    with open_plan(str(workspace)) as plan:
        assert [phase.title for phase in plan.phases] == ["Main Tasks", "Later on"]


def test_x2_a_check_is_given_with_the_task(workspace: Path) -> None:
    made = data(
        *(workspace, "add", "d", "e", "--check", "person: Ada has read it"),
        *("--check", "command: file: x", "--run", "make", "--protect", "a,b"),
    )
    for task in made["tasks"]:
        assert task["checks"] == [
            {"kind": "person", "rule": "Ada has read it"},
            {"kind": "command", "rule": "file: x"},
        ]
        assert (task["run"], task["files"], task["protect"]) == ("make", [], ["a", "b"])


def test_r2_10_the_dependencies_are_drawn(workspace: Path) -> None:
    said(workspace, "edit", "3", "--needs", "1")
    assert said(workspace, "graph") == "○ 1 a\n└─ ○ 3 c\n○ 2 b\n"
    assert "t1 --> t3" in said(workspace, "graph", "--format", "mermaid")
    assert "t1 -> t3;" in said(workspace, "graph", "--format", "dot")
    shape = data(workspace, "graph", "--format", "dot")
    assert (shape["format"], shape["plan"]["key"]) == ("dot", "ship")
    assert (shape["groups"], shape["critical_path"]) == ([[1, 2], [3]], [1, 3])


def test_r2_10_a_plan_without_tasks_is_no_picture(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    assert said(tmp_path, "graph") == "The plan has no tasks; add some first\n"
    assert data(tmp_path, "graph")["graph"] == ""
