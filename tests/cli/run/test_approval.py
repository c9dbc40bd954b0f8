"""U3: what `--dry-run` promises stays with the plan until a person approves it."""

from pathlib import Path

import pytest

from outlast import open_plan
from tests.cli.agent_scripts import (
    GOAL,
    LOOK,
    TASKS,
    call,
    events,
    isolated_home,
    isolated_json,
    letter,
    model,
    turn,
)
from tests.cli.processes import json_of, outlast
from tests.cli.terminals import Terminal

KEY = "write-two-letters"
EAGER = [
    turn("- Progress: 2/2", say="Both are written."),
    turn("- Progress: 0/0", calls=(TASKS, call("write_file", path="1.txt", content="x"))),
    turn("Only plan for now", say="First one letter, then the other."),
    letter(1),
    letter(2),
]
TIRELESS = [
    turn("- Progress: 2/2", say="Both are written."),
    turn("Only plan for now", "- Progress: 0/0", calls=(TASKS,)),
    turn("Only plan for now", calls=(call("write_file", path="1.txt", content="x"),)),
    letter(1),
    letter(2),
    LOOK,
]
NEEDED = (
    "This plan needs your approval before it is carried out; to give it: outlast resume --approve "
    "--plan write-two-letters\n"
)
QUESTION = "Carry out this plan? [y/N] "


def letters(here: Path) -> list[str]:
    return sorted(path.name for path in here.glob("*.txt"))


@pytest.mark.slow
def test_u3_a_dry_run_only_plans_and_every_later_command_too(here: Path) -> None:
    home = isolated_home(here)
    first = outlast(here, "run", GOAL, "--dry-run", "--model", model(here, EAGER), **home)
    assert (first.returncode, first.stderr) == (0, "")
    assert "2 second letter" in first.stdout
    assert first.stdout.endswith(
        "Only planned so far; carry it out with: outlast resume --approve --plan "
        "write-two-letters\n"
    )
    for command in (("resume",), ("run",), ("run", GOAL), ("run", "continue")):
        done = outlast(here, *command, **home)
        assert (done.returncode, done.stdout, done.stderr) == (1, NEEDED, "")
    answer = json_of(here, "resume", code=1, **home)
    assert (answer["why"], answer["text"]) == ("needs_approval", NEEDED.strip())
    assert isolated_json(here, "show")["plan"]["needs_approval"] is True
    assert NEEDED.partition(" --approve")[0] in outlast(here, "show", **home).stdout
    started = outlast(here, "start", "--as", "bot", **home)
    assert (started.returncode, "outlast resume --approve" in started.stderr) == (1, True)
    for variables in ({"CLAUDECODE": "1"}, {"OUTLAST_MARK_1": "1"}, {"OUTLAST_ACTOR": "codex"}):
        done = outlast(here, "resume", "--approve", **home, **variables)
        assert (done.returncode, "Only a person may use" in done.stderr) == (1, True)
    agent = Terminal(here, "resume", OUTLAST_ACTOR="codex")
    assert (agent.end(), QUESTION in agent.shown) == (1, False)
    assert "A person has to approve this plan first: outlast resume --approve" in agent.shown
    assert letters(here) == []
    done = outlast(here, "resume", "--approve", **home)
    assert (done.returncode, letters(here)) == (0, ["1.txt", "2.txt"])
    assert "human (mira)  approved the plan" in outlast(here, "log", "-n", "99", **home).stdout


@pytest.mark.slow
def test_u3_past_its_limit_a_dry_run_still_only_plans(here: Path) -> None:
    home = isolated_home(here)
    options = ("--dry-run", "--max-iterations", "3", "--model", model(here, TIRELESS))
    done = outlast(here, "run", GOAL, *options, **home)
    assert (done.returncode, done.stderr, letters(here)) == (1, "", [])
    assert done.stdout.endswith(
        "Planning paused at the limit of model calls per run\n"
        "Only planned so far; carry it out with: outlast resume --approve --plan "
        "write-two-letters\n"
        "Continue planning: outlast resume --dry-run --plan write-two-letters\n"
    )
    again = outlast(here, "resume", "--dry-run", "--json", **home)
    last = events(again.stdout)[-1]
    assert (last["why"], last["plan"]["total"], letters(here)) == ("limit", 2, [])
    words = outlast(here, "resume", "Mind the commas", **home)
    assert (words.returncode, letters(here)) == (1, [])
    assert outlast(here, "resume", "--yes", "--max-iterations", "9", **home).returncode == 0
    assert letters(here) == ["1.txt", "2.txt"]


@pytest.mark.slow
def test_u3_at_a_terminal_the_plan_is_shown_and_one_question_asked(here: Path) -> None:
    planned = Terminal(here, "run", GOAL, "--dry-run", "--model", model(here, EAGER))
    planned.until(QUESTION)
    assert planned.shown.rindex("second letter") < planned.shown.index(QUESTION)
    planned.type("n\n")
    assert (planned.end(), letters(here)) == (0, [])
    assert planned.shown.endswith("carry it out with: outlast resume --plan write-two-letters\r\n")
    closed = Terminal(here, "resume")
    closed.until(QUESTION)
    closed.type("\x04")
    assert (closed.end(), letters(here)) == (1, [])
    resumed = Terminal(here, "resume")
    resumed.until(QUESTION)
    assert "first letter" in resumed.shown
    resumed.type("y\n")
    assert (resumed.end(), letters(here)) == (0, ["1.txt", "2.txt"])
    assert resumed.shown.count(QUESTION) == 1


@pytest.mark.slow
def test_u3_a_dry_run_goes_on_with_yes_and_can_be_cancelled(here: Path) -> None:
    home = isolated_home(here)
    options = ("--model", model(here, EAGER), "--dry-run")
    outlast(here, "run", "Write other letters", *options, **home)
    cancelled = outlast(here, "run", "/cancel", **home)
    assert "approval" not in cancelled.stdout
    with open_plan(here, "write-other-letters") as plan:
        assert plan.status == "failed"
    done = outlast(here, "run", GOAL, *options, "--yes", **home)
    assert (done.returncode, letters(here)) == (0, ["1.txt", "2.txt"])


@pytest.mark.slow
def test_u3_a_dry_run_of_a_plan_that_has_begun_asks_again(here: Path) -> None:
    home, script = (
        isolated_home(here),
        model(here, [*TIRELESS[:1], *TIRELESS[3:5], TIRELESS[1], LOOK]),
    )
    outlast(here, "new", GOAL, **home)
    outlast(here, "add", "first letter", "second letter", **home)
    outlast(here, "run", GOAL, "--model", script, "--max-iterations", "1", **home)
    assert letters(here) == ["1.txt"]
    done = outlast(here, "resume", "--dry-run", **home)
    assert (done.returncode, letters(here)) == (1, ["1.txt"])
    assert outlast(here, "resume", **home).stdout == NEEDED
