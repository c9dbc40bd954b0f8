"""F37: a clock that jumps hands no living run's plan to another one. Real processes."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.test_stopped_runs import PATIENCE, RUN, Scene, shell_scene
from tests.system.test_processes import ON_LINUX, wait_for

pytestmark = [pytest.mark.slow, ON_LINUX]
WORK = "echo begin >>log; until [ -e go ]; do sleep 0.05; done; echo sent >>mail"

# Runs a command whose clock is so many seconds ahead of this machine's.
AHEAD = """
import sys
from datetime import datetime, timedelta
from outlast.system import clock

class Clock(datetime):
    @classmethod
    def now(cls, zone=None):
        return datetime.now(zone) + timedelta(seconds=float(sys.argv[1]))

clock.datetime = Clock
from outlast.cli.main import run
sys.exit(run(sys.argv[2:]))
"""


def run_ahead(scene: Scene, seconds: int, *words: str) -> tuple[int, str]:
    """Run a command after the clock has jumped; return its exit code, and what it printed."""
    script = scene.here.parent / "ahead.py"
    script.write_text(AHEAD)
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, str(script), str(seconds), *words],
        capture_output=True,
        check=False,
        cwd=scene.here,
        encoding="utf-8",
        env=scene.environment(),
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("jump", [-3_600, 30, 120, 3_600, 86_400])
def test_f37_a_run_that_lives_keeps_its_plan_when_the_clock_jumps(
    tmp_path: Path, jump: int
) -> None:
    scene = shell_scene(tmp_path, WORK)
    with scene.start(*RUN, "shell") as first:
        assert wait_for(lambda: scene.count("log") > 0)
        code, printed = run_ahead(scene, jump, "resume")
        assert code == 1, printed
        assert f"agent (process {first.pid}), is working on this plan" in printed
        (scene.here / "go").touch()
        first.communicate(timeout=PATIENCE)
    assert (first.returncode, scene.count("log"), scene.count("mail")) == (0, 1, 1)


def test_f37_a_run_that_is_stopped_loses_its_plan_when_its_time_is_over(tmp_path: Path) -> None:
    """The control: with the same jump, a frozen holder does not count."""
    scene = shell_scene(tmp_path, WORK, "  - check: test -e mail")
    with scene.start(*RUN, "shell") as first:
        assert wait_for(lambda: scene.count("log") > 0)
        first.send_signal(signal.SIGSTOP)
        (scene.here / "go").touch()
        assert wait_for(lambda: scene.count("mail") == 1)
        code, printed = run_ahead(scene, 3_600, "resume")
        assert (code, scene.count("log")) == (0, 1), printed
        first.kill()
        first.communicate(timeout=PATIENCE)
