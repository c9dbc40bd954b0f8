"""R0.03, R4.08: a model that talks to the person at the terminal, and to nobody."""

from pathlib import Path
from typing import Any

import pytest

from outlast import open_plan
from outlast.language import Language
from outlast.plan.plan_list import list_plans
from tests.cli.agent_scripts import call, isolated_home, model, turn
from tests.cli.processes import outlast
from tests.cli.terminals import Terminal

CURRENT: dict[Language, str] = {"en": "- Current step: {}.", "zh": "- 当前步骤: {}."}
LOOK = (call("list_directory", path="."),)


def script(language: Language) -> list[dict[str, Any]]:
    first, second = (CURRENT[language].format(number) for number in (1, 2))
    return [
        turn(first, "The blue one", say="[Done] The blue one.", calls=LOOK),
        turn(first, say="There are two lists.\n\nWhich one?"),
        turn(second, say="[Done]\nAll is sorted and printed."),
        turn(say="My plan:\n1. [Step] Sort\n2. [Step] Print"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "begin", "yes"), [("en", "Begin?", "yes"), ("zh", "开始吗？", "好的，开始吧")]
)
def test_r0_03_a_person_agrees_to_the_steps_and_answers_a_plain_question(
    here: Path, language: Language, begin: str, yes: str
) -> None:
    name = model(here, script(language))
    terminal = Terminal(here, "run", "Sort it", "--model", name, "--lang", language, NO_COLOR="1")
    terminal.until(begin)
    assert "My plan:" in terminal.shown, "the steps are shown before the question"
    terminal.type(f"{yes}\n")
    terminal.until("? 2")
    terminal.type("The blue one\n")
    assert terminal.end() == 0
    assert "All is sorted and printed." in terminal.shown


@pytest.mark.slow
def test_r0_03_in_a_pipe_the_steps_begin_and_a_question_waits_in_the_end(here: Path) -> None:
    options = ("--model", model(here, script("en")), "--lang", "en")
    done = outlast(here, "run", "Sort it", *options, **isolated_home(here))
    assert done.returncode == 1, "a question is open"
    assert "Begin?" not in done.stdout
    assert "Which one?" in done.stdout
    (listed,) = list_plans(here)
    with open_plan(here, listed.key) as plan:
        assert [question.text for question in plan.questions.open()] == ["Which one?"]
    done = outlast(here, "run", "The blue one", *options, **isolated_home(here))
    assert done.returncode == 0, done.stderr
    assert "All is sorted and printed." in done.stdout
