"""The goals of plans in memory and of starting a process, with what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench.contenders import DECIDE_APPLY, GRAPHLIB, PLAN_MANAGER
from bench.measure import MICRO, TIMES, count, figure, times
from bench.plans import SHAPES
from bench.startup import GOAL as IMPORT_LIMIT
from bench.verdicts import at_least, at_most, judged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.contenders import Contender
    from bench.measure import Sample
    from bench.startup import Startup
    from bench.verdicts import Row

    Samples = Mapping[tuple[str, int, str], Sample]

SIZE: Final = 10_000  # the size that the goals are stated for
_PEER_SIZE: Final = 1_000

_PAIR_LIMITS: Final = ((DECIDE_APPLY, 5.0, 2.0), (PLAN_MANAGER, 15.0, 6.0))  # µs, multiples
_PEER_LIMIT: Final = 500.0
_MEMORY_LIMIT: Final = 1_000.0


def memory_goals(
    samples: Samples, memory: Mapping[str, float], startup: Startup, size: int, peer: Contender
) -> str:
    """Return the goals table and, below it, how many of its verdicts are good."""
    weights = {shape: at_most(memory[shape], _MEMORY_LIMIT, _bytes) for shape in SHAPES}
    limit = f"≤ {count(round(_MEMORY_LIMIT))} B"
    rows = [
        *pair_goals(samples, size),
        peer_goal(samples, peer),
        _row("memory per task beyond its text", limit, weights),
        *start_goals(startup),
    ]
    return judged(list(SHAPES), rows)


def start_goals(startup: Startup) -> list[Row]:
    return [
        [
            "a process with a ready PlanManager",
            f"≤ {IMPORT_LIMIT:.0f} {TIMES} py",
            at_most(startup.ratio(), IMPORT_LIMIT, times),
        ],
        [
            "`import outlast` loads no third-party package",
            "0",
            at_most(len(startup.foreign), 0, lambda n: count(round(n))),
        ],
    ]


def pair_goals(samples: Samples, size: int) -> list[Row]:
    rows = []
    for contender, micros, ratio in _PAIR_LIMITS:
        best = {shape: samples[shape, size, contender.name].best for shape in SHAPES}
        what = f"{contender.name}, a pair at {count(size)} tasks"
        rows.append(
            _row(
                what,
                f"≤ {micros:.0f} µs",
                {s: at_most(value * MICRO, micros, _micros) for s, value in best.items()},
            )
        )
        against = {
            shape: at_most(_ratio(samples, shape, size, contender, GRAPHLIB), ratio, times)
            for shape in SHAPES
        }
        rows.append(_row(what, f"≤ {ratio:.0f} {TIMES} graphlib", against))
    return rows


def peer_goal(samples: Samples, peer: Contender) -> Row:
    found = {}
    for shape in SHAPES:
        ratio = _ratio(samples, shape, _PEER_SIZE, peer, PLAN_MANAGER)
        found[shape] = at_least(ratio, _PEER_LIMIT, times)
    return _row(
        f"{PLAN_MANAGER.name} faster than mcplanmanager at {count(_PEER_SIZE)} tasks",
        f"≥ {_PEER_LIMIT:.0f} {TIMES}",
        found,
    )


def _ratio(samples: Samples, shape: str, size: int, one: Contender, other: Contender) -> float:
    return samples[shape, size, one.name].best / samples[shape, size, other.name].best


def _row(what: str, limit: str, cells: Mapping[str, str]) -> Row:
    return [what, limit, *(cells[shape] for shape in SHAPES)]


def _bytes(value: float) -> str:
    return f"{figure(value)} B"


def _micros(value: float) -> str:
    return f"{figure(value)} µs"
