"""F4: two runs that are started at the same moment work on one plan, and do nothing twice."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outlast.plan.home.workspace import Workspace
from outlast.system.disk import Disk
from tests.cli.agent_scripts import isolated_environment, model, turn
from tests.open_files import open_files

WAITS = "echo done >> log; while [ ! -e go ]; do sleep 0.02; done"


@contextmanager
def started_twice(here: Path, *words: str) -> Iterator[list[subprocess.Popen[str]]]:
    """Start two runs; neither finds the plan of the other at its first look."""
    runs = []
    try:
        with Workspace(str(here), Disk()).lock():
            for _ in range(2):
                process = subprocess.Popen(  # noqa: S603 - our own command
                    (sys.executable, "-m", "outlast", *words),
                    cwd=here,
                    env=isolated_environment(here),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
                runs.append(process)
            for process in runs:
                while not waits_for_lock(process, here / ".outlast"):
                    time.sleep(0.01)
        yield runs
    finally:
        for process in runs:
            with process:
                process.kill()


def waits_for_lock(process: subprocess.Popen[str], directory: Path) -> bool:
    assert process.poll() is None, process.communicate()[0]
    return str(directory) in open_files(process.pid)


def plan_keys(here: Path) -> list[str]:
    return Workspace(str(here), Disk()).plan_keys()


def test_f4_two_runs_of_a_file_at_the_same_moment_do_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text(f"# Once\n- [ ] A\n  - run: {WAITS}\n")
    with started_twice(tmp_path, "run", "plan.md", "--agent", "shell", "--yes") as runs:
        while all(process.poll() is None for process in runs):
            time.sleep(0.01)
        (tmp_path / "go").touch()
        outputs = {process.communicate()[0]: process.returncode for process in runs}
    assert sorted(outputs.values()) == [0, 1], outputs
    late = next(output for output, code in outputs.items() if code)
    assert "is working on this plan" in late
    continued = "Going on with the plan once, which has the goal of plan.md"
    assert sum(continued in output for output in outputs) == 1, "the other imported it"
    assert plan_keys(tmp_path) == ["once"]
    assert (tmp_path / "log").read_text() == "done\n"


def test_f4_two_runs_with_a_goal_at_the_same_moment_make_one_plan(tmp_path: Path) -> None:
    planner = model(tmp_path, [turn("You plan work", say='{"tasks": []}')])
    words = ("run", "Do it", "--agent", "shell", "--model", planner)
    with started_twice(tmp_path, *words) as runs:
        for process in runs:
            process.communicate()
    assert plan_keys(tmp_path) == ["do-it"]
