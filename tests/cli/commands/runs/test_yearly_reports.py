"""R0.05, R0.09, R0.12: the five yearly reports in a process, with a model that only talks."""

from pathlib import Path
from typing import Any

import pytest

from outlast import open_plan
from outlast.changes import TaskReopened
from outlast.language import Language
from outlast.plan.plan_list import list_plans
from tests.agent.loops.test_yearly_reports import STORIES, YEARS, Story
from tests.cli.agent_scripts import LOOK, call, isolated_home, model, turn
from tests.cli.processes import outlast

PARTS = {1: ("1", "2", "3"), 2: YEARS, 3: YEARS, 4: ("1", "2")}
FILES = {1: "links-{}.txt", 2: "{}.pdf", 3: "{}.csv", 4: "chart-{}.svg"}
WORDS: dict[Language, tuple[str, str, str]] = {
    "en": ("continue", "not done yet", "Plan {} has ended; look at it: "),
    "zh": ("继续", "还没完成", "计划 {} 已结束；查看："),
}


def work(step: int, part: int) -> dict[str, Any]:
    name = FILES[step].format(PARTS[step][part])
    return call("write_file", path=name, content=f"{name}\n")


def script(story: Story) -> list[dict[str, Any]]:
    """Return the turns of a model that says how far it is, and marks nothing as done."""
    turns = [turn(story.no_step, say=story.answer)]
    for number, step in enumerate(story.steps, 1):
        at, total = story.current.format(number), len(PARTS[number])
        for reached in range(total - 1, -1, -1):
            seen = (at, story.progress.format(reached, total)) if reached else (at,)
            say = f"{story.words[reached % 3].format(reached + 1)} {step} ({reached + 1}/{total})"
            turns.append(turn(*seen, say=say, calls=(work(number, reached),)))
    steps = "\n".join(f"- [Step] {step}" for step in story.steps)
    return [*turns, turn(say=steps, calls=(call("list_directory", path="."),))]


def check_progress(here: Path, key: str) -> None:
    """Check that every completed step has left all of its files."""
    with open_plan(here, key) as plan:
        for task in plan.tasks("completed"):
            for part in PARTS[task.id]:
                assert (here / FILES[task.id].format(part)).exists(), task.name


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_m6_the_five_yearly_reports_in_a_process(tmp_path: Path, language: Language) -> None:
    here = tmp_path / "here"
    here.mkdir()
    story, variables = STORIES[language], isolated_home(here)
    again, undone, ended = WORDS[language]
    options = ("--model", model(here, script(story)), "--max-iterations", "7", "--lang", language)
    for message in (story.goal, again, again):
        done = outlast(here, "run", message, *options, **variables)
        (listed,) = list_plans(here)
        check_progress(here, listed.key)
    assert done.returncode == 0, done.stderr
    assert story.answer in done.stdout
    assert (listed.status, listed.done, listed.total) == ("completed", 4, 4)

    done = outlast(here, "run", again, *options, **variables)
    assert ended.format(listed.key) in done.stderr, "it says what has ended and how to begin"
    keys = [plan.key for plan in list_plans(here)]
    assert (done.returncode, keys) == (1, [listed.key]), "nothing begins"

    turns = [turn(say="[Done]", after_tool="list_directory"), LOOK]
    looking = ("--model", model(here, turns), "--lang", language)
    done = outlast(here, "run", undone, *looking, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    with open_plan(here, listed.key) as plan:
        assert (plan.goal, plan.status) == (story.goal, "completed")
        changes = [change for commit in plan.history.commits() for change in commit.changes]
        assert TaskReopened(4) in changes


@pytest.mark.parametrize("phrase", ["continue", "继续", "not done yet", "cancel", "/plan"])
def test_r0_09_without_a_plan_a_phrase_begins_none(tmp_path: Path, phrase: str) -> None:
    here = tmp_path / "here"
    here.mkdir()
    variables = isolated_home(here)
    done = outlast(here, "run", phrase, "--model", model(here, [LOOK]), **variables)
    code, shown = (0, done.stdout) if phrase == "/plan" else (3, done.stderr)
    assert (done.returncode, bool(shown.strip())) == (code, True), "it says so"
    assert list_plans(here) == []
