"""X4, X8: `outlast log` tells in both languages what loops cost, ask, hear and count."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from outlast.domain import changes as c
from outlast.domain import loop_changes as loop
from outlast.domain.budget import Budget, Spend
from outlast.domain.counters import Books, Talk
from outlast.domain.model import PAUSE_WHYS, Interjection, Question
from outlast.interfaces.cli.render.narration import narrated
from tests.interfaces.test_cli_history import EN, ZH

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NARRATED: list[tuple[Any, str, str]] = [
    (
        loop.BudgetSet(Budget(tokens=1_000, money=1.5), 1),
        "set the budget of 1 Test (tokens 1,000, $1.50)",
        "设定预算：1 Test",
    ),
    (loop.BudgetSet(Budget()), "set the budget of the plan (no limit)", "无上限"),
    (loop.Charged(Spend(tool_calls=2)), "counted a cost of the plan (tool calls 2)", "计入花费"),
    (
        loop.QuestionAsked(Question(3, "Which port?\nor", NOW)),
        "asked question 3 Which port?",
        "提出问题 3",
    ),
    (loop.QuestionAnswered(3, "80", "ann"), "answered question 3: 80", "回答问题 3: 80"),
    (
        loop.Interjected(Interjection(1, "stop\x1b[1m", "ann", NOW)),
        "said to the loop: stop\\x1b[1m",
        "对循环说",
    ),
    (loop.InterjectionsTaken(4), "heard what was said, up to message 4", "至第 4 条"),
    (
        loop.LoopNoted(managed=True, stops=2),
        "kept what the loop counts (the model manages the plan",
        "停止被拦下",
    ),
    (loop.LoopNoted(managed=False), "kept what the loop counts", "记下循环的计数"),
    (loop.StruckOut("sh", "0a"), "refuses a call of sh from now on", "从此拒绝一种调用"),
    (loop.StrikesCleared("sh"), "allows again what was refused sh", "重新允许"),
    (loop.StrikesCleared(), "allows again what was refused (every tool)", "所有工具"),
    (loop.LoopRetold(Books(), Talk()), "kept what loops have counted and said", "保留循环的计数"),
    (
        c.AttemptEnded("1#1", "done", "person", spent=Spend(tokens=5)),
        "ended attempt 1#1 done (settled by person, tokens 5)",
        "结束尝试 1#1 done",
    ),
    (c.PlanPaused(), "paused the plan", "暂停计划"),
    (c.PlanPaused("budget"), "paused the plan (the budget does not suffice)", "预算不足"),
]


@pytest.mark.parametrize(("change", "en", "zh"), NARRATED, ids=lambda one: type(one).__name__)
def test_x8_what_loops_do_is_told_in_both_languages(change: Any, en: str, zh: str) -> None:
    commit = c.Commit(2, NOW, "agent", (change,))
    said = narrated(EN, commit, {1: "Test"})
    assert said == said.strip()
    assert said.startswith(en)
    assert zh in narrated(ZH, commit, {1: "Test"})


def test_x8_every_kind_of_a_loops_change_and_every_reason_to_pause_has_words() -> None:
    assert {type(change) for change, _, _ in NARRATED} >= {*get_args(loop.LoopChange)}
    for why in PAUSE_WHYS[1:]:
        for call in (EN, ZH):
            assert "(" in narrated(call, c.Commit(2, NOW, "agent", (c.PlanPaused(why),)), {})
