"""The tasks that agents work on, a row each: who, which attempt, how long, the last line."""

import re
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len

from outlast import create_plan
from outlast.agent import events as v
from outlast.cli.live.terminal import Lanes
from outlast.context.chat_model import Call
from outlast.language import Language
from outlast.model.commands import AskQuestion, BeginAttempt
from outlast.model.execute import return_commit
from outlast.model.model import Decision, Question

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PAGES, STYLES = (1, "Make pages"), (2, "Make styles")
TWO = (
    v.WorkStarted(*STYLES, "shell", 2, "2.2"),
    v.WorkStarted(*PAGES, "shell", 1, "1.1"),
    v.Streamed("page 1\npage 2\n", "1.1", 1),
    v.Streamed("compiling", "2.2", 2),
)


def rows(*events: v.Event, width: int = 80, room: int = 9, language: Language = "en") -> list[str]:
    lanes = Lanes(language)
    for event in events:
        lanes.update(event, 0.0)
    return [row.plain for row in lanes.rows(3.0, width, room, {1, 2, 3, 4})]


def test_u10_each_task_at_work_has_a_row_with_its_last_line() -> None:
    assert rows(*TWO) == [
        "▸ 1 Make pages   3.0 s · shell  page 2",
        "▸ 2 Make styles  3.0 s · shell · attempt 2  compiling",
    ]


def test_u10_a_single_task_shows_more_of_its_output() -> None:
    output = v.Streamed("one\ntwo\n\nthree\nfo\x1bur", "1.1", 1)
    assert rows(TWO[1], output) == [
        "▸ 1 Make pages  3.0 s · shell",
        "  │ two",
        "  │ three",
        "  │ fo\\x1bur",
    ]
    assert rows(TWO[1], output, room=1) == ["▸ 1 Make pages  3.0 s · shell"]


@pytest.mark.parametrize(
    ("event", "row"),
    [
        (v.WorkEnded(*PAGES, "shell", "SUCCESS"), "▸ 1 Make pages   3.0 s · shell  SUCCESS"),
        (v.ChecksStarted(*PAGES), "▸ 1 Make pages   3.0 s · being checked"),
        (v.ChecksEnded(*PAGES, 1, 1), "▸ 1 Make pages   3.0 s · report being judged"),
        (v.Decided(*PAGES, "retry"), "▸ 1 Make pages   3.0 s · about to be tried again"),
        (
            v.Asked(Question(1, "What now?", NOW), "1.1", 1),
            "▸ 1 Make pages   3.0 s · waits for your answer",
        ),
        (
            v.CallStarted(Call("bash", {"command": "make"}, "1"), "1.1", 1),
            "▸ 1 Make pages   3.0 s · shell  bash make",
        ),
    ],
)
def test_u10_a_row_says_where_the_work_stands(event: v.Event, row: str) -> None:
    assert rows(*TWO, event)[0] == row


@pytest.mark.parametrize("decision", ["next", "replan", "abort"])
def test_u10_a_task_without_work_has_no_row(decision: Decision) -> None:
    left = rows(*TWO, v.Decided(*STYLES, decision))
    assert left[0] == "▸ 1 Make pages  3.0 s · shell"
    assert left[1:] == ["  │ page 1", "  │ page 2"]
    assert rows(v.Decided(*STYLES, decision)) == []
    assert rows(v.Decided(*STYLES, "retry")) == []
    assert rows(v.Streamed("x", "2.1", 2)) == []


def test_u10_what_a_model_says_about_a_report_is_not_the_agents_output() -> None:
    judged = (v.ChecksEnded(*PAGES, 1, 1), v.Streamed('{"decision"', "1.1", 1))
    assert rows(*TWO, *judged)[0] == "▸ 1 Make pages   3.0 s · report being judged"


def test_u10_a_run_may_begin_with_the_report_of_an_earlier_one() -> None:
    assert rows(v.ChecksStarted(*PAGES)) == ["▸ 1 Make pages  3.0 s · being checked"]


def test_u10_tasks_that_have_ended_elsewhere_and_too_many_rows_are_left_out() -> None:
    lanes = Lanes("en")
    for task in range(1, 8):
        lanes.update(v.WorkStarted(task, f"Task {task}", "shell"), 0.0)
    assert [row.plain for row in lanes.rows(1.0, 80, 3, {2, 3, 4, 5})] == [
        "▸ 2 Task 2  1.0 s · shell",
        "▸ 3 Task 3  1.0 s · shell",
        "and 2 more",
    ]


@pytest.mark.parametrize("width", [20, 60])
def test_x8_rows_line_up_in_chinese_and_on_narrow_terminals(width: int) -> None:
    started = (
        v.WorkStarted(1, "制作网站的所有页面并检查全部链接是否有效", "shell", lane="1.1"),
        v.WorkStarted(2, "样式", "shell", 3, "2.1"),
    )
    shown = rows(*started, width=width, language="zh")
    names = [row.partition("3.0 秒")[0] for row in shown]
    assert len({cell_len(name) for name in names}) == 1, "all times below each other"
    assert cell_len(names[0]) <= max(width // 3, 12) + 4
    assert shown[1].endswith("3.0 秒 · shell · 第 3 次尝试")


def test_u10_another_process_sees_who_works_and_who_waits_for_an_answer() -> None:
    plan = create_plan("memory:", "Ship it", actor="agent")
    for task, name in enumerate(("Build", "Test", "Lint"), 1):
        plan.add(name)
        plan.acting_as(f"agent/{task}").start(task)
    moment = plan.core.now()
    with plan.core.claim_plan(60) as held:
        token = held.lease.token
        plan.core.commit((BeginAttempt(1, "delegate", "shell task-1", "", token),), return_commit)
        plan.core.commit((BeginAttempt(3, "think", "2 messages", "", token),), return_commit)
        plan.core.commit((AskQuestion("What now?", "ask", "2#1", 2),), return_commit)
        lanes = plan.core.read(lambda state: Lanes.at_work(state, moment, "en"))
        shown = [row.plain for row in lanes.rows(0.0, 80, 9, {1, 2, 3})]
        assert [re.sub(r"[\d.]+ s", "0 s", row) for row in shown] == [
            "▸ 1 Build  0 s · shell",
            "▸ 2 Test   0 s · waits for your answer",
        ]
    lanes = plan.core.read(lambda state: Lanes.at_work(state, moment, "en"))
    assert lanes.rows(0.0, 80, 9, {1, 2, 3}) == [], "nobody works without a run"
