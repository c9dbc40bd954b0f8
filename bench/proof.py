"""Work that is reported done and is not: `./dev bench proof [--write]`.

Each of twenty small projects has a task with a check, and tries to pass the task off as done
through one interface. A task that is then shown as proved was accepted by mistake.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench.measure import words, write
from bench.planted import PLANTED
from bench.projects import Project
from outlast.system.caller import HOST_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Callable

PROVED: Final = "proved"
LET_IN: Final = "**accepted**"


@dataclass(frozen=True)
class Outcome:
    """What was tried and what came of it."""

    tried: str
    verdict: str

    @property
    def kept_out(self) -> bool:
        return self.verdict != LET_IN


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench proof")
    parser.add_argument("--write", action="store_true", help="put the table into the docs")
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        os.environ["XDG_STATE_HOME"] = str(Path(scratch) / "state")
        for name in HOST_VARIABLES:  # the attempts name their actor
            os.environ.pop(name, None)
        outcomes = run(Path(scratch))
    text = report(outcomes)
    print(text)
    if options.write:
        write("proof", text)
    sys.exit(0 if all(outcome.kept_out for outcome in outcomes) else 1)


def run(scratch: Path) -> list[Outcome]:
    """Try everything, each in a project of its own."""
    return [
        Outcome(tried, verdict(scratch / str(number) / "project", plant))
        for number, (tried, plant) in enumerate(PLANTED.items(), 1)
    ]


def verdict(root: Path, plant: Callable[[Project], None]) -> str:
    """Tell how the task stands, as anybody sees it who opens the plan afterwards."""
    root.mkdir(parents=True)
    project = Project(root)
    plant(project)
    with project.again() as plan:
        status, label = plan.task(1).status, plan.checks.proof(1).label
    if status == "completed":
        return LET_IN if label == PROVED else f"labelled {label}"
    return f"refused {project.codes[0]}" if project.codes else LET_IN


def report(outcomes: list[Outcome]) -> str:
    kept_out = sum(outcome.kept_out for outcome in outcomes)
    rows = [[outcome.tried, outcome.verdict] for outcome in outcomes]
    return (
        f"{words(['what was tried', 'what Outlast did'], rows)}\n\n"
        f"{kept_out} of {len(outcomes)} refused or labelled, "
        f"{len(outcomes) - kept_out} silently accepted"
    )


if __name__ == "__main__":
    main()
