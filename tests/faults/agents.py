"""Agents that add, start, complete and note, in a process that two or more of them share."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Protocol

from outlast import open_plan
from outlast.errors import Refused
from outlast.language import text

if TYPE_CHECKING:
    from outlast import Plan

KEY = "edited"
KINDS = ("add", "start", "complete", "note", "note")
FEWEST, MOST = 4, 12  # open tasks


class Log(Protocol):
    """Where agents record what they do."""

    def record(self, kind: str, task: int, name: str) -> None:
        """Record that a task was "tried", "added" or "completed", or a finding "noted"."""


class FileLog:
    """A log in a file, of which a line is there as soon as it is recorded."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", buffering=1)

    def record(self, kind: str, task: int, name: str) -> None:
        self._file.write(json.dumps((kind, task, name)) + "\n")


class Agent:
    """An agent that works on any task; `log` hears what it tries and what it was told is done."""

    def __init__(self, number: int, random: Random, log: Log) -> None:
        self.number = number
        self.random = random
        self.log = log
        self._count = 0

    def act(self, plan: Plan) -> None:
        """Do one thing; a refusal is an answer too."""
        open_tasks = [task for task in plan.tasks() if task.status in ("pending", "in_progress")]
        kind = self.random.choice(KINDS)
        if len(open_tasks) < FEWEST:
            kind = "add"
        elif kind == "add" and len(open_tasks) > MOST:
            kind = "complete"
        with suppress(Refused):
            if kind == "add":
                name = f"a{self._next()}a 代理 Café"
                self.log.record("tried", 0, name)
                self.log.record("added", plan.add(name).id, name)
            elif kind == "note":
                note = f"note {self._next()}"
                plan.notes.add_finding("insight", "Found", note)
                self.log.record("noted", 0, note)
            else:
                task = self.random.choice(open_tasks)
                if kind == "start":
                    plan.start(task.id)
                else:
                    done = plan.complete(task.id, "做完了")
                    self.log.record("completed", done.id, done.name)

    def _next(self) -> int:
        self._count += 1
        return self.number * 100_000 + self._count


def describe_problems(plan: Plan) -> list[str]:
    """Return the notices of a plan, but for those about edits that were applied."""
    return [text(key, **details) for key, details in plan.notices if key != "edit_applied"]


def work(root: Path, process: int, agents: int, seconds: float) -> None:
    """Hold the plan and let agents work in turn, until a file says stop."""
    log = FileLog(root / f"log-{process}")
    random = Random(process)  # noqa: S311 - no secret
    crew = [Agent(process * 10 + number, random, log) for number in range(1, agents + 1)]
    deadline = time.monotonic() + seconds
    with open_plan(root, KEY, actor="agent") as plan:
        while not (root / "stop").exists() and time.monotonic() < deadline:
            random.choice(crew).act(plan)
            time.sleep(random.uniform(0.01, 0.15))
    for problem in describe_problems(plan):
        log.record("notice", 0, problem)


if __name__ == "__main__":
    work(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
