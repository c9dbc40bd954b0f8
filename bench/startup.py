"""What a process costs before it can use a plan: `./dev bench startup [--verbose]`.

Measured in a separate environment with outlast and its requirements only: other packages slow an
interpreter down, and msgspec loads `typing_extensions` if it is installed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import venv
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import outlast
from bench.measure import MICRO, TIMES, Sample, in_turn, machine, milli, table, times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

GOAL: Final = 5.0
ROUNDS: Final = 25

_READY: Final = "from outlast import PlanManager; PlanManager()"
_PY: Final = "`python -I -S -c pass`, called py"
_ALONE: Final = f"`{_READY}`"
_CROWDED: Final = "the same in the environment of the benchmarks"
_LOADED: Final = (
    "import sys; before = set(sys.modules); import outlast; "
    "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
)
_SHOWN: Final = 25


@dataclass(frozen=True)
class Startup:
    """CPU seconds by process, third-party packages that `import outlast` loads, µs by module."""

    where: str
    samples: dict[str, Sample]
    foreign: list[str]
    costs: Counter[str]

    def ratio(self, name: str = _ALONE) -> float:
        return self.samples[name].best / self.samples[_PY].best

    def report(self) -> str:
        verdict = "reached" if self.ratio() <= GOAL else "**missed**"
        return (
            f"{self.where}\n\n{self._show()}\n\n"
            f"A ready PlanManager costs {times(self.ratio())} py; the goal of at most "
            f"{times(GOAL)} is {verdict}. Third-party packages that `import outlast` loads: "
            f"{', '.join(self.foreign) or 'none'}."
        )

    def _show(self) -> str:
        rows = [
            [name, milli(sample.best), milli(sample.median), times(self.ratio(name))]
            for name, sample in self.samples.items()
        ]
        return table(["process", "CPU ms, best", "median", f"{TIMES} py"], rows)

    def show_costs(self) -> str:
        """Return what each module costs by itself: ours, then the others that weigh most."""
        ours = Counter({name: c for name, c in self.costs.items() if name.startswith("outlast")})
        others = self.costs - ours
        rows = [*ours.most_common(), ("all of ours", ours.total()), *others.most_common(_SHOWN)]
        return table(["module", "ms by itself"], [[name, milli(c / MICRO)] for name, c in rows])


def measure(rounds: int = ROUNDS) -> Startup:
    """Run each process in every round, with its bytecode cached."""
    where = machine()
    with clean_environment() as python:
        commands = {
            _PY: (python, "-I", "-S", "-c", "pass"),
            "`python -c pass` in a clean environment": (python, "-c", "pass"),
            "`import typing`, for comparison": (python, "-c", "import typing"),
            "`import msgspec`, for comparison": (python, "-c", "import msgspec"),
            "`import outlast`": (python, "-c", "import outlast"),
            _ALONE: (python, "-c", _READY),
            _CROWDED: (sys.executable, "-c", _READY),
        }
        runs = {name: timed(command) for name, command in commands.items()}
        in_turn(runs, 1)  # writes the bytecode
        samples = in_turn(runs, rounds)
        loaded = _output(python, "-c", _LOADED).stdout.split()
        costs = _costs(_output(python, "-X", "importtime", "-c", _READY).stderr)
    foreign = [name for name in loaded if name not in {*sys.stdlib_module_names, "outlast"}]
    return Startup(where, samples, foreign, costs)


@contextmanager
def clean_environment() -> Iterator[str]:
    """Make an environment with outlast and what it requires; yield its interpreter."""
    with TemporaryDirectory() as place:
        venv.create(place, symlinks=True)
        site = next(Path(place).glob("lib/python*/site-packages"))
        packages = {Path(outlast.__file__).parent}
        for name in _required_by("outlast"):
            files = metadata.files(name) or []
            packages |= {Path(str(f.locate())).parent for f in files if _is_package(f.parts)}
        for package in packages:
            (site / package.name).symlink_to(package)
        yield f"{place}/bin/python"


def _is_package(parts: Sequence[str]) -> bool:
    return parts[1:] == ("__init__.py",)


def _required_by(name: str) -> set[str]:
    found = set()
    for requirement in metadata.requires(name) or []:
        match = re.match(r"[\w.-]+", requirement)
        if match and "extra ==" not in requirement:
            found |= {match[0]} | _required_by(match[0])
    return found


def _environ() -> dict[str, str]:
    """Return the variables without those that change how an interpreter starts."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def timed(
    command: tuple[str, ...], environ: Mapping[str, str] | None = None
) -> Callable[[], float]:
    """Return what runs a command once, unseen, and says its CPU seconds."""
    wanted = _environ() if environ is None else environ
    unseen = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]

    def run() -> float:
        child = os.posix_spawnp(command[0], command, wanted, file_actions=unseen)
        _, status, usage = os.wait4(child, 0)
        if status:
            raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), command)
        return usage.ru_utime + usage.ru_stime

    return run


def _output(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own interpreter, with arguments written out above
        command, env=_environ(), capture_output=True, text=True, check=True
    )


def _costs(report: str) -> Counter[str]:
    """Read what `-X importtime` wrote: microseconds of each module by itself."""
    found: Counter[str] = Counter()
    for cost, name in re.findall(
        r"^import time:\s*(\d+) \|\s*\d+ \|\s*(\S+)$", report, re.MULTILINE
    ):
        found[name] += int(cost)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench startup")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each is run")
    parser.add_argument("--verbose", action="store_true", help="also list modules by cost")
    options = parser.parse_args()
    found = measure(options.rounds)
    print(found.report())
    if options.verbose:
        print(f"\n{found.show_costs()}")


if __name__ == "__main__":
    main()
