"""X4, X7, X8: every change is described in both languages."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from outlast.console.call import Call
from outlast.console.render.diff import FIELDS
from outlast.console.render.narration import TEXT_KEYS, describe_commit, describe_commits
from outlast.language import Language, text
from outlast.model import changes as c
from outlast.model.budget import Budget, Spend
from outlast.model.commands import CreatePlan
from outlast.model.execute import execute
from outlast.model.history.diff import NOTE_FIELDS, PLAN_FIELDS, TASK_FIELDS
from outlast.model.ledger import Conversation, LoopCounters
from outlast.model.model import (
    MAIN,
    OUTCOMES,
    PAUSE_REASONS,
    SETTLED_BY,
    Check,
    ErrorRecord,
    Evidence,
    Finding,
    Interjection,
    Outcome,
    Proof,
    Prose,
    Question,
    SettledBy,
    Task,
)
from outlast.model.state import PlanState
from tests.making import make_plan

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def plan() -> PlanState:
    state = PlanState(NOW)
    create = CreatePlan("plan_a", "In PHP", tasks=(Task(1, "Test"),))
    execute(state, (create,), NOW)
    return state


EN, ZH = Call("log", {}, {"lang": "en"}), Call("log", {}, {"lang": "zh"})
LOOP_CHANGES: list[tuple[Any, str, str]] = [
    (
        c.BudgetSet(Budget(tokens=1_000, money=1.5), 1),
        "set the budget of 1 Test (1,000 tokens, $1.50)",
        "设定预算：1 Test",
    ),
    (c.BudgetSet(Budget()), "set the budget of the plan (no limit)", "无上限"),
    (c.Charged(Spend(tool_calls=2)), "recorded a cost of the plan (2 tool calls)", "计入花费"),
    (
        c.QuestionAsked(Question(3, "Which port?\nor", NOW)),
        "asked question 3 Which port?",
        "提出问题 3",
    ),
    (c.QuestionAnswered(3, "80", "ann"), "answered question 3: 80", "回答问题 3：80"),
    (
        c.Interjected(Interjection(1, "stop\x1b[1m", "ann", NOW)),
        "told the agent: stop\\x1b[1m",
        "对智能体说",
    ),
    (c.InterjectionsTaken(4), "read the messages up to number 4", "至第 4 条"),
    (
        c.LoopNoted(managed=True, stops=2),
        "saved the loop's counters (the model manages the plan",
        "停止被拦下",
    ),
    (c.LoopNoted(managed=False), "saved the loop's counters", "保存运行计数"),
    (
        c.LoopNoted(seen=7),
        "saved the loop's counters (the model knows the edits up to r7)",
        "模型已知 r7 以前的修改",
    ),
    (
        c.RefusalNoted("sh: rm\x1b -r src", "hook", "ours:deny"),
        "refused to run sh: rm\\x1b -r src (by a hook: ours:deny)",
        "拒绝执行 sh: rm\\x1b -r src（由钩子：ours:deny）",
    ),
    (c.RefusalNoted("sh", "permission"), "refused to run sh (not permitted)", "未获许可"),
    (c.StruckOut("sh", "0a"), "refused further calls of sh", "此后拒绝调用"),
    (c.StrikesCleared("sh"), "allowed refused calls again sh", "重新允许"),
    (c.StrikesCleared(), "allowed refused calls again (every tool)", "所有工具"),
    (
        c.LoopRestored(LoopCounters(), Conversation()),
        "rebuilt the loop's counters and messages",
        "重建运行计数",
    ),
    (
        c.AttemptEnded("1#1", "done", "person", spent=Spend(tokens=5)),
        "ended attempt 1#1 done (settled by a person, 5 tokens)",
        "结束尝试 1#1 完成（由人判定、5 个 token）",
    ),
    (c.PlanPaused(), "paused the plan", "暂停计划"),
    (c.PlanPaused("budget"), "paused the plan (not enough budget)", "预算不足"),
]


@pytest.mark.parametrize(("change", "en", "zh"), LOOP_CHANGES, ids=lambda one: type(one).__name__)
def test_x8_changes_of_a_loop_are_described_in_both_languages(
    change: Any, en: str, zh: str
) -> None:
    commit = c.Commit(2, NOW, "agent", (change,))
    description = describe_commit(EN, commit, plan())
    assert description == description.strip()
    assert description.startswith(en)
    assert zh in describe_commit(ZH, commit, plan())


def test_x8_every_kind_of_a_loops_change_and_every_reason_to_pause_has_words() -> None:
    kinds = (c.BudgetSet, c.Charged, c.QuestionAsked, c.QuestionAnswered, c.Interjected)
    more = (c.InterjectionsTaken, c.LoopNoted, c.StruckOut, c.StrikesCleared, c.LoopRestored)
    assert {type(change) for change, _, _ in LOOP_CHANGES} >= {*kinds, *more}
    for why in PAUSE_REASONS[1:]:
        for call in (EN, ZH):
            words = describe_commit(call, c.Commit(2, NOW, "agent", (c.PlanPaused(why),)), plan())
            assert ("(" in words) is (call is EN)
            assert ("\uff08" in words) is (call is ZH)


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("settled_by", SETTLED_BY)
def test_x8_every_outcome_and_who_settled_it_has_words(
    outcome: Outcome, settled_by: SettledBy
) -> None:
    commit = c.Commit(2, NOW, "agent", (c.AttemptEnded("1#1", outcome, settled_by),))
    words = describe_commit(ZH, commit, plan())
    assert words.removeprefix("结束尝试 1#1 ").isascii() is False
    assert not re.search("[a-z(),:]", words)


def test_x7_tasks_have_the_names_they_had_then() -> None:
    state = plan()
    renamed = c.Commit(2, NOW, "human", (c.TaskEdited(1, name="Try"),))
    removed = c.Commit(3, NOW, "human", (c.TaskRemoved(1),))
    again = c.PlanCreated("plan_b", "Next", NOW, NOW, phases=(MAIN,))
    other = c.Commit(4, NOW, "human", (again, c.TaskAdded(Task(1, "Other")), c.TaskStarted(1, "a")))
    words = [describe_commit(EN, commit, state) for commit in (renamed, removed, other)]
    assert words == [
        "changed 1 Test (name: Test → Try)",
        "removed 1 Try",
        "created the plan: Next; added 1 Other; started 1 Other",
    ]


def test_x7_commits_are_told_from_the_plan_before_the_first() -> None:
    made = make_plan("a")
    made.update(1, name="b")
    oldest_first = made.history.commits()[::-1]
    assert describe_commits(made, EN, oldest_first)[-1] == "changed 1 a (name: a → b)"
    assert describe_commits(made, EN, []) == []


def test_x7_of_many_changes_the_first_few_are_told_and_all_are_applied() -> None:
    state = plan()
    added = tuple(c.TaskAdded(Task(number, f"t{number}")) for number in range(2, 9))
    words = describe_commit(EN, c.Commit(2, NOW, "human", added), state)
    assert words.endswith("added 6 t6; and 2 more")
    assert len(state.tasks) == 8


CHECK = Check("person", "looks good")


EVIDENCE = (Evidence(CHECK, ok=True), Evidence(Check("command", "make"), ok=False))


ERROR = ErrorRecord(1, "sh", "broke\nbadly", NOW, NOW)


CHANGES: list[tuple[Any, str, str]] = [
    (
        c.PlanEdited(goal="In Python\nsoon", title="In Python", order="graph"),
        "changed the plan (goal: In PHP → In Python, order)",
        "修改计划（目标：In PHP → In Python、顺序）",
    ),
    (
        c.TaskEdited(1, run="x", files=(), protect=("a",)),
        "changed 1 Test (run, files, protect)",
        "修改 1 Test（运行命令、产出文件、保护文件）",
    ),
    (
        c.TaskEdited(1, name="Try", description="d"),
        "changed 1 Test (name: Test → Try, description)",
        "修改 1 Test（名称：Test → Try、说明）",
    ),
    (c.TaskEdited(7, name="Try"), "changed 7 (name)", "修改 7（名称）"),
    (c.TaskCompleted(1), "completed 1 Test", "完成 1 Test"),
    (c.TaskCompleted(1, how="proved"), "completed 1 Test (proved)", "完成 1 Test（已证明）"),
    (
        c.CompletionConfirmed(1, how="proved"),
        "confirmed the completion of 1 Test (proved)",
        "确认完成：1 Test（已证明）",
    ),
    (c.ProofNoted(Proof(1, "set", NOW)), "ran the checks of 1 Test", "运行检查：1 Test"),
    (
        c.ProofNoted(Proof(1, "later", NOW, EVIDENCE)),
        "ran the checks of 1 Test (1/2)",
        "运行检查：1 Test（1/2）",
    ),
    (
        c.CheckConfirmed(1, CHECK, "human"),
        "confirmed 1 Test (person: looks good)",
        "确认检查：1 Test（person: looks good）",
    ),
    (c.PhaseMarked("main", "blocked"), "marked phase main (blocked)", "标记阶段 main（受阻）"),
    (c.PhaseMarked("main"), "marked phase main", "标记阶段 main"),
    (
        c.FindingNoted(Finding(2, "code", "A trap", "text", NOW)),
        "noted finding 2 A trap",
        "记录发现 2 A trap",
    ),
    (
        c.FindingNoted(Finding(2, "code", "A trap", "text", NOW, count=3)),
        "noted finding 2 A trap (3 times)",
        "记录发现 2 A trap（3 次）",
    ),
    (c.FindingForgotten(2), "removed finding 2", "移除发现 2"),
    (c.ErrorNoted("k", ERROR), "noted an error of sh: broke", "记录错误 sh：broke"),
    (c.ErrorsForgotten(("a", "b")), "removed 2 errors", "移除 2 条错误"),
    (c.Delivered("text"), "wrote the result, 4 characters", "写下成果，共 4 个字符"),
    (
        c.ProseKept((Prose("top", ("a", "b")), Prose("end", ("c",)))),
        "kept 3 lines of your notes",
        "保留备注 3 行",
    ),
    (c.TaskLeased(0, "ann", 1, NOW), "claimed the plan (ann)", "认领：计划（ann）"),
    (
        c.AttemptEnded("1#1", "done", "person"),
        "ended attempt 1#1 done (settled by a person)",
        "结束尝试 1#1 完成（由人判定）",
    ),
    (
        c.AttemptBegan("0#19", 0, "think", "13 messages"),
        "started attempt 0#19 13 messages",
        "开始尝试 0#19 13 条消息",
    ),
    (
        c.AttemptBegan("0#20", 0, "act", "bash: make"),
        "started attempt 0#20 bash: make",
        "开始尝试 0#20 bash: make",
    ),
]


@pytest.mark.parametrize(("change", "en", "zh"), CHANGES, ids=lambda one: type(one).__name__)
def test_x8_changes_are_described_in_both_languages(change: Any, en: str, zh: str) -> None:
    commit = c.Commit(2, NOW, "human", (change,))
    assert describe_commit(EN, commit, plan()) == en
    assert describe_commit(ZH, commit, plan()) == zh


def test_x7_a_repeated_error_is_shown_with_its_count() -> None:
    again = ErrorRecord(1, "sh", "broke", NOW, NOW, count=3)
    commit = c.Commit(2, NOW, "human", (c.ErrorNoted("k", again),))
    assert describe_commit(EN, commit, plan()) == "noted an error of sh: broke (3 times)"


def test_x7_every_kind_of_change_and_every_field_has_words() -> None:
    assert set(get_args(c.Change)) == TEXT_KEYS.keys()
    told_of = {*PLAN_FIELDS, *TASK_FIELDS, *NOTE_FIELDS, "title", "notes", "marked"} - {"id"}
    assert told_of == FIELDS.keys()
    edited = {*c.TaskEdited.__struct_fields__, *c.PlanEdited.__struct_fields__} - {"id"}
    assert edited <= FIELDS.keys()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_x8_texts_for_changes_take_their_subject_or_nothing(language: Language) -> None:
    for key in TEXT_KEYS.values():
        text(key, language, what="x", count=2)
