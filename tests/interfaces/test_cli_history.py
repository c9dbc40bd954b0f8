"""X7 and X8: `undo N`, `show --at N`, `log --diff A..B`, and every change in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, get_args

import pytest

from outlast import NewTask, create_plan
from outlast.domain import changes as c
from outlast.domain import note_changes as n
from outlast.domain.history.diff import NOTED, PLAN_FIELDS, TASK_FIELDS, Difference
from outlast.domain.model import (
    Check,
    ErrorRecord,
    Evidence,
    Finding,
    Phase,
    Progress,
    Proof,
    Prose,
    Task,
)
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.render.diff import difference_shape, told
from outlast.interfaces.cli.render.fields import FIELDS
from outlast.interfaces.cli.render.narration import WORDS, narrated
from outlast.texts import text
from tests.interfaces.processes import data, outlast, said

if TYPE_CHECKING:
    from pathlib import Path

    from outlast.texts import Language

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CHECK = Check("person", "looks good")
EVIDENCE = (Evidence(CHECK, ok=True), Evidence(Check("command", "make"), ok=False))
ERROR = ErrorRecord(1, "sh", "broke\nbadly", NOW, NOW)
EN, ZH = Call("log", {}, {"lang": "en"}), Call("log", {}, {"lang": "zh"})


@pytest.fixture
def here(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Publish", "release") as plan:
        plan.add_all([NewTask("Test"), NewTask("Write")])
        plan.add("Publish", [1, 2])
        plan.complete(1, "812 passed")
    return tmp_path


def refused(cwd: Path, *arguments: str, code: int = 1, **variables: str) -> str:
    done = outlast(cwd, *arguments, **variables)
    assert (done.returncode, done.stdout) == (code, "")
    return done.stderr


@pytest.mark.parametrize("number", ["3", "r3"])
def test_x7_undo_takes_back_the_commit_of_a_revision_and_again_brings_it_back(
    here: Path, number: str
) -> None:
    assert said(here, "undo", number).startswith("Took back r3: added 3 Publish\n")
    assert "3 Publish" not in said(here, "show")
    assert said(here, "undo", "5").startswith("Took back r5: took back r3; took out 3 Publish\n")
    assert "3 Publish" in said(here, "show")
    answer = data(here, "undo")
    assert (answer["undone"]["revision"], answer["plan"]["done"]) == (4, 0)


def test_x7_undo_explains_why_a_revision_cannot_be_taken_back(here: Path) -> None:
    assert refused(here, "undo", "2") == (
        "outlast: Revision 2 cannot be undone any more: task 1 (status) changed since, last in "
        "revision 4; undo that first\n"
    )
    assert "版本 2 已无法撤销：任务 1 (状态)" in refused(here, "undo", "2", "--lang", "zh")
    error = data(here, "undo", "2", code=1)["error"]
    assert error["code"] == "INVALID_STATUS"
    assert error["details"] == {"revision": 2, "what": ["tasks[1].status"], "by": 4}
    said(here, "undo", "4")
    assert "task 3 (waits for) changed since, last in revision 3" in refused(here, "undo", "2")
    assert "A plan began at revision 1" in refused(here, "undo", "1")
    assert "is undone already, by revision 5" in refused(here, "undo", "4")


@pytest.mark.parametrize("command", [("undo",), ("show", "--at")])
def test_x7_what_is_no_revision_is_refused_with_the_range(
    here: Path, command: tuple[str, ...]
) -> None:
    for number in "09":
        says = refused(here, *command, number, code=2)
        assert says == "outlast: revision: expected a whole number from 1 to 4\n"
    for number in ("x", "９", "1" * 30):
        says = refused(here, *command, number, code=2)
        assert says.startswith(f"outlast: {number}: expected a revision such as 12 or r12")


def test_x7_show_tells_what_the_plan_was(here: Path) -> None:
    assert said(here, "show", "--at", "r2") == (
        "The plan as it was at r2; it is at r4 now\n"
        "Publish  0/2 idle  [release]\n  ○ 1 Test\n  ○ 2 Write\n"
    )
    assert said(here, "show", "--at=4", "--lang=zh").startswith("计划在 r4 时的样子；现在是 r4\n")
    answer = data(here, "show", "--at", "2")
    assert answer["plan"]["revision"] == 2
    assert [task["status"] for task in answer["tasks"]] == ["pending", "pending"]
    assert data(here, "show")["plan"]["revision"] == 4


def test_x7_log_tells_two_revisions_apart_in_words(here: Path) -> None:
    done = "  completed 1 Test (reported, by human)  → 812 passed\n"
    assert said(here, "log", "--diff", "r2..r4") == (
        f"From r2 to r4:\n{done}  added 3 Publish (waits for: 1, 2)\n"
    )
    assert said(here, "log", "--diff", "3..") == f"From r3 to r4:\n{done}"
    assert (
        said(here, "log", "--diff", "..r2") == "From r1 to r2:\n  added 1 Test\n  added 2 Write\n"
    )
    assert said(here, "log", "--diff", "4..4") == "Nothing is different from r4 to r4.\n"
    assert said(here, "log", "--diff", "..2", "--lang", "zh") == (
        "从 r1 到 r2：\n  添加 1 Test\n  添加 2 Write\n"
    )


def test_x7_log_tells_programs_what_is_different(here: Path) -> None:
    answer = data(here, "log", "--diff", "2..3")
    assert answer == {
        "ok": True,
        "from": 2,
        "to": 3,
        "differences": [
            _shape("added", 3, "phase", None, "main"),
            _shape("changed", 3, "dependencies", [], [1, 2]),
        ],
    }


def _shape(kind: str, task: int, field: str, old: object, new: object) -> dict[str, object]:
    about = {"kind": kind, "about": "task", "id": task, "name": "Publish"}
    return {**about, "field": field, "old": old, "new": new}


@pytest.mark.parametrize("given", ["3", "a..b", "1...2", "r..", "1..99"])
def test_x7_log_refuses_what_are_not_two_revisions(here: Path, given: str) -> None:
    assert "expected" in refused(here, "log", "--diff", given, code=2)


NARRATED: list[tuple[Any, str, str]] = [
    (
        c.PlanEdited(goal="g", order="graph"),
        "changed the plan (goal, order)",
        "更改计划 (目标, 顺序)",
    ),
    (
        c.TaskEdited(1, run="x", files=(), protect=("a",)),
        "changed 1 Test (run, files, protect)",
        "更改 1 Test (运行命令, 产出文件, 保护文件)",
    ),
    (c.TaskCompleted(1), "completed 1 Test", "完成 1 Test"),
    (c.TaskCompleted(1, how="proved"), "completed 1 Test (proved)", "完成 1 Test (已证明)"),
    (n.ProofNoted(Proof(1, "set", NOW)), "looked at the checks of 1 Test", "查看检查结果：1 Test"),
    (
        n.ProofNoted(Proof(1, "later", NOW, EVIDENCE)),
        "looked at the checks of 1 Test (1/2)",
        "查看检查结果：1 Test (1/2)",
    ),
    (
        n.CheckConfirmed(1, CHECK, "human"),
        "gave their word on 1 Test (person: looks good)",
        "确认检查：1 Test (person: looks good)",
    ),
    (n.PhaseMarked("main", "blocked"), "marked phase main (blocked)", "标记阶段 main (受阻)"),
    (n.PhaseMarked("main"), "marked phase main", "标记阶段 main"),
    (
        n.FindingNoted(Finding(2, "code", "A trap", "text", NOW)),
        "noted finding 2 A trap",
        "记录发现 2 A trap",
    ),
    (n.FindingForgotten(2), "forgot finding 2", "不再保留发现 2"),
    (n.ErrorNoted("k", ERROR), "noted an error of sh: broke", "记录错误 sh: broke"),
    (n.ErrorsForgotten(("a", "b")), "forgot 2 errors", "不再保留 2 条错误"),
    (n.Delivered("text"), "wrote down what came out, 4 characters", "写下成果，共 4 个字符"),
    (
        n.ProseKept((Prose("top", ("a", "b")), Prose("end", ("c",)))),
        "kept 3 lines of people's own",
        "保留人写的 3 行文字",
    ),
    (c.TaskLeased(0, "ann", 1, NOW), "claimed the plan (ann)", "认领 计划本身 (ann)"),
    (
        c.AttemptEnded("1#1", "done", "person"),
        "ended attempt 1#1 done (settled by person)",
        "结束尝试 1#1 done (由 person 判定)",
    ),
]


@pytest.mark.parametrize(("change", "en", "zh"), NARRATED, ids=lambda one: type(one).__name__)
def test_x8_changes_are_told_in_both_languages(change: Any, en: str, zh: str) -> None:
    commit = c.Commit(2, NOW, "human", (change,))
    assert narrated(EN, commit, {1: "Test"}) == en
    assert narrated(ZH, commit, {1: "Test"}) == zh


def test_x7_an_error_that_came_again_is_told_with_its_count() -> None:
    again = ErrorRecord(1, "sh", "broke", NOW, NOW, count=3)
    commit = c.Commit(2, NOW, "human", (n.ErrorNoted("k", again),))
    assert narrated(EN, commit, {}) == "noted an error of sh: broke (3 times)"


def test_x7_every_kind_of_change_and_every_field_has_words() -> None:
    assert set(get_args(c.Change)) == WORDS.keys()
    told_of = {*PLAN_FIELDS, *TASK_FIELDS, *NOTED, "title", "notes", "marked"} - {"id"}
    assert told_of == FIELDS.keys()
    edited = {*c.TaskEdited.__struct_fields__, *c.PlanEdited.__struct_fields__} - {"id"}
    assert edited <= FIELDS.keys()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_x8_words_for_changes_take_what_they_are_about_or_nothing(language: Language) -> None:
    for key in WORDS.values():
        text(key, language, what="x")


DIFFERENCES = [
    (Difference("added", "task", 3, "new", "phase", None, "build"), "added 3 new in phase build"),
    (Difference("added", "phase", "build", "Build"), "added phase Build"),
    (Difference("removed", "task", 3, "old"), "took out 3 old"),
    (Difference("removed", "phase", "build", "Build"), "took out phase Build"),
    (Difference("moved", "task", 3, "a", "phase", "x", "y"), "3 a: moved to phase y"),
    (Difference("moved", "task", 3, "a", "after", 1, 0), "3 a: moved to the front"),
    (Difference("moved", "phase", "b", "B", "after", "", "a"), "phase B: moved behind a"),
    (Difference("changed", "plan", "", "", "id", "p", "q"), "another plan has followed"),
    (Difference("changed", "plan", field="hold", old="", new="paused"), "held up: none → paused"),
    (Difference("changed", "task", 3, "a", "checks", (), (CHECK,)), "none → person: looks good"),
    (Difference("changed", "task", 3, "a", "files", ("a", "b"), ()), "files: a, b → none"),
    (Difference("changed", "task", 3, "a", "result", "\x1b[1m", "x"), "result: \\x1b[1m → x"),
]


@pytest.mark.parametrize(("difference", "words"), DIFFERENCES)
def test_x7_differences_are_told_in_words(difference: Difference, words: str) -> None:
    assert told(EN, difference).endswith(words)
    assert any("\u4e00" <= letter <= "\u9fff" for letter in told(ZH, difference))


def test_x7_progress_is_told_as_everywhere() -> None:
    change = Difference("changed", "task", 3, "a", "progress", None, Progress(1, 2))
    assert told(EN, change) == "3 a: progress: none → 1/2"
    shape = difference_shape(change)
    assert (shape["old"], shape["new"]) == (None, {"current": 1, "total": 2})


def test_x7_tasks_and_phases_are_named_by_what_they_are_called() -> None:
    commit = c.Commit(
        2, NOW, "human", (c.TaskAdded(Task(4, "new")), c.PhaseAdded(Phase("b", "B"), 1))
    )
    assert narrated(EN, commit, {}) == "added 4 new; added phase B"
