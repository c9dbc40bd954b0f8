"""X7 and X8: `log --diff` says in one line what became of a task."""

from typing import Any

import pytest

from outlast.domain.history.diff import Difference
from outlast.domain.model import Check
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.render.outcomes import lines
from tests.making import make_plan

EN = Call("log", {}, {"lang": "en"})
ZH = Call("log", {}, {"lang": "zh"})


def told(call: Call, *fields: tuple[str, Any, Any]) -> list[str]:
    changed = [Difference("changed", "task", 1, "Test", *field) for field in fields]
    return list(lines(call, changed))


OUTCOMES = [
    (
        [
            ("status", "in_progress", "completed"),
            ("result", None, "812\x1b"),
            ("how", "", "proved"),
            ("actor", "", "ada"),
        ],
        "completed 1 Test (proved, by ada)  → 812\\x1b",
        "完成 1 Test (已证明, 由 ada)  → 812\\x1b",
    ),
    (
        [("status", "pending", "in_progress"), ("error", "lost", None), ("actor", "", "ada")],
        "started 1 Test (by ada)",
        "开始 1 Test (由 ada)",
    ),
    (
        [("status", "pending", "failed"), ("error", None, "lost"), ("retry_count", 0, 1)],
        "failed for good: 1 Test (retry 1)  ! lost",
        "最终失败：1 Test (第 1 次重试)  ! lost",
    ),
    (
        [("status", "pending", "skipped"), ("result", None, "why")],
        "skipped 1 Test  → why",
        "跳过 1 Test  → why",
    ),
    (
        [("error", None, "lost"), ("retry_count", 0, 2)],
        "failed, to be tried again: 1 Test (retry 2)  ! lost",
        "失败，待重试：1 Test (第 2 次重试)  ! lost",
    ),
    (
        [("status", "in_progress", "pending"), ("retry_count", 0, 1), ("actor", "ada", "")],
        "failed, to be tried again: 1 Test (retry 1)",
        "失败，待重试：1 Test (第 1 次重试)",
    ),
    (
        [("status", "in_progress", "pending"), ("actor", "ada", "")],
        "gave back 1 Test",
        "交回 1 Test",
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
    assert told(EN, *fields) == [en]
    assert told(ZH, *fields) == [zh]


def test_x7_what_else_has_changed_stands_in_lines_of_its_own() -> None:
    assert told(EN, ("name", "Try", "Test"), ("status", "pending", "completed")) == [
        "1 Test: name: Try → Test",
        "completed 1 Test",
    ]
    assert told(EN, ("result", "a", "b"), ("actor", "ada", "ben")) == [
        "1 Test: result: a → b",
        "1 Test: by: ada → ben",
    ]
    moved = Difference("moved", "task", 1, "Test", "after", 2, 0)
    assert list(lines(EN, [moved])) == ["1 Test: moved to the front"]


def test_x7_a_new_task_is_told_with_what_it_has() -> None:
    plan = make_plan("a")
    plan.add("b", [1], checks=[Check("command", "make")], files=["x", "y"])
    plan.skip(2, "no need")
    now = plan.diff(1, plan.revision)
    told_all = list(lines(EN, now))
    assert "added 2 b (waits for: 1; checks: make; files: x, y)" in told_all
    assert "skipped 2 b  → no need" in told_all
    assert "添加 2 b (等待: 1；检查: make；产出文件: x, y)" in list(lines(ZH, now))


def test_x8_a_status_is_told_in_the_language_but_a_name_is_not() -> None:
    hold = Difference("changed", "plan", field="hold", old="", new="paused")
    assert list(lines(ZH, [hold])) == ["计划本身：停住由 无 变为 已暂停"]
    assert told(ZH, ("name", "running", "failed")) == ["1 Test：名称由 running 变为 failed"]
