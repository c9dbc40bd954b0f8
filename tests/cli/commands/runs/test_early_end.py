"""R1.12: a run that ended before its first task is begun by the same command, or by `resume`."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from outlast import open_plan
from tests.cli.agent_scripts import isolated_environment, isolated_home
from tests.cli.processes import outlast

pytestmark = pytest.mark.slow
PLAN = "# Job\n\n- [ ] One\n  - run: echo sent >>mail\n"
RUN = ("run", "plan.md", "--agent", "shell", "--yes", "--key", "k")

# Runs a command in a process that dies as soon as its plan has so many commits.
DYING = """
import os, signal, sys
from outlast.store.store import Store
from outlast.cli.main import run

commits, before = int(sys.argv[1]), Store.commit

class Deadly:
    def __get__(self, store, kind=None):
        def commit(*arguments, **named):
            result = before(store, *arguments, **named)
            if store.read(lambda state: state.revision) >= commits:
                os.kill(os.getpid(), signal.SIGKILL)
            return result
        return commit

if commits == 1:
    from outlast.plan.plans import Plans
    create = Plans.create
    def created(*arguments, **named):
        create(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    Plans.create = created
else:
    Store.commit = Deadly()
sys.exit(run(sys.argv[2:]))
"""


def die(here: Path, commits: int) -> None:
    """Run the plan in a process that is killed after so many commits."""
    script = here.parent / "dying.py"
    script.write_text(DYING)
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, str(script), f"{commits}", *RUN],
        capture_output=True,
        check=False,
        cwd=here,
        env=isolated_environment(here),
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not (here / "mail").exists()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    here = tmp_path / "here"
    here.mkdir()
    (here / "plan.md").write_text(PLAN)
    return here


@pytest.mark.parametrize("commits", [1, 2, 3])
def test_r1_12_the_same_command_begins_a_plan_whose_run_was_killed(
    here: Path, commits: int
) -> None:
    die(here, commits)
    with open_plan(here, "k") as plan:
        needs_approval = plan.core.read(lambda state: state.needs_approval)
    assert needs_approval or commits > 1, "from its first commit on"
    done = outlast(here, *RUN, **isolated_home(here))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (here / "mail").read_text() == "sent\n"


@pytest.mark.parametrize("commits", [1, 2])
def test_r1_12_resume_names_the_command_that_begins_such_a_plan(here: Path, commits: int) -> None:
    die(here, commits)
    done = outlast(here, "resume", **isolated_home(here))
    command = "outlast resume --agent shell"
    assert (done.returncode, command in done.stderr) == (2, True), done.stderr
    words = done.stderr.partition(command)[2].split()
    begun = outlast(here, *command.split()[1:], *words, "--yes", **isolated_home(here))
    assert (begun.returncode, (here / "mail").read_text()) == (0, "sent\n"), begun.stderr


def test_r1_12_another_plan_under_the_key_is_refused(here: Path) -> None:
    die(here, 1)
    (here / "plan.md").write_text(PLAN.replace("Job", "Other job"))
    done = outlast(here, *RUN, **isolated_home(here))
    assert done.returncode == 1
    assert "There is already a plan" in done.stderr
