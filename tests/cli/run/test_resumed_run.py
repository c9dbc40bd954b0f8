"""R0.14: a run in a new process knows what was asked, said and done in the earlier one."""

from pathlib import Path

import pytest

from tests.cli.agent_scripts import call, isolated_home, model, turn
from tests.cli.processes import outlast

GOAL = (
    "Compare the yearly reports of the five companies on the list, take revenue, profit and debt "
    "from the official reports only, say where a figure is missing, put the table first and the "
    "text after it, and keep the whole to one page. Please write it in German."
)
TASKS = call("add_tasks", tasks=[{"name": "Read", "description": "Only page 88"}, "Write"])
DONE = call("complete_task", task=1, result="revenue is 4183 million")


@pytest.mark.slow
def test_r0_14_the_end_of_a_long_goal_and_a_message_are_known_after_a_resume(
    tmp_path: Path,
) -> None:
    place = tmp_path / "here"
    place.mkdir()
    home = isolated_home(place)
    before = [turn("- Current step: 1.", calls=(DONE,)), turn(calls=(TASKS,))]
    first = outlast(
        place, "run", GOAL, "--max-iterations", "2", "--model", model(place, before), **home
    )
    assert "1/2" in first.stdout + first.stderr
    outlast(place, "say", "Use euros, not dollars", **home)
    known = ("write it in German", "Use euros", "4183 million", "Only page 88")
    after = [turn(*known, say="I know it all.\n[Done]"), turn(say="I know nothing.")]
    script = model(place, after, "after.yaml")
    second = outlast(place, "resume", "--max-iterations", "1", "--model", script, **home)
    assert "I know it all." in second.stdout + second.stderr
