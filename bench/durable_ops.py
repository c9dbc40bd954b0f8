"""A plan on disk: `./dev bench durable_ops [--quick] [--peers] [--profile]`.

What a task completed and the next one got costs before the sync, what an acknowledged operation
costs with it, and what many writers make of one plan.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
from typing import TYPE_CHECKING, Final

from bench import acknowledged, pairs, peers, writers
from bench.durable import HastyDisk, durable
from bench.measure import MICRO, TIMES, count, figure, machine, times
from bench.pairs import ASK, GRAPHLIB, OFTEN, OFTEN_UP_TO, ON_DISK, START
from bench.plans import RESULT
from bench.verdicts import at_least, at_most, judged
from bench.writers import ALL_PROCESSES, TASKS, THREADS, WRITERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.acknowledged import Acknowledged
    from bench.pairs import Pairs
    from bench.verdicts import Row
    from bench.writers import Writers

SIZE: Final = 10_000  # the size that the goals are stated for
_SIZES: Final = (10, 1_000, 10_000, 100_000)
_QUICK_SIZES: Final = (10, 1_000)
_ROUNDS: Final = 5
_QUICK_ROUNDS: Final = 2
_OPERATIONS: Final = 1_000
_QUICK_OPERATIONS: Final = 100
_EACH: Final = 50  # commits of one of many writers
_EACH_PROCESS: Final = 200

_MICROS: Final = 25.0
_OF_GRAPHLIB: Final = 10.0
_BYTES: Final = 300.0
_GROWTH: Final = {10_000: 1.2, 100_000: 1.5}
_ABOVE: Final = 30.0  # µs
_SHARE: Final = 0.7
_PROCESS_GAIN: Final = 0.8


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench durable_ops")
    parser.add_argument("--quick", action="store_true", help="up to 1 000 tasks, few rounds")
    parser.add_argument("--rounds", type=int, help="how often the plans are completed")
    parser.add_argument("--peers", action="store_true", help="measure other programs as well")
    parser.add_argument("--profile", action="store_true", help="only show where the time goes")
    options = parser.parse_args()
    if options.profile:
        profile()
        return
    sizes = _QUICK_SIZES if options.quick else _SIZES
    rounds = options.rounds or (_QUICK_ROUNDS if options.quick else _ROUNDS)
    print(report(sizes, rounds, _QUICK_OPERATIONS if options.quick else _OPERATIONS))
    if options.peers:
        print(f"\n{peers.report(sizes)}")


def report(
    sizes: Sequence[int],
    rounds: int,
    operations: int,
    each: int = _EACH,
    each_process: int = _EACH_PROCESS,
) -> str:
    before = machine()
    gc.freeze()  # what is imported is no garbage that a plan should be charged for
    found = pairs.measure(sizes, rounds)
    single = acknowledged.measure(operations)
    many = writers.measure(rounds, each, each_process)
    goals = [*pair_goals(found, sizes), *sync_goals(single), *writer_goals(many)]
    parts = [
        f"{before} Best of {rounds * OFTEN} rounds, {rounds} above {count(OFTEN_UP_TO)} tasks.",
        "### Complete a task and get the next one, µs of CPU a pair before the sync",
        pairs.show(found, sizes),
        "### An acknowledged operation",
        single.show(),
        "### Many writers on one plan",
        many.show(),
        "### Goals",
        judged(list(ON_DISK), goals),
    ]
    return "\n\n".join(parts)


def pair_goals(found: Pairs, sizes: Sequence[int], ways: Sequence[str] = (ASK, START)) -> list[Row]:
    size = min(SIZE, sizes[-1])
    rows = []
    for way in ways:
        best = {shape: found.best(shape, size, way) for shape in ON_DISK}
        floor = {shape: found.best(shape, size, GRAPHLIB) for shape in ON_DISK}
        rows += [
            [
                f"{way}, {count(size)} tasks",
                f"≤ {_MICROS:.0f} µs",
                *(at_most(best[shape] * MICRO, _MICROS, _micros) for shape in ON_DISK),
            ],
            [
                f"{way}, {count(size)} tasks",
                f"≤ {_OF_GRAPHLIB:.0f} {TIMES} graphlib",
                *(at_most(best[s] / floor[s], _OF_GRAPHLIB, times) for s in ON_DISK),
            ],
        ]
    return [*rows, _of_bytes(found, size), *_of_growth(found, sizes)]


def _of_bytes(found: Pairs, size: int) -> Row:
    text = len(RESULT.encode())
    journal = {shape: found.bytes[shape, size, ASK].journal - text for shape in ON_DISK}
    return [
        f"{ASK}: bytes of journal beyond the caller's text",
        f"≤ {_BYTES:.0f} B",
        *(at_most(journal[shape], _BYTES, _bytes) for shape in ON_DISK),
    ]


def _of_growth(found: Pairs, sizes: Sequence[int]) -> list[Row]:
    smallest = {shape: found.best(shape, sizes[0], ASK) for shape in ON_DISK}
    return [
        [
            f"{ASK}: {count(n)} tasks against {sizes[0]}",
            f"≤ {limit} {TIMES}",
            *(at_most(found.best(s, n, ASK) / smallest[s], limit, times) for s in ON_DISK),
        ]
        for n, limit in _GROWTH.items()
        if n in sizes
    ]


def sync_goals(single: Acknowledged) -> list[Row]:
    exactly = at_most(abs(single.syncs - 1), 0, lambda _: figure(single.syncs))
    return [
        ["syncs of an acknowledged commit", "= 1", exactly],
        [
            "CPU of a commit above a bare append, neither synced",
            f"≤ {_ABOVE:.0f} µs",
            at_most(single.unsynced * MICRO, _ABOVE, _micros),
        ],
        [
            "CPU of a commit above a bare append, both synced",
            f"≤ {_ABOVE:.0f} µs",
            at_most(single.above * MICRO, _ABOVE, _micros),
        ],
    ]


def writer_goals(many: Writers) -> list[Row]:
    rows = [
        [
            f"{name}: share of the possible gain of {WRITERS}",
            f"≥ {_SHARE:.0%}",
            at_least(many.gain(name) / many.ideal, _SHARE, "{:.0%}".format),
        ]
        for name in (THREADS, TASKS)
    ]
    gain = at_least(many.gain(ALL_PROCESSES), _PROCESS_GAIN, times)
    lost = at_most(many.lost, 0, lambda n: count(round(n)))
    return [
        *rows,
        [f"{ALL_PROCESSES} against one writer", f"≥ {_PROCESS_GAIN} {TIMES}", gain],
        ["acknowledged commits lost", "0", lost],
    ]


def profile(size: int = SIZE, lines: int = 40) -> None:
    """Show which functions the time of the pairs goes into."""
    with durable(ON_DISK["layered"](size), HastyDisk()) as made:
        watch = cProfile.Profile()
        watch.runcall(pairs.work_off, made.plan)
    print(f"{count(size)} pairs on the layered plan, by each function's own time:")
    pstats.Stats(watch).sort_stats("tottime").print_stats(lines)


def _micros(value: float) -> str:
    return f"{figure(value)} µs"


def _bytes(value: float) -> str:
    return f"{figure(value)} B"


if __name__ == "__main__":
    main()
