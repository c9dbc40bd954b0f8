"""F24: a model that ignores what it is told, in a process that is killed at random moments."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from outlast import Plan
from outlast.model.commands import CreatePlan
from outlast.plan.core import PlanCore
from outlast.system.disk import Disk
from tests.agent.runtime.crashes.deaf_process import LINES
from tests.agent.runtime.scene import LEASE, ClockFile
from tests.store.opening import new_views

KILLS = int(os.environ.get("OUTLAST_F24", "16"))
PARTS = 4
ROOT = Path(__file__).parents[4]
_LIFE = 0.2  # seconds of work before a kill, at most
_HANG = 600


def run_process(where: Path, seconds: float) -> int:
    command = [sys.executable, "-m", "tests.agent.runtime.crashes.deaf_process"]
    done = subprocess.run(  # noqa: S603 - our own module
        [*command, str(where), f"{seconds}"],
        check=False,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        timeout=_HANG,
    )
    assert done.returncode in (0, -9), done.stderr.decode()
    if done.returncode:
        ClockFile(where / "clock").advance(LEASE)
    return done.returncode


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_f24_a_model_that_repeats_everything_doubles_nothing(tmp_path: Path, part: int) -> None:
    (tmp_path / "plan").mkdir()
    clock, planned = ClockFile(tmp_path / "clock"), KILLS // PARTS
    tasks = planned * 4
    command = CreatePlan("plan_test", "Append numbers", "k", begun=True)
    where, now = str(tmp_path / "plan"), clock()
    store = new_views(where, Disk(), command, author="ann", now=now)
    plan = Plan(PlanCore(store, clock, lambda: "plan_next", "agent"))
    for number in range(1, tasks + 1):
        plan.add(f"Append {number}")
    plan.close()
    dice, kills = Random(part), 0  # noqa: S311 - to be repeated
    while kills < planned and run_process(tmp_path, dice.uniform(0.02, _LIFE)):
        kills += 1
    run_process(tmp_path, 0)
    lines = (tmp_path / LINES).read_text().split()
    assert lines == [str(number) for number in range(1, tasks + 1)], "each once, none left out"
    assert kills == planned, "the plan was long enough"
