"""R1, end to end: two real Claude Code agents build a house side by side in a git repository.

One of them is killed, one reports what it has not done, one does it wrong first; the model that
evaluates them believes everything. The house stands in the end, with evidence for each task.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outlast import open_plan
from outlast.context.chat_model import Reply
from tests.agents.coder import USAGE, Coder, is_claude, last_prompt
from tests.agents.scene import Scene, command_line, open_scene, outlast, read_proc, wait_until
from tests.cli.agent_scripts import isolated_home
from tests.cli.processes import stdout_of
from tests.fake_model import ModelRequest

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.xdist_group("agents")]
GOAL = "Build a house"
FOUNDATION, WALLS, FRAME, HOUSE = "Lay the foundation", "Build the walls", "Raise it", "Finish it"


def task(name: str, *commands: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "description": "\n".join(f"$ {line}" for line in commands), **fields}


def meet(own: str) -> str:
    """Return a command that says it has begun, and waits until the test lets it go on."""
    return f"touch $HOME/{own}; until test -e $HOME/go; do sleep 0.1; done"


PLAN = [
    task(
        FOUNDATION,
        "echo stone | tee foundation.txt",
        "git add foundation.txt && git commit -qm foundation",
        files=["foundation.txt"],
        checks=["git show HEAD:foundation.txt"],
    ),
    task(
        WALLS,
        meet("walls"),
        "echo brick | tee walls.txt",
        needs=[1],
        files=["walls.txt"],
        checks=["grep -q brick walls.txt"],
    ),
    task(
        FRAME,
        meet("frame"),
        "echo wood | tee frame.txt",
        needs=[1],
        files=["frame.txt"],
        checks=["grep -q wood frame.txt"],
    ),
    task(
        HOUSE,
        "cat foundation.txt walls.txt frame.txt | tee house.txt",
        "git add . && git commit -qm house",
        needs=[2, 3],
        files=["house.txt"],
        checks=["grep -c . house.txt | grep -qx 3"],
    ),
]
FIRST = {
    FRAME: [meet("frame")],  # and claims the rest
    HOUSE: ["cat foundation.txt walls.txt | tee house.txt"],
}


class Builders(Coder):
    """The model of the orchestrator, which believes everything, and that of its agents."""

    async def reply(self, request: ModelRequest) -> Reply:
        if is_claude(request):
            return await super().reply(request)
        told = request.messages[0].text
        if "`needs`" in told:
            return Reply(json.dumps({"tasks": PLAN}), (), USAGE)
        if "`retry`" in told:
            return Reply('{"decision": "next", "reason": "It says so.", "advice": null}', (), USAGE)
        return Reply("The house stands.", (), USAGE)

    def commands(self, request: ModelRequest) -> list[str]:
        prompt, _ = last_prompt(request)
        for name, commands in FIRST.items():
            title = f"# Task\n{name}\n"
            if title in prompt and sum(title in said.text for said in request.messages) == 1:
                return commands
        return super().commands(request)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with open_scene(tmp_path, Builders()) as opened:
        for command in ("init -q", "config user.name mira", "config user.email mira@example.org"):
            git(opened, *command.split())
        git(opened, "commit", "-q", "--allow-empty", "-m", "begin")
        yield opened
    assert opened.elsewhere == []


def git(scene: Scene, *arguments: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own arguments
        ["git", *arguments],  # noqa: S607 - the one on the path
        cwd=scene.workspace,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout


def kill_agent(scene: Scene, word: str) -> None:
    """Kill the agent that runs a command with a word, as the system does when memory is short."""
    agents = scene.processes("claude")
    runs = [number for number in scene.processes() if word in command_line(number)]
    killed = {parent for number in runs for parent in ancestors(number) if parent in agents}
    assert len(killed) == 1, [command_line(number) for number in scene.processes()]
    os.kill(killed.pop(), signal.SIGKILL)


def ancestors(number: int) -> Iterator[int]:
    """Yield the parents of a process, as far up as they live."""
    while number > 1 and (status := read_proc(number, "stat")):
        number = int(status.rpartition(b")")[2].split()[1])
        yield number


def test_r1_01_two_agents_a_kill_a_lie_and_a_mistake_end_in_a_house_with_evidence(
    scene: Scene,
) -> None:
    how = ("--agent", "claude-code", "--parallel", "2", "--permissions", "full", "--yes")
    with outlast(scene, "run", GOAL, *how, "--model", "openai:any") as run:
        wait_until((scene.home / "walls").exists, run)
        wait_until((scene.home / "frame").exists, run)  # both are at work
        kill_agent(scene, "touch $HOME/walls")
        (scene.home / "go").touch()
        printed, _ = run.communicate(timeout=120)
    assert run.returncode == 0, printed
    assert scene.processes() == []
    assert scene.read("house.txt") == "stone\nbrick\nwood\n"
    assert git(scene, "log", "--format=%s").split() == ["house", "foundation", "begin"]

    with open_plan(scene.workspace, "build-a-house") as plan:
        tasks = plan.tasks()
        assert plan.status == "completed"
    assert [(task.status, task.how) for task in tasks] == [("completed", "proved")] * 4
    assert [task.retry_count for task in tasks] == [0, 1, 1, 1]
    assert "The house stands." in scene.read(".outlast/plans/build-a-house/deliverable.md")

    told = stdout_of(scene.workspace, "report", **isolated_home(scene.workspace))
    assert "**All 4 tasks proved**" in told
    rows = [line for line in told.splitlines() if line.startswith("| ") and "red → green" in line]
    assert len(rows) == 4
    assert "The agent was killed (signal 9)" in told
    assert "grep -q wood frame.txt: exited with code 2" in told, "what the lie was caught with"
