"""X1, F7: a person saves the plan while `outlast run` works, in a process of its own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING

import pytest

from outlast import create_plan, open_plan
from outlast.context.chat_model import Call, Reply
from outlast.testing import ModelServer
from tests.cli.agent_scripts import isolated_environment
from tests.fake_model import FakeModel, ModelRequest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EDITS = int(os.environ.get("OUTLAST_F7_LIVE", "104"))
AGENTS = 8
LATENCY = 0.05, 0.3  # seconds that the model takes
GUARD = 120
CLOSING = re.compile(r"<!-- outlast r\d+")


class SlowModel(FakeModel):
    """A model that takes its time and calls a tool in every turn."""

    def __init__(self, random: Random) -> None:
        super().__init__(name="slow")
        self._random = random

    async def reply(self, request: ModelRequest) -> Reply:  # noqa: ARG002 - it never listens
        number = len(self.requests)
        await asyncio.sleep(self._random.uniform(*LATENCY))
        call = Call("write_file", {"path": f"{number}.txt", "content": f"{number}"}, f"c{number}")
        return Reply(f"Page {number}.", (call,))


class Person:
    """A person who adds tasks to the file, in the ways of several editors."""

    def __init__(self, view: Path, random: Random) -> None:
        self._view = view
        self._random = random

    def add(self, word: str) -> None:
        """Reload the file, add a task with a word, and save."""
        text = self._view.read_text("utf-8")
        while not CLOSING.search(text):
            time.sleep(0.001)
            text = self._view.read_text("utf-8")
        head, rule, end = text.rpartition("\n---\n")
        saved = f"{head.rstrip()}\n- [ ] 屋顶 {word}\n{rule}{end}"
        self._random.choice((self._rename_over, self._in_place, self._in_pieces))(saved.encode())

    def _rename_over(self, data: bytes) -> None:
        temporary = self._view.with_suffix(".swp")
        temporary.write_bytes(data)
        temporary.replace(self._view)

    def _in_place(self, data: bytes) -> None:
        self._view.write_bytes(data)

    def _in_pieces(self, data: bytes) -> None:
        cut = data.index("顶".encode()) + 1
        with self._view.open("wb", buffering=0) as file:
            file.write(data[:cut])
            time.sleep(0.03)
            file.write(data[cut:])


def watch_edits(here: Path, seed: int, count: int) -> list[str]:
    """Let an agent run and a person save so many edits.

    Returns those of which the model was told too late, the plan has no task, or the run did not
    print exactly one line.
    """
    here.mkdir()
    random = Random(seed)  # noqa: S311 - no secret
    model = SlowModel(random)
    late: list[str] = []
    with ModelServer(model) as server:
        with create_plan(here, "Write pages", "pages") as plan:
            plan.add("Write")
        view = here / ".outlast/plans/pages/task_plan.md"
        command = [sys.executable, "-m", "outlast", "run", "--model", "openai:slow", "--yes"]
        agent = subprocess.Popen(  # noqa: S603 - our own command
            [*command, "--max-iterations", "5000", "--budget", "tokens=1g"],
            cwd=here,
            env=isolated_environment(here, **server.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        try:
            wait_until(lambda: len(model.requests) > 1)
            person = Person(view, random)
            for number in range(count):
                time.sleep(random.uniform(0, 0.2))
                if number % 2:
                    wait_for_commit(view)
                word = f"h{number}h"
                person.add(word)
                if not is_told(model, len(model.requests) + 2, word):
                    late.append(word)
        finally:
            agent.send_signal(signal.SIGINT)
            printed, _ = agent.communicate(timeout=GUARD)
    with open_plan(here, "pages") as plan:
        names = [task.name for task in plan.tasks()]
    words = [f"h{n}h" for n in range(count)]
    lost = [word for word in words if names.count(f"屋顶 {word}") != 1]
    misreported = [word for word in words if printed.count(f'"屋顶 {word}"') != 1]
    return [*late, *lost, *misreported]


def is_told(model: FakeModel, count: int, word: str) -> bool:
    """Tell whether the model was told a word in its first requests, once it has had so many."""
    wait_until(lambda: len(model.requests) >= count)
    requests = model.requests[:count]
    return any(word in message.text for request in requests for message in request.messages)


def wait_for_commit(view: Path) -> None:
    """Wait until the journal beside a view has grown."""
    journal = view.with_name("journal.jsonl")
    size = journal.stat().st_size
    wait_until(lambda: journal.stat().st_size > size)


def wait_until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + GUARD
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.mark.slow
@pytest.mark.soak
def test_f7_a_running_agent_sees_every_edit_before_its_next_request_but_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(AGENTS) as pool:
        places = [tmp_path / f"here{n}" for n in range(AGENTS)]
        counts = [EDITS // AGENTS] * AGENTS
        late = list(pool.map(watch_edits, places, range(AGENTS), counts))
    assert late == [[]] * AGENTS


def test_f7_a_running_agent_sees_an_edit_before_its_next_request_but_one(tmp_path: Path) -> None:
    assert watch_edits(tmp_path / "here", 7, 1) == []
