"""X3: the orchestrator dies while a real agent works; the next run finds out what was done."""

from pathlib import Path

import pytest

from outlast import Check, NewTask, create_plan, open_plan
from tests.agents.coder import Coder
from tests.agents.scene import NAMES, Scene, open_scene, outlast, wait_until

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.xdist_group("agents")]
WALLS = """$ echo brick | tee -a walls.txt
$ touch $HOME/began; until test -e $HOME/go; do sleep 0.1; done"""
BRICKS = Check("command", "grep -q brick walls.txt")
ROOF = "$ echo tile | tee -a roof.txt"
KEY = "house"


def make_plan(scene: Scene) -> None:
    with create_plan(scene.workspace, "Build a house", KEY, actor="mira") as plan:
        plan.add_all(
            [
                NewTask("walls", description=WALLS, checks=(BRICKS,), files=("walls.txt",)),
                NewTask("roof", description=ROOF, peers=(1,), files=("roof.txt",)),
            ]
        )


@pytest.mark.parametrize("name", NAMES)
def test_x3_an_orchestrator_killed_while_an_agent_works_repeats_nothing(
    tmp_path: Path, name: str
) -> None:
    with open_scene(tmp_path, Coder()) as scene:
        make_plan(scene)
        how = ("--agent", name, "--permissions", "full", "--yes", "--plan", KEY)
        with outlast(scene, "run", *how) as run:
            wait_until((scene.home / "began").exists, run)
            run.kill()
        wait_until(lambda: not scene.processes())  # the agent has died with it
        (scene.home / "go").touch()
        with outlast(scene, "resume", "--plan", KEY) as resumed:
            printed, _ = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, printed
    assert scene.elsewhere == []
    assert scene.read("walls.txt") == "brick\n", "not twice"
    assert scene.read("roof.txt") == "tile\n"
    with open_plan(scene.workspace, KEY) as plan:
        assert [(task.status, task.how) for task in plan.tasks()] == [
            ("completed", "proved"),
            ("completed", "reported"),
        ]
