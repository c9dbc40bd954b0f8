"""Complete a task and take the next one, against peers: `./dev bench plan_ops [--quick]`.

Every contender does the same work on the same plans in the same run, in turn. CPU time, not wall
time; the best round counts, because noise only ever adds.
"""

from __future__ import annotations

import argparse
import gc
from importlib import import_module
from typing import TYPE_CHECKING, Final

from bench import startup
from bench.contenders import (
    CONTENDERS,
    DECIDE_APPLY,
    GRAPHLIB,
    OFTEN,
    OFTEN_UP_TO,
    PLAN,
    PLAN_MANAGER,
    race,
)
from bench.measure import TIMES, Sample, count, machine, micro, table, times, words
from bench.memory_goals import SIZE, memory_goals
from bench.operations import deep_chains, memory, operations
from bench.plans import SHAPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.contenders import Contender
    from bench.startup import Startup

    Samples = dict[tuple[str, int, str], Sample]

_SIZES: Final = (10, 1_000, 10_000, 100_000)
_QUICK_SIZES: Final = (10, 1_000)
_ROUNDS: Final = 7
_QUICK_ROUNDS: Final = 3
_OTHER_ROUNDS: Final = 3
_QUICK_STARTS: Final = 15
_GROWTH_GOAL: Final = (
    f"For plans on disk the goal is at most {times(1.2)} at 10 000 tasks and {times(1.5)} at "
    "100 000; plans in memory have none of their own. Ten tasks in ten layers are a chain: the "
    "larger layered plans also have twice the dependencies and visit memory in no order."
)
_NO_DEPENDENCIES: Final = (
    "mcplanmanager searches its whole list for every dependency of every pending task. The wide "
    "plan has no dependencies, so there it is only linear."
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench plan_ops")
    parser.add_argument("--quick", action="store_true", help="up to 1 000 tasks, few rounds")
    parser.add_argument("--rounds", type=int, help="how often the race is run")
    options = parser.parse_args()
    sizes = _QUICK_SIZES if options.quick else _SIZES
    rounds = options.rounds or (_QUICK_ROUNDS if options.quick else _ROUNDS)
    started = startup.measure(_QUICK_STARTS if options.quick else startup.ROUNDS)
    print(report(sizes, rounds, started, quick=options.quick), end="\n\n")
    print(started.report())


def report(sizes: Sequence[int], rounds: int, started: Startup, *, quick: bool) -> str:
    before = machine()
    gc.freeze()  # what is imported is no garbage that a contender should be charged for
    peers = import_module("bench.peer_contenders")  # not installed where the tests run
    contenders = (*CONTENDERS, *peers.PEERS)
    samples = race(sizes, rounds, contenders)
    size = min(SIZE, sizes[-1])
    weights, heaviest = memory([n for n in sizes if n >= size])
    parts = [
        f"{before} Best of {rounds * OFTEN} rounds, {rounds} above {count(OFTEN_UP_TO)} tasks.",
        "### Complete a task and take the next one, µs of CPU a pair",
        *(_race_table(samples, shape, sizes, contenders) for shape in SHAPES),
        "What each of them does in that time:",
        words(["", "does", "does not"], [[c.name, c.does, c.lacks] for c in contenders]),
        f"### Cost of a pair against the size of the plan, as a multiple of {sizes[0]} tasks",
        _growth_table(samples, sizes),
        _GROWTH_GOAL,
        "### Memory beyond the text",
        weights,
        "### Other operations, on the layered plan",
        operations(sizes, _OTHER_ROUNDS),
        "### Long chains",
        deep_chains(patient=not quick),
        "### Goals",
        memory_goals(samples, heaviest, started, size, peers.MCPLANMANAGER),
        _NO_DEPENDENCIES,
    ]
    return "\n\n".join(parts)


def _race_table(
    samples: Samples, shape: str, sizes: Sequence[int], contenders: Sequence[Contender]
) -> str:
    rows = []
    for contender in contenders:
        row = [contender.name]
        for n in sizes:
            if n > contender.largest:
                row += ["—", ""]
                continue
            sample = samples[shape, n, contender.name]
            reference = samples[shape, n, GRAPHLIB.name]
            row += [
                f"{micro(sample.best)} ({micro(sample.median)})",
                times(sample.best / reference.best),
            ]
        rows.append(row)
    head = [f"{shape}: best (median)"]
    for n in sizes:
        head += [count(n), f"{TIMES} graphlib"]
    return table(head, rows)


def _growth_table(samples: Samples, sizes: Sequence[int]) -> str:
    rows = []
    for contender in (DECIDE_APPLY, PLAN, PLAN_MANAGER, GRAPHLIB):
        for shape in SHAPES:
            smallest = samples[shape, sizes[0], contender.name].best
            grown = [samples[shape, n, contender.name].best / smallest for n in sizes[1:]]
            rows.append([contender.name, shape, *map(times, grown)])
    return table(["", "shape", *map(count, sizes[1:])], rows, labels=2)


if __name__ == "__main__":
    main()
