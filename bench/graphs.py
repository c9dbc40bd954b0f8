"""Random plans for schedulers: who waits for whom, how long each task takes, how fast it could be.

The schedules here are arithmetic and cost nothing; `bench.makespan` compares real runs with them.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bench.plans import Dependencies

MEDIAN_SECONDS: Final = 10.0
SPREAD: Final = 1.0  # of the logarithm: one task in six takes more than e times the median
_WINDOW: Final = 20
_GROUP: Final = (5, 15)


def sparse(n: int, dice: Random) -> Dependencies:
    """Return a plan whose tasks wait for up to three of the twenty before them."""
    found: Dependencies = {}
    for task in range(1, n + 1):
        earlier = range(max(1, task - _WINDOW), task)
        count = min(dice.choice((0, 1, 1, 2, 3)), len(earlier))
        found[task] = tuple(sorted(dice.sample(earlier, count)))
    return found


def layered(n: int, dice: Random) -> Dependencies:
    """Return a plan of as many layers as a layer has tasks; each waits for two above it."""
    width = max(2, math.isqrt(n))
    found: Dependencies = {}
    for task in range(1, n + 1):
        begin = task - (task - 1) % width
        above = range(max(1, begin - width), begin)
        found[task] = tuple(sorted(dice.sample(above, min(2, len(above)))))
    return found


def fork_join(n: int, dice: Random) -> Dependencies:
    """Return a plan of groups of tasks, each group between two tasks that stand alone."""
    found: Dependencies = {1: ()}
    while len(found) < n:
        join = len(found)
        group = range(join + 1, min(join + dice.randint(*_GROUP), n) + 1)
        found.update(dict.fromkeys(group, (join,)))
        if len(found) < n:
            found[len(found) + 1] = tuple(group)
    return found


KINDS: Final[Mapping[str, Callable[[int, Random], Dependencies]]] = {
    "sparse": sparse,
    "layered": layered,
    "fork-join": fork_join,
}


@dataclass(frozen=True)
class Graph:
    """A plan and the seconds that each of its tasks takes."""

    waits: Dependencies
    seconds: dict[int, float]

    @cached_property
    def followers(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {task: [] for task in self.waits}
        for task, waits_for in self.waits.items():
            for earlier in waits_for:
                found[earlier].append(task)
        return found

    @property
    def work(self) -> float:
        """The seconds of all tasks, one after the other."""
        return sum(self.seconds.values())

    def bound(self, parallel: int) -> float:
        """Return the seconds below which no schedule can get."""
        return max(*self._remaining(self.seconds).values(), self.work / parallel)

    def greedy(self, parallel: int) -> float:
        """Return the seconds of a scheduler that costs nothing and knows no durations.

        Whenever there is room it starts the ready task with the most tasks in a row behind it.
        """
        hops = self._remaining(dict.fromkeys(self.waits, 1.0))
        open_needs = {task: len(waits_for) for task, waits_for in self.waits.items()}
        ready = [(-hops[task], task) for task, needs in open_needs.items() if not needs]
        heapq.heapify(ready)
        running, now = list[tuple[float, int]](), 0.0
        while ready or running:
            while ready and len(running) < parallel:
                task = heapq.heappop(ready)[1]
                heapq.heappush(running, (now + self.seconds[task], task))
            now, task = heapq.heappop(running)
            for follower in self.followers[task]:
                open_needs[follower] -= 1
                if not open_needs[follower]:
                    heapq.heappush(ready, (-hops[follower], follower))
        return now

    def by_level(self, parallel: int) -> float:
        """Return the seconds if each level of the graph has to end before the next one begins."""
        levels: dict[int, list[int]] = {}
        depth: dict[int, int] = {}
        for task, waits_for in self.waits.items():
            depth[task] = 1 + max((depth[earlier] for earlier in waits_for), default=0)
            levels.setdefault(depth[task], []).append(task)
        return sum(self._side_by_side(tasks, parallel) for tasks in levels.values())

    def _side_by_side(self, tasks: list[int], parallel: int) -> float:
        ends = [0.0] * min(parallel, len(tasks))
        for task in tasks:
            heapq.heapreplace(ends, ends[0] + self.seconds[task])
        return max(ends)

    def _remaining(self, costs: dict[int, float]) -> dict[int, float]:
        """Return the cost of the longest path that begins with each task."""
        found: dict[int, float] = {}
        for task in reversed(self.waits):
            behind = (found[follower] for follower in self.followers[task])
            found[task] = costs[task] + max(behind, default=0.0)
        return found


def random_graph(kind: str, n: int, seed: int) -> Graph:
    """Return a graph that is the same in every run."""
    dice = Random(f"{kind} {n} {seed}")  # noqa: S311 - to be repeated
    waits = KINDS[kind](n, dice)
    seconds = {task: dice.lognormvariate(math.log(MEDIAN_SECONDS), SPREAD) for task in waits}
    return Graph(waits, seconds)
