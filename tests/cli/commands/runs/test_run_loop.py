"""R3: `run --loop replan` as a person meets it, in processes of their own."""

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from outlast import open_plan
from tests.cli.agent_scripts import isolated_home, model, turn
from tests.cli.processes import outlast

GOAL = "Collect the red fruits"
KEY = "collect-the-red-fruits"
FIND, WRITE = "Current item\n- Find the red fruits", "Current item\n- Write them down"
ANSWER = "Apple and cherry are in red.txt."


def say(*when: str, status: str, **fields: Any) -> dict[str, Any]:
    return turn(*when, say=json.dumps({"status": status, **fields}))


def act(tool: str, given: str | dict[str, str]) -> dict[str, Any]:
    return {"current_step": "a step", "next_action": {"tool": tool, "input": given}}


RED = {"path": "red.txt", "content": "apple\ncherry\n"}
TURNS = [
    say("You plan a task", status="planned", plan=["Find the red fruits", "Write them down"]),
    say(FIND, "> apple red", status="done", response="apple, cherry"),
    say(FIND, status="continue", **act("read_file", "fruits.txt")),
    say(WRITE, "bytes written", status="done", response="written"),
    say(WRITE, "> red.txt", status="continue", **act("write_file", RED)),
    say(WRITE, status="ask_user", current_step="a step", question="In which file?"),
    say("Decide what remains", "bytes written", status="done", response=ANSWER),
    say("Decide what remains", status="replanned", plan=["Write them down"]),
]


def run(here: Path, *arguments: str) -> CompletedProcess[str]:
    return outlast(here, *arguments, **isolated_home(here))


def begin(here: Path, *options: str) -> CompletedProcess[str]:
    (here / "fruits.txt").write_text("apple red\nbanana yellow\ncherry red\n")
    return run(here, "run", GOAL, "--loop", "replan", "--model", model(here, TURNS), *options)


def test_r3_08_a_run_asks_and_resume_goes_on_in_the_same_loop_after_the_answer(here: Path) -> None:
    asked = begin(here)
    assert asked.returncode == 1
    assert "Question 1: In which file?" in asked.stdout
    assert "  Planned: 2 items\n  Plan:\n  1. Find the red fruits" in asked.stdout
    assert run(here, "answer", "red.txt").returncode == 0
    ended = run(here, "resume")
    assert ended.returncode == 0, ended.stderr
    assert f"\n{ANSWER}\n" in ended.stdout
    assert (here / "red.txt").read_text() == "apple\ncherry\n"
    with open_plan(here, KEY) as plan:
        assert plan.last_run is not None
        assert plan.last_run.loop == "replan"
        assert [task.result for task in plan.tasks()] == ["apple, cherry", "written"]
    assert "answered question 1: red.txt" in run(here, "log").stdout
    assert ANSWER in run(here, "report").stdout


def test_r3_05_at_the_limit_the_three_parts_are_shown_and_resume_grants_more(here: Path) -> None:
    planned = begin(here, "--max-iterations", "3", "--dry-run")
    assert "Only planned so far" in planned.stdout
    assert "2 Write them down" in planned.stdout
    stopped = run(here, "resume", "--approve")
    assert stopped.returncode == 1
    done, why, advice = stopped.stdout.partition("Done: ")[2].splitlines()[:3]
    assert done.startswith("Find the red fruits")
    assert why.startswith("Not finished because: the limit of 3 steps is reached")
    assert advice.startswith("Next: `outlast resume` goes on")
    again = run(here, "run", GOAL)
    assert "the limit of 3 steps is reached" in again.stdout, "the goal again grants nothing"
    assert "Question 1: In which file?" in run(here, "resume").stdout
