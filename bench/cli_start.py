"""What a command costs from start to end: `./dev bench cli_start [--quick] [--peers]`.

Each is run as an installed command in an environment that holds outlast and what it requires, on a
plan with half of its tasks done. CPU time of the whole process, against `python -I -S -c pass`.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import chdir
from dataclasses import dataclass
from itertools import count as counting
from pathlib import Path
from typing import TYPE_CHECKING, Final

import outlast
from bench import peers
from bench.durable import KEY, scratch
from bench.measure import TIMES, Sample, count, in_turn, machine, milli, table, times
from bench.plans import GOAL, RESULT, layered, new_tasks
from bench.startup import clean_environment, timed
from bench.verdicts import at_most, judged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.verdicts import Row

PY: Final = "`python -I -S -c pass`, called py"
SIZE: Final = 1_000
_ROUNDS: Final = 25
_QUICK_ROUNDS: Final = 5
_FAST: Final = ("next", "done")
_OTHER: Final = ("show", "list", "log", "add")
_FAST_LIMIT: Final = 8.0
_OTHER_LIMIT: Final = 14.0


@dataclass(frozen=True)
class Commands:
    """CPU seconds by command."""

    samples: dict[str, Sample]

    def ratio(self, name: str) -> float:
        return self.samples[name].best / self.samples[PY].best

    def show(self) -> str:
        rows = [
            [name, milli(sample.best), milli(sample.median), times(self.ratio(name))]
            for name, sample in self.samples.items()
        ]
        return table(["process", "CPU ms, best", "median", f"{TIMES} py"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench cli_start")
    parser.add_argument("--quick", action="store_true", help="few rounds")
    parser.add_argument("--rounds", type=int, help="how often each is run")
    parser.add_argument("--peers", action="store_true", help="measure other programs as well")
    options = parser.parse_args()
    rounds = options.rounds or (_QUICK_ROUNDS if options.quick else _ROUNDS)
    text = report(rounds)
    if options.peers:
        text += f"\n\n{peers.commands(SIZE)}"
    print(text)


def report(rounds: int, size: int = SIZE) -> str:
    before = machine()
    found = measure(rounds, size)
    return (
        f"{before} Best of {rounds} rounds, {count(size)} tasks.\n\n"
        f"{found.show()}\n\n{judged(['CPU'], command_goals(found, size))}"
    )


def command_goals(found: Commands, size: int) -> list[Row]:
    return [*_goals(found, _FAST, _FAST_LIMIT, size), *_goals(found, _OTHER, _OTHER_LIMIT, size)]


def _goals(found: Commands, names: Sequence[str], limit: float, size: int) -> list[Row]:
    return [
        [
            f"`outlast {name}` at {count(size)} tasks",
            f"≤ {limit:.0f} {TIMES} py",
            at_most(found.ratio(_shown(name)), limit, times),
        ]
        for name in names
    ]


def measure(rounds: int, size: int) -> Commands:
    """Run each command in every round, with its bytecode cached."""
    with clean_environment() as python, scratch() as place, chdir(place):
        program = _installed(python)
        _plan(place, size)
        done = counting(size // 2 + 1)
        arguments: dict[str, Callable[[], tuple[str, ...]]] = {
            "next": lambda: (),
            "done": lambda: (str(next(done)), "-m", RESULT),
            "show": lambda: (),
            "list": lambda: (),
            "log": lambda: (),
            "add": lambda: ("One more",),
        }
        runs: dict[str, Callable[[], float]] = {PY: timed((python, "-I", "-S", "-c", "pass"))}
        runs |= {_shown(name): _run(program, name, more) for name, more in arguments.items()}
        in_turn(runs, 1)  # writes the bytecode
        return Commands(in_turn(runs, rounds))


def _shown(name: str) -> str:
    return f"`outlast {name}`"


def _run(program: str, name: str, more: Callable[[], tuple[str, ...]]) -> Callable[[], float]:
    def run() -> float:
        return timed((program, name, *more()))()

    return run


def _installed(python: str) -> str:
    """Write the command as pip wrote it for this environment."""
    original = Path(sys.executable).with_name("outlast").read_text(encoding="utf-8")
    program = Path(python).with_name("outlast")
    program.write_text(f"#!{python}\n{original.partition(chr(10))[2]}", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


def _plan(place: Path, size: int) -> None:
    with outlast.create_plan(str(place), GOAL, KEY) as plan:
        plan.add_all(new_tasks(layered(size)))
        for task in range(1, size // 2 + 1):
            plan.complete(task, RESULT)


if __name__ == "__main__":
    main()
