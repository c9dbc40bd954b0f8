"""A short command through the `bash` tool and through a check, beside the bare process.

The command is an interpreter that does nothing. Each is run in turn, so that noise meets all alike.
The usual run counts: a wait that only most commands have is not seen in the best one.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from functools import partial
from shlex import join
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench.measure import TIMES, in_turn, milli, table, times
from bench.verdicts import at_most, judged
from outlast.agent.tools.shell.bash import Bash
from outlast.proof.checks.programs import SHELL, CheckRunner
from outlast.proof.checks.workspace_files import WorkspaceFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.measure import Sample
    from bench.verdicts import Row

COMMAND: Final = join((sys.executable, "-I", "-S", "-c", "pass"))
ROUNDS: Final = 60
BARE: Final = "the bare process"
TOOL: Final = "the tool `bash`"
CHECK: Final = "a check"
_LIMIT: Final = 2.0


def measure(rounds: int = ROUNDS, command: str = COMMAND) -> dict[str, Sample]:
    """Return the seconds from the start of a command until its outcome is known."""
    with TemporaryDirectory() as place, asyncio.Runner() as runner:
        tool, checks = Bash(place), CheckRunner(WorkspaceFiles(place), 60.0)

        def run_bare() -> None:
            subprocess.run((*SHELL, command), cwd=place, capture_output=True, check=True)  # noqa: S603 - our own

        def run_tool() -> None:
            runner.run(tool.run({"command": command}))

        def run_check() -> None:
            if checks.run((*SHELL, command)).code:
                raise AssertionError(command)

        ways = {BARE: run_bare, TOOL: run_tool, CHECK: run_check}
        runs = {name: partial(_seconds, way) for name, way in ways.items()}
        in_turn(runs, 2)  # imports
        return in_turn(runs, rounds)


def _seconds(work: Callable[[], None]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def command_goals(found: dict[str, Sample]) -> list[Row]:
    """Return the row of the goal."""
    bare = found[BARE].median
    return [
        [
            f"a short command through {name}, against {BARE}",
            f"≤ {_LIMIT:.0f} {TIMES}",
            at_most(found[name].median / bare, _LIMIT, times),
        ]
        for name in (TOOL, CHECK)
    ]


def report() -> str:
    found = measure()
    rows = [[name, milli(each.best), milli(each.median)] for name, each in found.items()]
    shown = table(["a short command", "ms, best", "median"], rows)
    return f"{shown}\n\n{judged(['measured'], command_goals(found))}"


if __name__ == "__main__":
    print(report())
