"""One person and two processes with three agents on a real disk, with live timers."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Self

from outlast import create_plan, open_plan
from tests.cli.processes import environment
from tests.faults.agents import KEY, describe_problems
from tests.faults.editors import WORDS, Habit, Person, RealFolder, random_encoding
from tests.faults.oracle import Acknowledged, Meaning, Oracle, Outcome

if TYPE_CHECKING:
    from outlast.model.state import PlanState

FIRST = 5  # tasks
CREWS = (2, 1)  # agents in each process
GUARD = 120  # seconds after which a process that nobody stops ends
PAUSE = 0.05, 0.3  # seconds between two saves
ROOT = Path(__file__).parents[2]


class LivePlan:
    """A plan that two processes hold, and a person who edits it in one editor after the other."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = Random(seed)  # noqa: S311 - no secret
        self.meaning = Meaning()
        self.has_stalled = False
        with create_plan(root, "Ziel 目标", KEY) as plan:
            for number in range(1, FIRST + 1):
                plan.add(f"p{number}p {WORDS[number % len(WORDS)]}")
        self.directory = root / ".outlast/plans" / KEY
        self.folder = RealFolder(self.directory / "task_plan.md")
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        for number, agents in enumerate(CREWS):
            command = [sys.executable, "-m", "tests.faults.agents", str(self.root)]
            arguments = str(number), str(agents), str(GUARD)
            self._processes.append(
                subprocess.Popen(  # noqa: S603 - our own module
                    [*command, *arguments], cwd=ROOT, env=environment(PYTHONPATH=str(ROOT))
                )
            )
        self._wait(lambda: len(list(self.root.glob("log-*"))) == len(CREWS))
        return self

    def __exit__(self, *_: object) -> None:
        (self.root / "stop").touch()
        for process in self._processes:
            assert process.wait(GUARD) == 0

    @staticmethod
    def _wait(is_true: object) -> None:
        deadline = time.monotonic() + GUARD
        while not is_true():  # type: ignore[operator]
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def edit(self, kind: type[Habit], saves: int) -> None:
        """Let the person edit and save so many times in an editor of this kind."""
        random = self.random
        encoding = random_encoding(random)
        person = Person(kind(random), self.folder, self.meaning, encoding, random)
        self._wait(person.load)
        for _ in range(saves):
            person.reload()
            for _ in range(3):
                person.edit()
            for seconds in person.save():
                time.sleep(seconds)
            time.sleep(random.uniform(*PAUSE))
        self.has_stalled |= person.habit.has_stalled

    def find_faults(self) -> list[str]:
        """Return the faults, once all processes have ended."""
        acknowledged, reports = Acknowledged(), list[str]()
        for log in self.root.glob("log-*"):
            for line in log.read_text().splitlines():
                kind, task, name = json.loads(line)
                if kind == "notice":
                    reports.append(name)
                else:
                    acknowledged.record(kind, task, name)
        states: list[PlanState] = []
        time.sleep(0.3)  # the last save was made this moment
        with open_plan(self.root, KEY) as plan:
            plan.files.sync()
            plan.files.render()
            plan.core.read(states.append)
        reports += describe_problems(plan)
        files = {path.name: path.read_bytes() for path in self.directory.glob("task_plan*")}
        oracle = Oracle(self.meaning, acknowledged, Outcome(states[0], files, reports))
        return oracle.find_faults(broken_off=self.has_stalled)
