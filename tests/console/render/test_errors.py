"""Errors name options for people and library names in JSON."""

from pathlib import Path

import pytest

from outlast import Plan, create_plan, errors, open_plan
from outlast.agent.events import Stopped
from outlast.cli.run.run_result import render_run_result
from outlast.console.call import Call, PlanContext
from outlast.console.render.errors import error_text, render_error
from outlast.errors import TaskClaimed
from tests.cli.processes import json_of, outlast

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
        (["edit", "1", "--insert-after", "1"], "--insert-after: task 1 cannot come after itself"),
        (["edit", "1", "--progress", "5/3"], "--progress: expected whole numbers"),
        (
            ["check", "1", "--approve", "--as", "bot"],
            "Only a person may use outlast check --approve",
        ),
        (["done", "1", "--force", "--as", "bot"], "Only a person may use outlast done --force"),
    ],
)
def test_errors_name_the_option(workspace: Path, arguments: list[str], says: str) -> None:
    assert outlast(workspace, *arguments).stderr.startswith(f"outlast: {says}")


def test_json_errors_use_the_names_of_the_library(workspace: Path) -> None:
    error = json_of(workspace, "add", "b", "c", "--needs", "9", code=1)["error"]
    assert error["details"]["argument"] == "tasks[0].needs"
    assert error["message"].startswith("tasks[0].needs: ")


def test_m9_the_details_of_an_error_are_short(workspace: Path) -> None:
    needs = ",".join(map(str, range(1_000, 6_000)))
    error = json_of(workspace, "add", "x", "--needs", needs, code=1)["error"]
    assert error["code"] == "INVALID_DEPENDENCY"
    ends = [*range(1_000, 1_010), *range(5_990, 6_000)]
    assert error["details"]["unknown"] == [*map(str, ends)]
    assert error["details"]["unknown_count"] == 5_000


@pytest.mark.parametrize(
    ("path", "en", "zh"),
    [
        ("tasks[3]", "task 3 changed", "任务 3"),
        ("tasks[3].name", "task 3 (name) changed", "任务 3（名称）"),
        ("phases[a.b].title", "phase a.b (title) changed", "阶段 a.b（标题）"),
        ("goal", "goal changed", "目标"),
        ("somewhere", "somewhere changed", "somewhere"),
    ],
)
def test_x7_what_prevents_an_undo_is_named_in_words(path: str, en: str, zh: str) -> None:
    error = errors.InvalidStatus("cannot_undo_since", revision=2, what=[path], by=4)
    assert f": {en} later" in error_text(error, EN)
    assert zh in error_text(error, ZH)
    assert error.details["what"] == [path]


def test_the_end_of_a_claim_is_shown_in_local_time(workspace: Path) -> None:
    claimed = outlast(workspace, "claim", "1", TZ="Asia/Shanghai").stdout
    until = claimed.partition(" until ")[2].partition(";")[0]
    assert f" until {until};" in outlast(workspace, "done", "1", TZ="Asia/Shanghai").stderr


@pytest.fixture
def plan() -> Plan:
    made = create_plan("memory:", "Ship it", "ship")
    made.add("a")
    return made


def test_x6_a_refusal_because_of_another_run_says_how_to_watch_it(plan: Plan) -> None:
    plan.acting_as("bob").core.claim_plan().stop()
    with pytest.raises(TaskClaimed) as refused:
        plan.core.claim_plan()
    call = Call("run", {"goal": ("Ship it",)}, {"lang": "en", "plan": "a b"})
    lines = render_error(refused.value, call).splitlines()
    assert "bob" in lines[0]
    assert lines[1:] == ["Watch the other run: outlast watch --plan 'a b' --lang en"]
    overtaken = render_run_result(
        call, Stopped("running", "overtaken", "Taken over"), plan
    ).as_text()
    assert overtaken.endswith("Watch the other run: outlast watch --plan ship --lang en")


def test_u4_a_drop_that_did_not_wait_long_enough_says_that_the_plan_is_paused() -> None:
    facts = {"task_id": 0, "holder": "agent", "until": "2026-01-01T12:00:00+00:00"}
    error = TaskClaimed("run_not_stopped", **facts, status="paused")
    assert render_error(error, Call("drop", {}, {"plan": "ship"})).splitlines() == [
        "outlast: agent has not ended its current call yet and stops after it; the plan is paused",
        "Drop it then: outlast drop --plan ship",
    ]
    assert render_error(error, Call("drop", {}, {"lang": "zh"})).splitlines() == [
        "outlast: agent 尚未结束当前的调用，结束后就会停下；计划的状态为已暂停",
        "之后再移走它：outlast drop --lang zh",
    ]


def test_u4_a_run_that_was_to_be_dropped_but_was_not_says_how_to_go_on(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace)
    call = Call("run", {}, {}, context=PlanContext("ship"))
    stopped = Stopped("paused", "dropped", "A person asked to drop the plan; the run has stopped")
    with open_plan(workspace, "ship", actor="human") as plan:
        plan.pause()
        *_, last = render_run_result(call, stopped, plan, wait_seconds=0).as_text().splitlines()
    assert last == "Continue with: outlast resume --plan ship"
