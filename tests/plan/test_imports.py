"""F39: nothing is imported on the way of a commit or a read once a program has a plan."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plan.places import ROOT
from tests.store.operations import FIRST, OPERATIONS, STEPS

PLACES = {"files": "{}", "SQLite": "sqlite:///{}/plans.db", "memory": "memory:"}


def imported(where: str, place: Path) -> tuple[int, list[str]]:
    """Return how many commits a program made, and what it imported meanwhile."""
    commands = place / "commands"
    steps = [
        (*STEPS, *([(FIRST[name],)] if name in FIRST else []), o) for name, o in OPERATIONS.items()
    ]
    commands.write_bytes(pickle.dumps(steps))
    (place / "plans").mkdir()
    workdir = PLACES[where].format(place / "plans")
    program = "from tests.plan import imports_seen; imports_seen.main(*__import__('sys').argv[1:])"
    arguments = [sys.executable, "-c", program, workdir, str(commands)]
    run = subprocess.run(  # noqa: S603 - our own program
        arguments, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr
    kept, *names = run.stdout.split()
    return int(kept), names


@pytest.mark.parametrize("where", PLACES)
def test_f39_nothing_is_imported_on_the_way_of_a_commit_or_read(where: str, tmp_path: Path) -> None:
    kept, names = imported(where, tmp_path)
    assert kept > len(OPERATIONS) * len(STEPS)
    assert names == []


def test_f39_what_is_imported_later_is_seen(tmp_path: Path) -> None:
    """A command imports what it needs when it needs it: the same program without the others."""
    program = tmp_path / "program.py"
    program.write_text(LATE)
    run = subprocess.run(  # noqa: S603 - our own lines
        [sys.executable, program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "outlast.model.decide.work" in run.stdout.split()


LATE = """
import sys
from outlast.model.commands import CreatePlan
from outlast.plan.home.find import plan_home_at
from outlast.plan.plans import Plans
plan = Plans(plan_home_at(sys.argv[1]), "agent").create(CreatePlan("plan_x", "G"), "k", layout=None)
plan.add("a")
sys.addaudithook(lambda event, names: event == "import" and print(names[0]))
plan.start()
"""
