"""F24: `outlast run` and `outlast resume` with a model that repeats what it has done."""

from pathlib import Path

import pytest

from tests.cli.agent_scripts import LOOK, call, isolated_home, model, turn
from tests.cli.processes import outlast
from tests.cli.run.test_settle_question import kill_while_it_runs

TASKS = call("add_tasks", tasks=[{"name": "Write a line"}])

pytestmark = pytest.mark.slow


def deaf(here: Path, command: str, *, then: str) -> str:
    """Return a model that runs a command for its step until it gets an answer like `then`."""
    return model(
        here,
        [
            turn(then, say="[Done]"),
            turn("- Current step: 1.", calls=(call("bash", command=command),)),
            turn("0/0", calls=(TASKS,)),
            LOOK,
        ],
    )


def test_f24_a_call_that_ended_before_the_limit_is_answered_after_the_resume(here: Path) -> None:
    script = deaf(here, "echo line | tee -a out.txt", then="Its output was:")
    options, home = ("--model", script), isolated_home(here)
    outlast(here, "run", "Write a line", *options, "--max-iterations", "3", **home)
    assert (here / "out.txt").read_text() == "line\n"
    resumed = outlast(here, "resume", *options, **home)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert (here / "out.txt").read_text() == "line\n"
    assert "Not run again, since it had already ended: bash echo line" in (
        resumed.stdout + resumed.stderr
    )


def test_f24_a_call_that_a_person_called_done_is_answered_so(here: Path) -> None:
    command = "echo line >> out.txt; touch begun; sleep 60"
    script = deaf(here, command, then="a person said that this call was done")
    kill_while_it_runs(here, "--model", script)
    home = isolated_home(here)
    options = ("--model", script)
    assert "Did it finish?" in outlast(here, "resume", *options, **home).stdout
    assert outlast(here, "answer", "1", "done", **home).returncode == 0
    resumed = outlast(here, "resume", *options, **home)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert (here / "out.txt").read_text() == "line\n"
