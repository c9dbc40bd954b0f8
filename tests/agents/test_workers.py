"""R1.11: two workers with different real agents serve one mailbox; one of them is killed."""

from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from tests.agents.coder import Coder
from tests.agents.scene import Scene, open_scene, outlast, wait_until

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.xdist_group("agents")]
KEY = "house"
PARTS = {"walls": "brick", "roof": "tile"}


def make_plan(scene: Scene) -> None:
    """Make a plan of two tasks that each begin, and wait until the test lets them go on."""
    with create_plan(scene.workspace, "Build a house", KEY, actor="mira") as plan:
        for name, stuff in PARTS.items():
            wait = f"touch $HOME/{name}; until test -e $HOME/go; do sleep 0.1; done"
            plan.add(
                name,
                description=f"$ echo {stuff} | tee -a {name}.txt\n$ {wait}",
                files=[f"{name}.txt"],
            )


def test_r1_11_a_killed_worker_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    serve = ("worker", "--mailbox", "box", "--permissions", "full", "--agent")
    with (
        open_scene(tmp_path, Coder()) as scene,
        outlast(scene, *serve, "codex") as codex,
        outlast(scene, *serve, "claude-code") as claude,
    ):
        make_plan(scene)
        how = ("--mailbox", "box", "--parallel", "2", "--yes", "--plan", KEY)
        with outlast(scene, "run", *how) as run:
            for name in PARTS:
                wait_until((scene.home / name).exists, run, codex, claude)
            claude.kill()
            with outlast(scene, *serve, "claude-code") as again:
                reports = scene.workspace / "box" / "reports" / "processed"
                wait_until(lambda: [*reports.glob("*.md")], run, again)
                (scene.home / "go").touch()
                printed, _ = run.communicate(timeout=120)
        assert codex.poll() is None, "it serves on"
    assert run.returncode == 0, printed
    assert scene.elsewhere == []
    with open_plan(scene.workspace, KEY) as plan:
        assert [task.status for task in plan.tasks()] == ["completed", "completed"]
    for name, stuff in PARTS.items():
        assert scene.read(f"{name}.txt") == f"{stuff}\n", "done once"
