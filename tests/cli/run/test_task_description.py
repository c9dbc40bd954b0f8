"""M1: what a person writes under a task in task_plan.md reaches the agent."""

from pathlib import Path

from tests.cli.agent_scripts import call, isolated_home, model, turn
from tests.cli.processes import outlast, stdout_of

NAMES = "Kim has their names."


def test_m1_a_line_below_a_task_reaches_the_agent_and_the_page_of_the_task(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    home = isolated_home(here)
    stdout_of(here, "new", "Publish version 1.2", "--key", "release", **home)
    stdout_of(here, "add", "Thank the testers", **home)
    file = here / ".outlast" / "plans" / "release" / "task_plan.md"
    task = next(line for line in file.read_text("utf-8").splitlines() if "Thank the" in line)
    file.write_text(file.read_text("utf-8").replace(task, f"{task}\n  {NAMES}"), "utf-8")
    shown = outlast(here, "show", "1", **home)
    assert f"\n  description: {NAMES}\n" in shown.stdout
    thank = (call("complete_task", task=1, result="Kim sent them"),)
    turns = [
        turn("- Progress: 1/1", say="They know."),
        turn(f"- Description: {NAMES}", f"1. {NAMES}", calls=thank),  # the plan block, the brief
    ]
    run = outlast(here, "run", "--model", model(here, turns), **home)
    assert (run.returncode, "They know." in run.stdout) == (0, True), run.stdout
