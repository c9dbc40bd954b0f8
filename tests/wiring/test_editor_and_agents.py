"""F7: two agents in processes of their own and a person with an editor, all at one plan."""

import re
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from outlast import create_plan, open_plan
from outlast.domain.commands import NewTask
from outlast.texts import text
from tests.wiring.agent_process import EDITS, PAUSE
from tests.wiring.places import ROOT

TASK = re.compile(r"^- \[ \] ○ (.*) <!-- t(\d+) -->$", re.MULTILINE)


class Editor:
    """A person who reads the file, changes one line of it and saves it, again and again."""

    def __init__(self, file: Path, edits: Path, *, replaces: bool) -> None:
        self.file, self.edits = file, edits
        self.edits.touch()
        self.replaces = replaces
        self.words: list[str] = []
        self.random = Random(7)  # noqa: S311 - no secret

    def edit(self) -> None:
        """Write a line, or add to one."""
        try:
            content = self.file.read_text("utf-8")
        except FileNotFoundError:
            return  # it is being replaced
        tasks = list(TASK.finditer(content))
        if tasks and "<!-- outlast r" in content:
            self.words.append(word := f"h{len(self.words)}h")
            found = self.random.choice(tasks)
            renamed = found[0].replace(found[1], f"{found[1]} {word}")
            line = self.random.choice((f"- [ ] new {word}\n{found[0]}", renamed))
            self.save(content[: found.start()] + line + content[found.end() :])
            with self.edits.open("a") as edits:
                edits.write("x")

    def save(self, content: str) -> None:
        """Save as editors do: in place, or by a file that takes the other's name."""
        if self.replaces:
            beside = self.file.with_name(".task_plan.md.swp")
            beside.write_text(content, "utf-8")
            beside.replace(self.file)
        else:
            self.file.write_text(content, "utf-8")


def agents(workspace: Path) -> list[subprocess.Popen[str]]:
    """Start two agents."""
    command = [sys.executable, "-m", "tests.wiring.agent_process", str(workspace)]
    return [
        subprocess.Popen(  # noqa: S603 - our own program
            [*command, f"agent-{share}", str(share)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for share in (0, 1)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("replaces", [False, True])
def test_f7_agents_and_an_editor_lose_nothing_of_each_other(
    replaces: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
) -> None:
    with create_plan(tmp_path, "Goal", "x") as plan:
        plan.add_all([NewTask(f"task {number}") for number in range(1, 31)])
    file = tmp_path / ".outlast" / "plans" / "x" / "task_plan.md"
    editor = Editor(file, tmp_path / EDITS, replaces=replaces)
    running = agents(tmp_path)
    while any(agent.poll() is None for agent in running):
        editor.edit()
        time.sleep(0.01)
    told = "\n".join(agent.communicate(timeout=60)[0] for agent in running)
    assert [agent.returncode for agent in running] == [0, 0]
    notices: list[str] = []
    for _ in range(2):
        with open_plan(tmp_path, "x") as plan:
            notices += [text(key, **details) for key, details in plan.notices]
            tasks = {task.id: task for task in plan.tasks()}
    done = [int(number) for number in re.findall(r"^done (\d+)$", told, re.MULTILINE)]
    added = [int(number) for number in re.findall(r"^added (\d+)$", told, re.MULTILINE)]
    assert len(done) == len(added) > 0
    assert len(editor.words) >= PAUSE * len(done) / len(running)
    assert all(tasks[number].status == "completed" for number in done)
    assert all(number in tasks for number in added)
    kept = [path.read_text("utf-8") for path in file.parent.glob("task_plan.md*")]
    everything = "\n".join([*kept, *notices, *(task.name for task in tasks.values())])
    assert [word for word in editor.words if word not in everything] == []
