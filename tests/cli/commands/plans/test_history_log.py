"""U6: the log is for people."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from outlast import NewTask
from outlast.cli.commands.plans.history import (
    Log,
    LogQuery,
    log_lines,
    parse_time,
    read_log,
    run_json,
)
from outlast.console.call import Call
from outlast.errors import WrongUsage
from outlast.model import changes as c
from outlast.model import commands
from outlast.model.budget import Spend
from outlast.model.changes import Commit
from outlast.model.execute import return_commit
from outlast.testing import FixedClock
from tests.cli.agent_scripts import GOAL, LETTERS, isolated_home, model
from tests.cli.processes import json_of, outlast, stdout_of
from tests.making import make_plan

if TYPE_CHECKING:
    from outlast import Plan
    from outlast.model.commands import Command

EN, ZH = Call("log", {}, {"lang": "en"}), Call("log", {}, {"lang": "zh"})
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
AGENT = "bot"


def commit(plan: Plan, *given: Command, reason: str = "") -> None:
    plan.core.commit(given, return_commit, reason=reason or None)


def start_run(plan: Plan) -> Plan:
    agent = plan.acting_as(AGENT)
    commit(agent, commands.ClaimPlan(AGENT, 60))
    return agent


def end_run(agent: Plan) -> None:
    lease = agent.core.read(lambda state: state.ledger.leases[0])
    commit(agent, commands.Release(0, lease.token))


def lines(plan: Plan, query: LogQuery = LogQuery(20), call: Call = EN, **more: bool) -> list[str]:  # noqa: B008 - frozen
    found = read_log(plan, call, query)
    return [*log_lines(call, found, is_at_work=more.get("is_at_work", False))]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
def plan(clock: FixedClock) -> Plan:
    """A person plans; an agent runs, calls a model, and completes a task in two minutes."""
    plan = make_plan("Test", "Write", clock=clock, actor="human")
    agent = start_run(plan)
    agent.start(1)
    commit(agent, commands.Charge(Spend(model_calls=2, tokens=1_500), 1))
    clock.advance(120)
    agent.complete(1, "812 passed")
    agent.pause("enough for today")
    end_run(agent)
    return plan


def at(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def test_u6_commits_of_a_run_stand_below_who_ran_how_long_with_what_result_at_what_cost(
    plan: Plan,
) -> None:
    later = at(NOON + timedelta(minutes=2))
    assert lines(plan) == [
        f"Run by bot, {at(NOON)}, 2 min 0 s: paused; 1 task finished; 2 model calls, 1,500 tokens",
        f"  r8  {later}  paused the plan",
        "      because: enough for today",
        f"  r7  {later}  completed 1 Test",
        f"  r5  {at(NOON)}  work started; started 1 Test",
        f"r3  {at(NOON)}  human  added 2 Write",
        f"r2  {at(NOON)}  human  added 1 Test",
        f"r1  {at(NOON)}  test  created the plan: Test things",
    ]
    head = f"运行：bot，{at(NOON)}，用时 2 分 0 秒："
    assert lines(plan, call=ZH)[0] == (
        f"{head}已暂停；完成 1 个任务；模型调用 2 次、1,500 个 token"
    )


def test_u6_everything_else_is_shown_on_demand(plan: Plan) -> None:
    hidden = ("claimed the plan", "recorded a cost", "ended the claim")
    few, whole = "\n".join(lines(plan)), "\n".join(lines(plan, LogQuery(20, whole=True)))
    assert not any(words in few for words in hidden)
    assert all(words in whole for words in hidden)
    assert read_log(plan, EN, LogQuery(20)).hidden == 3
    assert read_log(plan, EN, LogQuery(20, whole=True)).hidden == 0


def test_u6_of_a_task_only_what_concerns_it_is_shown(plan: Plan) -> None:
    commit(plan.acting_as(AGENT), commands.AskQuestion("Which tests?", task=2))
    commit(plan, commands.AnswerQuestion("all", "human"))
    told = [line.split("  ")[-1] for line in lines(plan, LogQuery(20, task=2))]
    assert told == ["answered question 1: all", "asked question 1 Which tests?", "added 2 Write"]
    whole = "\n".join(lines(plan, LogQuery(20, task=1, whole=True)))
    assert "recorded a cost of 1 Test" in whole
    assert "the plan" not in whole.replace("created the plan", "")


def test_u6_a_task_of_an_earlier_plan_is_another_one(plan: Plan) -> None:
    plan.abort()
    plan.initialize("Next", [NewTask("Other")])
    assert [line.split("  ")[-1] for line in lines(plan, LogQuery(20, task=1))] == ["added 1 Other"]


def test_u6_only_what_one_actor_did(plan: Plan) -> None:
    assert [line[:2] for line in lines(plan, LogQuery(20, by="Human"))] == ["r3", "r2"]
    assert len(lines(plan, LogQuery(20, by="bot"))) == 5
    assert lines(plan, LogQuery(20, by="nobody")) == []


def test_u6_only_what_happened_since_a_time(plan: Plan) -> None:
    since = NOON + timedelta(minutes=1)
    run, *rest = lines(plan, LogQuery(20, since=since))
    assert run.endswith("1 task finished; 2 model calls, 1,500 tokens"), "of the whole run"
    assert len(rest) == 3
    assert lines(plan, LogQuery(20, since=since + timedelta(days=1))) == []


def test_u6_the_last_lines_still_tell_about_the_whole_run(plan: Plan) -> None:
    run, line, _because = lines(plan, LogQuery(1))
    assert run == lines(plan)[0]
    assert line.startswith("  r8")


def test_u6_a_killed_run_ends_with_its_last_commit(plan: Plan, clock: FixedClock) -> None:
    plan.resume()
    start_run(plan).start(2)
    clock.advance(600)  # the lease is over
    plan.add("Publish")
    added, run, started, *_ = lines(plan)
    assert added.endswith("human  added 3 Publish")
    assert ", 0.0 s: the run was interrupted" in run
    assert started.endswith("started 2 Write")
    assert "at work" in lines(plan, is_at_work=True)[1]
    runs = [run_json(run) for run in read_log(plan, EN, LogQuery(20)).runs]
    assert [run["ended_at"] is None for run in runs] == [True, False]
    assert runs[1]["used"]["tokens"] == 1_500
    start_run(plan)
    end_run(plan.acting_as(AGENT))
    assert len(read_log(plan, EN, LogQuery(20)).runs) == 3


def test_u6_what_others_do_during_a_run_bears_their_name(plan: Plan) -> None:
    plan.resume()
    agent = start_run(plan)
    plan.add("Publish")
    end_run(agent)
    assert lines(plan)[1].endswith("  human  added 3 Publish")


def test_u6_a_reason_is_never_hidden(plan: Plan) -> None:
    agent = start_run(plan)
    commit(agent, commands.Charge(Spend(tokens=1)), reason="forgotten before\nby \x1b[1mme")
    shown = lines(plan)
    assert shown[1].endswith("recorded a cost of the plan (1 token)")
    assert shown[2:4] == ["      because: forgotten before", "      by \\x1b[1mme"]


def test_u6_a_plan_without_commits_has_an_empty_log() -> None:
    assert [*log_lines(EN, Log(), is_at_work=False)] == []


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("30m", NOON - timedelta(minutes=30)),
        ("2h", NOON - timedelta(hours=2)),
        ("3d", NOON - timedelta(days=3)),
        ("1w", NOON - timedelta(weeks=1)),
        ("2025-12-31", datetime(2025, 12, 31).astimezone()),
        ("2025-12-31 14:30", datetime(2025, 12, 31, 14, 30).astimezone()),
        ("2025-12-31T14:30:00+02:00", datetime(2025, 12, 31, 12, 30, tzinfo=UTC)),
    ],
)
def test_u6_a_time_is_given_as_people_write_it(given: str, moment: datetime) -> None:
    assert parse_time(given, NOON) == moment


def test_u6_a_time_of_day_is_one_of_today() -> None:
    today = NOON.astimezone()
    assert parse_time("09:15", NOON) == today.replace(hour=9, minute=15)


@pytest.mark.parametrize(
    "given", ["", "h", "yesterday", "12345h", "25:00", "-3h", "٣h", "2025-13-01"]
)
def test_u6_another_time_is_refused_with_examples(given: str) -> None:
    with pytest.raises(WrongUsage, match="such as 2026-11-16"):
        parse_time(given, NOON)


def test_u6_a_run_as_a_person_sees_it(tmp_path: Path) -> None:
    here = tmp_path / "project"
    here.mkdir()
    home = isolated_home(here)
    outlast(here, "run", GOAL, "--model", model(here, LETTERS), "--yes", **home)
    printed = stdout_of(here, "log", **home)
    assert printed.startswith("Run by agent (script:")
    assert "completed; 2 tasks finished; " in printed.splitlines()[0]
    assert "more entries on calls, costs and leases: outlast log --all\n" in printed
    assert "attempt" not in printed
    assert "started attempt" in stdout_of(here, "log", "--all", **home)
    only = stdout_of(
        here, "log", "--task", "first letter", "--by", "agent", "--since", "1d", **home
    )
    assert "completed 1 first letter" in only
    assert "second letter" not in only
    assert "Used:" not in only, "the figures of the plan are not those of a part of its log"
    assert stdout_of(here, "log", "--by", "ada", **home) == (
        "No entry matches. To see all: outlast log --all\n"
    )
    answer = json_of(here, "log", "-n", "1", code=0, **home)
    assert len(answer["commits"]) == 1
    assert answer["runs"][0]["status"] == "completed"
    wrong = outlast(here, "log", "--since", "noon", **home)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "noon: expected a time such as" in wrong.stderr


def test_u6_a_call_is_part_of_the_log_of_its_task(plan: Plan) -> None:
    begun = c.AttemptBegan("2#9", 2, "act", "bash {}")
    ended = c.AttemptEnded("2#9", "done", spent=Spend(tool_calls=1))
    both = Commit(9, NOON, AGENT, (begun, ended))
    assert LogQuery(9, task=2, whole=True).choose(both, {}) == [True, True]
    assert LogQuery(9, task=3, whole=True).choose(both, {}) == [False, False]
    runs = read_log(plan, EN, LogQuery(20)).runs
    assert [run.used.tokens for run in runs] == [1_500]


def test_u6_the_reference_shows_such_a_log(plan: Plan) -> None:
    page = (Path(__file__).parents[4] / "docs/reference/cli.md").read_text(encoding="utf-8")
    shown = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "2026-01-01 12:00", "\n".join(lines(plan)))
    assert f"```text\n{shown}\n```\n" in page
