"""Errors on the command line speak of its options; programs are told the names of the library."""

from pathlib import Path

import pytest

from outlast import create_plan, errors
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.render.errors import worded
from tests.interfaces.processes import data, outlast

EN = Call("undo", {}, {"lang": "en"})
ZH = Call("undo", {}, {"lang": "zh"})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("a")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["add", "b", "--needs", "9"], "--needs: there is no task 9"),
        (["add", "b", "c", "--needs", "x"], "--needs: there is no task x"),
        (["add", "b", " "], "name: expected some text"),
        (["edit", "1", "--after", "1"], "--after: task 1 cannot stand behind itself"),
        (["edit", "1", "--progress", "5/3"], "--progress: expected whole numbers"),
        (["check", "1", "--approve", "--as", "bot"], "--as: only a person may ask for this"),
        (["done", "1", "--force", "--as", "bot"], "--force: only a person may ask for this"),
    ],
)
def test_what_was_wrong_is_named_by_its_option(
    workspace: Path, arguments: list[str], says: str
) -> None:
    assert outlast(workspace, *arguments).stderr.startswith(f"outlast: {says}")


def test_programs_are_told_the_names_of_the_library(workspace: Path) -> None:
    error = data(workspace, "add", "b", "c", "--needs", "9", code=1)["error"]
    assert error["details"]["argument"] == "tasks[0].dependencies"
    assert error["message"].startswith("tasks[0].dependencies: ")


@pytest.mark.parametrize(
    ("path", "en", "zh"),
    [
        ("tasks[3]", "task 3 changed", "任务 3"),
        ("tasks[3].name", "task 3 (name) changed", "任务 3 (名称)"),
        ("phases[a.b].title", "phase a.b (title) changed", "阶段 a.b (标题)"),
        ("goal", "goal changed", "目标"),
        ("somewhere", "somewhere changed", "somewhere"),
    ],
)
def test_x7_what_stands_in_the_way_of_undo_is_named_in_words(path: str, en: str, zh: str) -> None:
    error = errors.InvalidStatus("cannot_undo_since", revision=2, what=[path], by=4)
    assert f": {en} since" in worded(error, EN)
    assert zh in worded(error, ZH)
    assert error.details["what"] == [path]


def test_until_when_a_task_is_claimed_is_told_in_the_time_of_the_place(workspace: Path) -> None:
    claimed = outlast(workspace, "claim", "1", TZ="Asia/Shanghai").stdout
    until = claimed.partition(" until ")[2].partition(";")[0]
    assert f" until {until};" in outlast(workspace, "done", "1", TZ="Asia/Shanghai").stderr
