"""X4, X7, X8: every change is described in both languages."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from outlast.documents.change_words import (
    FIELD_TEXTS,
    WORDS,
    author_name,
    describe,
    describe_commit,
    matters,
)
from outlast.language import LANGUAGES, Language, text
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
    UNATTRIBUTED,
    AgentSession,
    Check,
    ErrorRecord,
    Evidence,
    Finding,
    Footprint,
    Interjection,
    LastRun,
    Outcome,
    Phase,
    Progress,
    Proof,
    Prose,
    Question,
    SettledBy,
    Task,
    TaskDecision,
    TaskReport,
)
from outlast.model.replan_position import ReplanPosition
from outlast.model.state import PlanState
from tests.making import make_plan

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def plan() -> PlanState:
    state = PlanState(NOW)
    create = CreatePlan("plan_a", "In PHP", tasks=(Task(1, "Test"),))
    execute(state, (create,), NOW)
    return state


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
    description = describe_commit(commit, plan())
    assert description == description.strip()
    assert description.startswith(en)
    assert zh in describe_commit(commit, plan(), "zh")


def test_x8_every_kind_of_a_loops_change_and_every_reason_to_pause_has_words() -> None:
    kinds = (c.BudgetSet, c.Charged, c.QuestionAsked, c.QuestionAnswered, c.Interjected)
    more = (c.InterjectionsTaken, c.LoopNoted, c.StruckOut, c.StrikesCleared, c.LoopRestored)
    assert {type(change) for change, _, _ in LOOP_CHANGES} >= {*kinds, *more}
    for why in PAUSE_REASONS[1:]:
        for language in LANGUAGES:
            commit = c.Commit(2, NOW, "agent", (c.PlanPaused(why),))
            words = describe_commit(commit, plan(), language)
            assert ("(" in words) is (language == "en")
            assert ("\uff08" in words) is (language == "zh")


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("settled_by", SETTLED_BY)
def test_x8_every_outcome_and_who_settled_it_has_words(
    outcome: Outcome, settled_by: SettledBy
) -> None:
    commit = c.Commit(2, NOW, "agent", (c.AttemptEnded("1#1", outcome, settled_by),))
    words = describe_commit(commit, plan(), "zh")
    assert words.removeprefix("结束尝试 1#1 ").isascii() is False
    assert not re.search("[a-z(),:]", words)


def test_x7_tasks_have_the_names_they_had_then() -> None:
    state = plan()
    renamed = c.Commit(2, NOW, "human", (c.TaskEdited(1, name="Try"),))
    removed = c.Commit(3, NOW, "human", (c.TaskRemoved(1),))
    again = c.PlanCreated("plan_b", "Next", NOW, NOW, phases=(MAIN,))
    other = c.Commit(4, NOW, "human", (again, c.TaskAdded(Task(1, "Other")), c.TaskStarted(1, "a")))
    words = [describe_commit(commit, state) for commit in (renamed, removed, other)]
    assert words == [
        "changed 1 Test (name: Test → Try)",
        "removed 1 Try",
        "created the plan: Next; added 1 Other; started 1 Other",
    ]


def test_x7_commits_are_told_from_the_plan_before_the_first() -> None:
    made = make_plan("a")
    made.update(1, name="b")
    before = made.core.store.state_before(1)
    oldest_first = made.history.commits()[::-1]
    words = [describe_commit(commit, before) for commit in oldest_first]
    assert words[-1] == "changed 1 a (name: a → b)"


def test_x7_of_many_changes_the_first_few_are_told_and_all_are_applied() -> None:
    state = plan()
    added = tuple(c.TaskAdded(Task(number, f"t{number}")) for number in range(2, 9))
    words = describe_commit(c.Commit(2, NOW, "human", added), state)
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
    assert describe_commit(commit, plan()) == en
    assert describe_commit(commit, plan(), "zh") == zh


def test_x7_a_repeated_error_is_shown_with_its_count() -> None:
    again = ErrorRecord(1, "sh", "broke", NOW, NOW, count=3)
    commit = c.Commit(2, NOW, "human", (c.ErrorNoted("k", again),))
    assert describe_commit(commit, plan()) == "noted an error of sh: broke (3 times)"


def test_x7_every_kind_of_change_and_every_field_has_words() -> None:
    assert set(get_args(c.Change)) == WORDS.keys()
    told_of = {*PLAN_FIELDS, *TASK_FIELDS, *NOTE_FIELDS, "title", "notes", "marked"} - {"id"}
    assert told_of == FIELD_TEXTS.keys()
    edited = {*c.TaskEdited.__struct_fields__, *c.PlanEdited.__struct_fields__} - {"id"}
    assert edited <= FIELD_TEXTS.keys()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_x8_texts_for_changes_take_their_subject_or_nothing(language: Language) -> None:
    for words in WORDS.values():
        text(words.line, language, what="x", count=2)
        if words.event:
            text(words.event, language)
        if words.phrases and isinstance(words.phrases, str):
            text(words.phrases, language, task=1, name="x")


def test_u6_what_is_bookkeeping_is_known_for_each_change() -> None:
    assert matters(c.TaskLeased(3, "bot", 1, NOW))
    assert not matters(c.TaskLeased(0, "bot", 1, NOW))
    assert matters(c.ProofNoted(Proof(3, "later", NOW)))
    assert not matters(c.ProofNoted(Proof(3, "before", NOW)))
    assert matters(c.TaskStarted(3, "bot"))
    assert not matters(c.StruckOut("sh", "0a"))


EVENTS: list[tuple[Any, str, str]] = [
    (c.TaskAdded(Task(1, "Test")), "added", "添加"),
    (c.TaskStarted(1, "ann"), "started", "开始"),
    (c.TaskCompleted(1, how="proved"), "completed (proved)", "完成（已证明）"),
    (
        c.TaskRetried(1, "broke\nbadly", 1),
        "failed, will be retried (broke)",
        "失败，待重试（broke）",
    ),
    (c.TaskFailed(1, "broke"), "failed for good (broke)", "彻底失败（broke）"),
    (c.TaskSkipped(1, "no\x1b need"), "skipped (no\\x1b need)", "跳过（no\\x1b need）"),
    (c.TaskProgressed(1, Progress(2, 5)), "progress recorded (2/5)", "记录进度（2/5）"),
    (c.TaskProgressed(1, None), "progress recorded", "记录进度"),
    (c.TaskEdited(1, name="Try"), "changed (name: Test → Try)", "修改（名称：Test → Try）"),
    (c.TaskLeased(1, "ann", 1, NOW), "claimed (ann)", "认领（ann）"),
    (c.ProofNoted(Proof(1, "later", NOW, EVIDENCE)), "checks ran (1/2)", "运行检查（1/2）"),
    (c.BudgetSet(Budget(), 1), "budget set (no limit)", "设定预算（无上限）"),
    (c.LeaseEnded(1), "ended the claim on 1 Test", "释放认领：1 Test"),
    (c.TaskStarted(2, "ann"), "", ""),
]


@pytest.mark.parametrize(("change", "en", "zh"), EVENTS, ids=lambda one: type(one).__name__)
def test_x7_the_history_of_a_task_leaves_out_its_name(change: Any, en: str, zh: str) -> None:
    assert describe(change, plan(), subject=1) == en
    assert describe(change, plan(), "zh", subject=1) == zh


MORE_CHANGES: list[tuple[Any, str]] = [
    (c.PhaseAdded(Phase("p", "P"), 1), "added phase P"),
    (c.PhaseEdited(Phase("p", "P")), "changed phase P"),
    (c.IterationCounted(7), "finished iteration 7"),
    (c.Undone(3), "undid r3"),
    (c.AttemptBegan("1#2", 1, "delegate", "coder order session"), "started attempt 1#2 coder"),
    (
        c.RunRemembered(LastRun("m:x", "ann", "en", 20)),
        "started a run with m:x (at most 20 model calls)",
    ),
    (
        c.ReportNoted(1, TaskReport("1#1", "coder", "SUCCESS", NOW)),
        "an agent reported: 1#1 SUCCESS (coder)",
    ),
    (
        c.DecisionNoted(TaskDecision(1, "1#1", "next", "It\nis good.", NOW, "model")),
        "decided: 1#1 next (It)",
    ),
    (c.SessionBegan("s", AgentSession("coder", "1#1")), "an agent's session began: 1#1 coder"),
    (c.SessionEnded("s"), "ended an agent's session"),
    (c.ReplanMoved(ReplanPosition(steps=4)), "the loop moved on: step 4"),
]


@pytest.mark.parametrize(("change", "en"), MORE_CHANGES, ids=lambda one: type(one).__name__)
def test_x7_the_bookkeeping_of_runs_has_words(change: Any, en: str) -> None:
    assert describe(change, plan()) == en


@pytest.mark.parametrize(
    ("footprint", "words"),
    [
        (Footprint("1#1", NOW, after="0123456789abcdef"), "1#1: 0123456789ab"),
        (Footprint("1#1", NOW, outside=("a", "b"), count=2), "1#1: a, b"),
        (Footprint("1#1", NOW), "1#1"),
    ],
)
def test_r1_13_the_log_tells_what_an_attempt_left(footprint: Footprint, words: str) -> None:
    change = c.FootprintNoted(1, footprint)
    assert describe(change, plan()) == f"the workspace after attempt {words}"


def test_x7_an_author_is_told_with_the_persons_name() -> None:
    told = c.Commit(2, NOW, "human", (), person="ada")
    assert author_name(told) == "human (ada)"
    assert author_name(c.Commit(2, NOW, UNATTRIBUTED, ())) == "unattributed (during a tool call)"


def test_x7_a_change_of_what_is_not_there_is_told_and_not_applied() -> None:
    state = plan()
    assert describe_commit(c.Commit(2, NOW, "human", (c.TaskStarted(9, "ann"),)), state) == (
        "started 9"
    )
    assert 9 not in state.tasks


def test_x7_changes_that_are_not_chosen_are_applied_without_words() -> None:
    state = plan()
    changes = (c.TaskStarted(1, "ann"), c.TaskCompleted(1))
    commit = c.Commit(2, NOW, "human", changes)
    assert describe_commit(commit, state, "en", (False, True)) == "completed 1 Test"
    assert state.tasks[1].status == "completed"
