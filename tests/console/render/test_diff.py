"""X7 and X8: the diff between two revisions as text and JSON."""

from datetime import UTC, datetime
from typing import Any

import pytest

from outlast.console.call import Call
from outlast.console.render.diff import difference_json, difference_lines, difference_text
from outlast.documents.change_words import describe_commit
from outlast.model import changes as c
from outlast.model.commands import CreatePlan
from outlast.model.execute import execute
from outlast.model.history.diff import Difference
from outlast.model.model import Check, Phase, Progress, Task
from outlast.model.state import PlanState
from tests.making import make_plan

EN = Call("log", {}, {"lang": "en"})
ZH = Call("log", {}, {"lang": "zh"})


def lines_for(call: Call, *fields: tuple[str, Any, Any]) -> list[str]:
    changed = [Difference("changed", "task", 1, "Test", *field) for field in fields]
    return list(difference_lines(call, changed))


OUTCOMES = [
    (
        [
            ("status", "in_progress", "completed"),
            ("result", None, "812\x1b"),
            ("how", "", "proved"),
            ("actor", "", "ada"),
        ],
        "completed 1 Test (proved, by ada)  → 812\\x1b",
        "完成 1 Test（已证明、由 ada）  → 812\\x1b",
    ),
    (
        [("status", "pending", "in_progress"), ("error", "lost", None), ("actor", "", "ada")],
        "started 1 Test (by ada)",
        "开始 1 Test（由 ada）",
    ),
    (
        [("status", "pending", "failed"), ("error", None, "lost"), ("retry_count", 0, 1)],
        "failed for good: 1 Test (retry 1)  ! lost",
        "彻底失败：1 Test（第 1 次重试）  ! lost",
    ),
    (
        [("status", "pending", "skipped"), ("result", None, "why")],
        "skipped 1 Test  → why",
        "跳过 1 Test  → why",
    ),
    (
        [("error", None, "lost"), ("retry_count", 0, 2)],
        "failed, will be retried: 1 Test (retry 2)  ! lost",
        "失败，待重试：1 Test（第 2 次重试）  ! lost",
    ),
    (
        [("status", "in_progress", "pending"), ("retry_count", 0, 1), ("actor", "ada", "")],
        "failed, will be retried: 1 Test (retry 1)",
        "失败，待重试：1 Test（第 1 次重试）",
    ),
    (
        [("status", "in_progress", "pending"), ("actor", "ada", "")],
        "returned 1 Test to pending",
        "恢复为待执行：1 Test",
    ),
    (
        [("status", "failed", "pending"), ("retry_count", 3, 0), ("how", "reported", "")],
        "reopened 1 Test",
        "重新打开 1 Test",
    ),
]


@pytest.mark.parametrize(("fields", "en", "zh"), OUTCOMES)
def test_x7_what_became_of_a_task_is_one_line(
    fields: list[tuple[str, Any, Any]], en: str, zh: str
) -> None:
    assert lines_for(EN, *fields) == [en]
    assert lines_for(ZH, *fields) == [zh]


def test_x7_what_else_has_changed_stands_in_lines_of_its_own() -> None:
    assert lines_for(EN, ("name", "Try", "Test"), ("status", "pending", "completed")) == [
        "1 Test: name: Try → Test",
        "completed 1 Test",
    ]
    assert lines_for(EN, ("result", "a", "b"), ("actor", "ada", "ben")) == [
        "1 Test: result: a → b",
        "1 Test: by: ada → ben",
    ]
    moved = Difference("moved", "task", 1, "Test", "after", 2, 0)
    assert list(difference_lines(EN, [moved])) == ["1 Test: moved to the top"]


def test_x7_a_new_task_is_shown_with_its_fields() -> None:
    plan = make_plan("a")
    plan.add("b", [1], checks=[Check("command", "make")], files=["x", "y"])
    plan.skip(2, "no need")
    now = plan.history.diff(1, plan.revision)
    told_all = list(difference_lines(EN, now))
    assert "added 2 b (needs: 1; checks: make; files: x, y)" in told_all
    assert "skipped 2 b  → no need" in told_all
    assert "添加 2 b（依赖：1；检查：make；产出文件：x、y）" in list(difference_lines(ZH, now))


def test_x8_a_status_is_translated_and_a_name_is_not() -> None:
    hold = Difference("changed", "plan", field="hold", old="", new="paused")
    assert list(difference_lines(ZH, [hold])) == ["计划：暂停状态由 无 变为 已暂停"]
    assert lines_for(ZH, ("name", "running", "failed")) == ["1 Test：名称由 running 变为 failed"]


NOW = datetime(2026, 1, 1, tzinfo=UTC)


CHECK = Check("person", "looks good")


DIFFERENCES = [
    (Difference("added", "task", 3, "new", "phase", None, "build"), "added 3 new in phase build"),
    (Difference("added", "phase", "build", "Build"), "added phase Build"),
    (Difference("removed", "task", 3, "old"), "removed 3 old"),
    (Difference("removed", "phase", "build", "Build"), "removed phase Build"),
    (Difference("moved", "task", 3, "a", "phase", "x", "y"), "3 a: moved to phase y"),
    (Difference("moved", "task", 3, "a", "after", 1, 0), "3 a: moved to the top"),
    (Difference("moved", "phase", "b", "B", "after", "", "a"), "phase B: moved after a"),
    (Difference("changed", "plan", "", "", "id", "p", "q"), "another plan has replaced it"),
    (Difference("changed", "plan", field="hold", old="", new="paused"), "on hold: none → paused"),
    (Difference("changed", "task", 3, "a", "checks", (), (CHECK,)), "none → person: looks good"),
    (Difference("changed", "task", 3, "a", "files", ("a", "b"), ()), "files: a, b → none"),
    (Difference("changed", "task", 3, "a", "result", "\x1b[1m", "x"), "result: \\x1b[1m → x"),
]


@pytest.mark.parametrize(("difference", "words"), DIFFERENCES)
def test_x7_differences_as_text(difference: Difference, words: str) -> None:
    assert difference_text(EN, difference).endswith(words)
    assert any("\u4e00" <= letter <= "\u9fff" for letter in difference_text(ZH, difference))


def test_x7_progress_is_shown_as_everywhere() -> None:
    change = Difference("changed", "task", 3, "a", "progress", None, Progress(1, 2))
    assert difference_text(EN, change) == "3 a: progress: none → 1/2"
    shape = difference_json(change)
    assert (shape["old"], shape["new"]) == (None, {"current": 1, "total": 2})


def test_x7_tasks_and_phases_are_shown_by_name() -> None:
    commit = c.Commit(
        2, NOW, "human", (c.TaskAdded(Task(4, "new")), c.PhaseAdded(Phase("b", "B"), 1))
    )
    state = PlanState(NOW)
    execute(state, (CreatePlan("plan_a", "Goal"),), NOW)
    assert describe_commit(commit, state) == "added 4 new; added phase B"
