"""F4: one of two real runners is killed or frozen, and the other takes the plan over."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.agent.runtime.crashes.test_two_runners import check_tokens
from tests.agent.runtime.scene import FILES, LEASE, Scene, check_attempts

ROOT = Path(__file__).parents[4]
STEPS = 70  # of 78 that a run takes
CHAOS = int(os.environ.get("OUTLAST_F4", "200"))
ROUNDS = int(os.environ.get("OUTLAST_F4_PROCESSES", max(1, CHAOS // 20)))  # they take longer


class Process:
    """A runner in its own process, which the test advances."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "tests.agent.runtime.crashes.gated_process", str(path)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def go_on(self, steps: int) -> None:
        """Advance it by a number of steps."""
        assert self._process.stdin
        assert self._read() == "?"
        for _ in range(steps):
            self._answer()
            assert self._read() == "?"

    def end(self, *, asked: bool) -> str:
        """Let it run to its end; return how it ended. `asked`: it waits for an answer already."""
        if asked:
            self._answer()
        while (said := self._read()) == "?":
            self._answer()
        self._process.communicate()
        return said

    def freeze(self) -> None:
        """Stop the process where it is."""
        self._process.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(self._process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)

    def thaw(self) -> None:
        """Let the process continue as if nothing had happened."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill the process, unless it has ended."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def _read(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def _answer(self) -> None:
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_f4_of_two_processes_the_late_one_is_refused(
    tmp_path: Path, seed: int, request: pytest.FixtureRequest
) -> None:
    whole = Scene(tmp_path / "whole")
    whole.go()
    scene = Scene(tmp_path / "plan", shared=True)
    first = Process(scene.path)
    request.addfinalizer(first.kill)
    first.go_on(Random(seed).randrange(1, STEPS))  # noqa: S311 - to be repeated
    if seed % 2:
        first.kill()
    else:
        first.freeze()
        assert Process(scene.path).end(asked=False) == "TASK_CLAIMED"
        scene.clock.advance(LEASE)
    assert Process(scene.path).end(asked=False) == "finished"
    before = len(scene.past())
    if not seed % 2:
        first.thaw()
        assert first.end(asked=True) == "overtaken"
    assert len(scene.past()) == before, "the late one has written nothing"
    assert scene.outcome() == whole.outcome()
    assert scene.files() == FILES
    check_attempts(scene.past(), scene.runs)
    check_tokens(scene)
