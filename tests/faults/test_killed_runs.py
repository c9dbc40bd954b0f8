"""R1.12, X3, F4, F12: `outlast run` killed -9 at random moments of 20 tasks on four lanes."""

import os
import signal
import subprocess
import time
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.faults.arena import FINISHED, KINDS, PATIENCE, Arena, ForeignWorkers, Kind
from tests.system.test_processes import LEAVING, ON_LINUX, ROUNDS, is_alive, wait_for

KILLS = int(os.environ.get("OUTLAST_KILLS", "20"))
MOST_IN_A_ROW = 5
STOPS = max(2, KILLS // 10)
LIFE = 0.8  # seconds before a kill, at most


def play(
    here: Path, kind: Kind, kills: int, dice: Random, how: signal.Signals = signal.SIGKILL
) -> tuple[Arena, int]:
    """Kill runs on one plan until it is done; return how many of them were killed."""
    arena, killed = Arena(here, kind), 0
    with ForeignWorkers(here) if kind == "mailbox" else nullcontext():
        while killed < kills:
            if not arena.kill_within(dice.uniform(0.0, LIFE), how):
                break
            killed += 1
        else:
            arena.run()
    arena.check()
    return arena, killed


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_r1_12_a_run_killed_again_and_again_does_nothing_twice(tmp_path: Path, kind: Kind) -> None:
    wanted, kills = -(-KILLS // len(KINDS)), 0
    dice = Random(f"{kind} {KILLS}")  # noqa: S311 - to be repeated
    whole: dict[str, Any] = play(tmp_path / "whole", kind, 0, dice)[0].outcome()
    for number in range(wanted):
        most = min(MOST_IN_A_ROW, wanted - kills)
        arena, killed = play(tmp_path / str(number), kind, most, dice)
        found = arena.outcome()
        known = {task: whole["results"][task] for task in found["results"]}
        assert found == {**whole, "results": known}
        kills += killed
        if kills >= wanted:
            break
    assert kills >= wanted


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["before", "after"])
def test_r1_12_a_run_killed_as_it_reports_its_end_is_not_repeated(
    tmp_path: Path, moment: str
) -> None:
    """The plan is finished, and nobody may have read that: the same command is no new plan."""
    arena = Arena(tmp_path / "here", "shell")
    script = tmp_path / "dying.py"
    script.write_text(DYING, encoding="utf-8")
    with arena.start(program=(str(script), moment, FINISHED)) as process:
        printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGKILL, printed
    assert (FINISHED in printed) == (moment == "after")
    assert FINISHED in arena.run()
    arena.check()


# Runs a command in a process that dies when it prints certain words: before or after it has.
DYING = """
import io, os, signal, sys
from outlast.cli.main import run

_, moment, words, *arguments = sys.argv

class Paper(io.TextIOWrapper):
    def write(self, text):
        is_end = words in text
        if is_end and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        length = super().write(text)
        if is_end:
            self.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return length

sys.stdout = Paper(sys.stdout.buffer, encoding="utf-8")
sys.exit(run(arguments))
"""


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_x3_a_run_stopped_by_the_keyboard_does_nothing_twice(tmp_path: Path, kind: Kind) -> None:
    dice = Random(f"stopped {kind}")  # noqa: S311 - to be repeated
    for number in range(STOPS):
        play(tmp_path / str(number), kind, MOST_IN_A_ROW, dice, signal.SIGINT)


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_f4_a_run_that_was_stopped_and_continued_writes_nothing_more(
    tmp_path: Path, kind: Kind
) -> None:
    """The second run takes over when the lease of the first has run out; the first comes back."""
    dice = Random(f"stop {kind}")  # noqa: S311 - to be repeated
    for number in range(STOPS):
        arena = Arena(tmp_path / str(number), kind)
        with ForeignWorkers(arena.here) if kind == "mailbox" else nullcontext():
            with arena.start("--lease", "1") as first:
                assert first.stdout
                first.stdout.readline()
                time.sleep(dice.uniform(0.0, LIFE))
                first.send_signal(signal.SIGSTOP)
                second = arena.start()
                time.sleep(dice.uniform(0.5, 3.0))
                first.send_signal(signal.SIGCONT)
                printed, _ = second.communicate(timeout=PATIENCE)
                late, _ = first.communicate(timeout=PATIENCE)
            assert first.returncode in (0, 1), late
            if arena.outcome()["status"] != "completed":  # the first one had the plan still
                arena.run()
        arena.check()
        assert "Traceback" not in printed + late


@pytest.mark.soak
@pytest.mark.slow
@ON_LINUX
def test_f12_a_killed_orchestrator_leaves_no_worker_behind(tmp_path: Path) -> None:
    """Workers that fork, ignore TERM, flood the output, or leave their group, four at a time."""
    rules = [rule.replace("exit 0", "sleep 60") for rule in LEAVING.values()]
    for number in range(ROUNDS):
        chosen = [rules[(number + n) % len(rules)].replace("pids", f"pids-{n}") for n in range(4)]
        arena = Arena(tmp_path / str(number), "shell")
        tasks = (f"- [ ] T{n}\n  - run: {chosen[n]}\n  - files: pids-{n}\n" for n in range(4))
        last = "- [ ] Last\n  - needs: 1, 2, 3, 4\n  - run: echo last\n"
        (arena.here / "plan.md").write_text("# Nasty workers\n\n" + "".join((*tasks, last)))
        files = [arena.here / f"pids-{n}" for n in range(4)]
        with arena.start(output=subprocess.DEVNULL) as process:
            have_begun = wait_for(lambda: all(map(numbers_in, files)))  # noqa: B023 - called now
            process.kill()
        assert have_begun, chosen
        begun = [pid for file in files for pid in numbers_in(file)]
        assert wait_for(lambda: not any(map(is_alive, begun))), chosen  # noqa: B023
        assert wait_for(lambda: arena.left_behind() == []), arena.left_behind()  # noqa: B023


def numbers_in(file: Path) -> list[int]:
    return [int(word) for word in file.read_text().split()] if file.exists() else []
