"""`run` with another goal while a plan is paused: people are told what was not done, and how to."""

from pathlib import Path

import pytest

from outlast import open_plan
from outlast.wiring.plan_list import list_plans
from tests.interfaces.agents import CHINESE, GOAL, LETTERS, events, home, model, turn
from tests.interfaces.processes import outlast

pytestmark = pytest.mark.slow
OTHER = "Buy stamps"
ANSWER = turn("Buy stamps", say="At the post office.")
WORDS = {
    "en": (
        "Only answered, not begun: the plan {key} is paused. As a plan of its own: ",
        "Go on with",
    ),
    "zh": ("只作了回答，没有开始：计划 {key} 处于暂停状态。作为单独的计划开始：", "继续"),
}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    place = tmp_path / "here"
    place.mkdir()
    return place


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_r0_03_another_goal_is_said_not_to_be_begun_and_both_ways_on_work(
    here: Path, lang: str
) -> None:
    letters = LETTERS if lang == "en" else CHINESE
    options = ("--model", model(here, letters), "--lang", lang)
    paused = outlast(here, "run", GOAL, "--max-iterations", "3", *options, **home(here))
    assert paused.returncode == 1
    with open_plan(here) as plan:
        key = plan.key
    aside = ("--model", model(here, [ANSWER], "aside.yaml"), "--lang", lang)
    done = outlast(here, "run", OTHER, *aside, **home(here))
    assert (done.returncode, done.stderr) == (1, "")
    *_, apart, go_on = done.stdout.splitlines()
    not_begun, resume = WORDS[lang]
    assert apart.startswith(
        f"{not_begun.format(key=key)}outlast run '{OTHER}' --plan NAME --model {aside[1]}"
    )
    assert go_on.startswith(f"{resume} {key}")
    assert f"outlast resume --model {aside[1]}" in go_on
    assert [one.key for one in list_plans(str(here))] == [key]

    again = outlast(here, "run", OTHER, "--plan", "stamps", *options, **home(here))
    assert (again.returncode, again.stderr) == (0, "")
    with open_plan(here, "stamps") as plan:
        assert (plan.goal, plan.status) == (OTHER, "completed")
    with open_plan(here, key) as plan:
        assert plan.status == "paused"
    back = outlast(here, "resume", *options, **home(here))
    assert (back.returncode, back.stderr) == (0, "")
    with open_plan(here, key) as plan:
        assert plan.status == "completed"


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_r0_03_a_program_is_told_that_a_goal_was_not_begun(
    here: Path, more: tuple[str, ...]
) -> None:
    options = ("--model", model(here, LETTERS), "--json")
    outlast(here, "run", GOAL, "--max-iterations", "3", *options, **home(here))
    aside = ("--model", model(here, [ANSWER], "aside.yaml"), "--json")
    done = outlast(here, "run", OTHER, *more, *aside, **home(here))
    *_, last = events(done.stdout)
    assert (done.returncode, last["ok"], last["why"]) == (1, False, "not_begun")
    assert last["plan"]["status"] == "paused"
    assert len(list_plans(str(here))) == 1


def test_r0_09_a_paused_plan_is_announced_with_its_progress_at_the_start(here: Path) -> None:
    options = ("--model", model(here, LETTERS))
    outlast(here, "run", GOAL, "--max-iterations", "3", *options, **home(here))
    aside = ("--model", model(here, [ANSWER], "aside.yaml"))
    done = outlast(here, "run", OTHER, *aside, **home(here))
    first, *rest = done.stdout.splitlines()
    assert first == "! Task in progress (1/2 steps done). Type 'continue' to resume."
    assert any("At the post office." in line for line in rest)
