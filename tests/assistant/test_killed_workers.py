"""F4: several assistants on one store, killed at any moment: every task is done once."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from time import sleep

import pytest

from outlast import Assistant
from outlast.plans import list_archived
from tests.assistant.worker import Adder

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("OUTLAST_F4_ASSISTANT", "6"))


def start(store: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.assistant.worker", str(store)]
    return subprocess.Popen(command, cwd=ROOT)  # noqa: S603 - our own program


def wait_for_tasks(store: Path, more: int) -> None:
    """Wait until so many more tasks are done; the time limit of the test run ends a wait."""
    archive = store / ".outlast" / "archive"
    before = count_entries(archive)
    while count_entries(archive) < before + more:
        sleep(0.05)


def count_entries(directory: Path) -> int:
    return len([*directory.iterdir()]) if directory.is_dir() else 0


@pytest.mark.slow
@pytest.mark.soak
def test_f4_killed_assistants_lose_and_double_nothing(tmp_path: Path) -> None:
    random = Random(4)  # noqa: S311 - no secret
    workers = [start(tmp_path) for _ in range(3)]
    try:
        for _ in range(KILLS):
            wait_for_tasks(tmp_path, more=random.randrange(1, 4))
            sleep(random.uniform(0, 0.3))
            victim = workers.pop(random.randrange(3))
            victim.kill()
            victim.wait()
            workers.append(start(tmp_path))
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    assistant = Assistant(Adder(), tmp_path)
    assistant.missed_answers()
    while assistant.tasks():
        assert assistant.handle("continue").kind == "answer"
    finished = [plan.goal.split()[1] for plan in list_archived(tmp_path)]
    assert finished, "they have worked"
    todos = [todo.text for todo in assistant.agenda.todos().values()]
    assert sorted(todos) == sorted(set(todos)), "none is doubled"
    assert set(finished) <= set(todos), "none is lost"
