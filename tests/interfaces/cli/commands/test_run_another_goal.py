"""`run` with another goal while a plan is paused."""

from pathlib import Path

import pytest

from outlast import open_plan
from outlast.wiring.plan_list import list_plans
from tests.interfaces.cli.agent_scripts import (
    CHINESE,
    GOAL,
    LETTERS,
    events,
    isolated_home,
    model,
    turn,
)
from tests.interfaces.cli.processes import outlast

pytestmark = pytest.mark.slow
OTHER = "Buy stamps"
ANSWER = turn("Buy stamps", say="At the post office.")
WORDS = {
    "en": (
        (
            "Only answered and remembered, not started: plan {key} is paused. "
            "To make this a separate plan: "
        ),
        "Continue",
    ),
    "zh": ("只作了回答并已记住，没有开始：计划 {key} 处于暂停状态。另建一个计划：", "继续"),
}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    place = tmp_path / "here"
    place.mkdir()
    return place


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_r0_03_another_goal_is_reported_as_not_started_and_both_suggested_commands_work(
    here: Path, lang: str
) -> None:
    letters = LETTERS if lang == "en" else CHINESE
    options = ("--model", model(here, letters), "--lang", lang)
    paused = outlast(here, "run", GOAL, "--max-iterations", "3", *options, **isolated_home(here))
    assert paused.returncode == 1
    with open_plan(here) as plan:
        key = plan.key
    aside = ("--model", model(here, [ANSWER], "aside.yaml"), "--lang", lang)
    done = outlast(here, "run", OTHER, *aside, **isolated_home(here))
    assert (done.returncode, done.stderr) == (1, "")
    *_, apart, go_on = done.stdout.splitlines()
    not_begun, resume = WORDS[lang]
    assert apart.startswith(
        f"{not_begun.format(key=key)}outlast run '{OTHER}' --plan NAME --model {aside[1]}"
    )
    assert go_on.startswith(f"{resume} {key}")
    assert f"outlast resume --model {aside[1]}" in go_on
    assert [one.key for one in list_plans(str(here))] == [key]

    again = outlast(here, "run", OTHER, "--plan", "stamps", *options, **isolated_home(here))
    assert (again.returncode, again.stderr) == (0, "")
    with open_plan(here, "stamps") as plan:
        assert (plan.goal, plan.status) == (OTHER, "completed")
    with open_plan(here, key) as plan:
        assert plan.status == "paused"
    back = outlast(here, "resume", *options, **isolated_home(here))
    assert (back.returncode, back.stderr) == (0, "")
    with open_plan(here, key) as plan:
        assert plan.status == "completed"


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_r0_03_json_says_that_a_goal_was_not_started(here: Path, more: tuple[str, ...]) -> None:
    options = ("--model", model(here, LETTERS), "--json")
    outlast(here, "run", GOAL, "--max-iterations", "3", *options, **isolated_home(here))
    aside = ("--model", model(here, [ANSWER], "aside.yaml"), "--json")
    done = outlast(here, "run", OTHER, *more, *aside, **isolated_home(here))
    *_, last = events(done.stdout)
    assert (done.returncode, last["ok"], last["why"]) == (1, False, "not_begun")
    assert last["plan"]["status"] == "paused"
    assert len(list_plans(str(here))) == 1


def test_r0_09_a_paused_plan_is_announced_with_its_progress_at_the_start(here: Path) -> None:
    options = ("--model", model(here, LETTERS))
    outlast(here, "run", GOAL, "--max-iterations", "3", *options, **isolated_home(here))
    aside = ("--model", model(here, [ANSWER], "aside.yaml"))
    done = outlast(here, "run", OTHER, *aside, **isolated_home(here))
    first, *rest = done.stdout.splitlines()
    assert first == "! Task in progress (1/2 steps done)."
    assert "Type 'continue'" not in done.stdout, "a command line has a command for that"
    assert "outlast resume" in rest[-1]
    assert any("At the post office." in line for line in rest)
