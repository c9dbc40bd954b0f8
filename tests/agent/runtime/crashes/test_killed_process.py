"""F4: a real process killed by the system, at any time."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.agent.runtime.scene import FILES, LEASE, ClockFile, Scene

VICTIM = "tests.agent.runtime.crashes.victim_process"
ROOT = Path(__file__).parents[4]


def kill_after(syncs: int, path: Path) -> bool:
    """Run the loop in a process of its own; return whether it was killed before its end.

    It is released and killed at once: it dies between that sync and the next.
    """
    with subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-m", VICTIM, str(path)],
        bufsize=0,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        for _ in range(syncs):
            if not process.stdout.readline():
                return False
            process.stdin.write(b"\n")
        process.kill()
    ClockFile(path / "clock").advance(LEASE)
    return process.returncode < 0


@pytest.mark.slow
def test_f4_a_process_killed_again_and_again_ends_the_plan(tmp_path: Path) -> None:
    whole = Scene(tmp_path / "whole")
    whole.go()
    scene = Scene(tmp_path / "killed", shared=True)
    kills = sum(kill_after(syncs, scene.path) for syncs in (1, 2, 3, 5, 7, 9, 11, 13))
    assert kills >= 5
    assert scene.go().status == "completed"
    assert scene.outcome() == whole.outcome()
    assert scene.files() == FILES
    scene.check()
