"""F23: a journal of any size is read in little memory, and many plans are listed quickly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import outlast as ol
from tests.cli.processes import environment
from tests.store.big_journal import TASKS, write_big_journal
from tests.store.operations import CREATE

MEGABYTES = int(os.environ.get("OUTLAST_F23", "32"))
MOST_MEMORY = 45  # megabytes, however long the journal is
COMMANDS = (
    *("show", "log -n 3", "doctor", "doctor --repair", "show 3", "undo", "undo {earlier}"),
    *("undo 5", "show --at {middle}", "report", "report --html page.html"),
)


# The peak of the resource usage would be that of the test process, which the program replaces.
PROGRAM = """
import re, sys
from outlast.cli.main import run
code = run(sys.argv[1:])
with open("/proc/self/status") as file:
    print(re.search(r"VmHWM:\\s+(\\d+)", file.read())[1], file=sys.stderr)
sys.exit(code)
"""


def run(cwd: Path, *arguments: str) -> tuple[int, str, float]:
    """Run a command; return its exit code, its output, and its peak memory in megabytes."""
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", PROGRAM, *arguments],
        capture_output=True,
        check=False,
        cwd=cwd,
        encoding="utf-8",
        env=environment(),
    )
    return done.returncode, done.stdout, int(done.stderr.splitlines()[-1]) / 1024


@pytest.mark.slow
@pytest.mark.soak
def test_f23_every_command_reads_a_big_journal_in_little_memory(tmp_path: Path) -> None:
    plan = tmp_path / ".outlast" / "plans" / CREATE.key
    last = write_big_journal(plan, MEGABYTES)
    revisions = {"earlier": str(last - 3), "middle": str(last // 2)}
    for line in COMMANDS:
        code, output, megabytes = run(tmp_path, *line.format_map(revisions).split())
        assert code == (1 if line == "undo 5" else 0), (line, output)
        assert megabytes < MOST_MEMORY, line
    (plan / "snapshot.json").unlink()
    code, output, megabytes = run(tmp_path, "show")
    assert (code, megabytes < MOST_MEMORY) == (0, True)
    assert output.count("○") == TASKS


@pytest.mark.slow
@pytest.mark.soak
def test_f23_undo_and_doctor_of_a_big_plan_stay_below_the_limit(tmp_path: Path) -> None:
    tasks = int(os.environ.get("OUTLAST_F23_TASKS", "10000"))
    with ol.create_plan(tmp_path, "Many tasks", "many") as plan:
        plan.add_all([ol.NewTask(f"Task number {number}") for number in range(tasks)])
    for line in ("done 1", "undo", "log -n 3", "doctor", "list"):
        code, output, megabytes = run(tmp_path, *line.split())
        assert code == 0, (line, output)
        assert megabytes < max(100, 300 * tasks / 200_000), line
