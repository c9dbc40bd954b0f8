"""How long a plan takes: the real orchestrator and its driver, with simulated agents, on disk.

An agent sleeps as long as its task takes, on an event loop that skips sleeps: what the orchestrator
itself takes counts as it is. The other columns are arithmetic, and cost nothing. Nobody knows how
long a task will take.
"""

from __future__ import annotations

import argparse
import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import median
from typing import TYPE_CHECKING, Final

from bench.durable import scratch
from bench.graphs import KINDS, MEDIAN_SECONDS, Graph, random_graph
from bench.measure import cpu, figure, in_turn, machine, milli, table, times, write
from bench.skipping_loop import SkippingLoop
from bench.verdicts import at_most, judged
from outlast import NewTask, create_plan
from outlast.agent.work import Report, WorkResult
from outlast.orchestrator.orchestrator_loop import OrchestratorLoop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.plans import Dependencies
    from bench.verdicts import Row
    from outlast.agent.work import WorkOrder, WorkProgress

GRAPHS: Final = 10
SIZES: Final = (50, 200)
PARALLEL: Final = (4, 16)
OVERHEAD_SIZES: Final = (50, 500)
_GOAL: Final = "Work the plan off"
_KEY: Final = "bench"
_ROUNDS: Final = 3
_GREEDY: Final = 1.01
_BOUND: Final = 1.07
_GROWTH: Final = 1.25  # that noise may cause


class Sleeper:
    """An agent that does nothing for as long as a task takes."""

    name = "sleeper"

    def __init__(self, seconds: dict[int, float]) -> None:
        self._seconds = seconds

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        del progress
        await asyncio.sleep(self._seconds[order.task])
        return WorkResult(Report("SUCCESS", results="done"))

    async def settle(self, order: str, session: str) -> WorkResult | None:
        del order, session
        return None

    async def end_session(self, session: str) -> None:
        del session


@contextmanager
def stored_plan(waits: Dependencies) -> Iterator[Path]:
    """Make a plan on disk whose tasks share no file."""
    with scratch() as place:
        with create_plan(place, _GOAL, _KEY, actor="agent") as plan:
            plan.add_all(
                NewTask(f"Task number {task}", peers=waits_for, files=(f"{task}.txt",))
                for task, waits_for in waits.items()
            )
        yield place


def carry_out(graph: Graph, parallel: int) -> float:
    """Return the seconds that a run takes, as its event loop counts them."""

    async def work() -> float:
        clock = asyncio.get_running_loop().time
        begun = clock()
        longest = 2 * max(graph.seconds.values()) + 1
        run = OrchestratorLoop(
            agent=Sleeper(graph.seconds),
            parallel=parallel,
            timeout=longest,
            workdir=place,
            key=_KEY,
        )
        ended = await run.run(_GOAL)
        if ended.status != "completed":
            raise AssertionError(ended.text)
        return clock() - begun

    with stored_plan(graph.waits) as place, asyncio.Runner(loop_factory=SkippingLoop) as runner:
        return runner.run(work())


@dataclass(frozen=True)
class Makespans:
    """Seconds of equal graphs, in each way, by graph."""

    ours: list[float]
    greedy: list[float]
    by_level: list[float]
    sequential: list[float]
    bound: list[float]

    def against_greedy(self) -> float:
        """Return the worst ratio to a greedy schedule that costs nothing."""
        return max(ours / ideal for ours, ideal in zip(self.ours, self.greedy, strict=True))

    def against_bound(self, seconds: Sequence[float]) -> list[float]:
        """Return the ratios to what no schedule can beat."""
        return [value / least for value, least in zip(seconds, self.bound, strict=True)]


Found = dict[tuple[str, int, int], Makespans]


def measure(
    graphs: int = GRAPHS, sizes: Sequence[int] = SIZES, parallel: Sequence[int] = PARALLEL
) -> Found:
    """Carry out random graphs of each kind and size."""
    found: Found = {}
    for kind, size in product(KINDS, sizes):
        made = [random_graph(kind, size, seed) for seed in range(graphs)]
        for agents in parallel:
            found[kind, size, agents] = Makespans(
                [carry_out(graph, agents) for graph in made],
                [graph.greedy(agents) for graph in made],
                [graph.by_level(agents) for graph in made],
                [graph.work for graph in made],
                [graph.bound(agents) for graph in made],
            )
    return found


def task_cost(size: int) -> float:
    """Return the CPU seconds that the orchestrator spends on a task whose agent takes no time."""
    graph = random_graph("sparse", size, 0)
    idle = Graph(graph.waits, dict.fromkeys(graph.seconds, 0.0))
    return cpu(partial(carry_out, idle, PARALLEL[0])) / size


def measure_overhead(sizes: Sequence[int], rounds: int = _ROUNDS) -> dict[int, float]:
    """Return the cost of a task in plans of different sizes."""
    task_cost(sizes[0])  # imports
    found = in_turn({size: partial(task_cost, size) for size in sizes}, rounds)
    return {size: sample.best for size, sample in found.items()}


def makespan_goals(found: Found, overhead: dict[int, float]) -> list[Row]:
    """Return the row of each goal of parallel execution."""
    greedy = max(each.against_greedy() for each in found.values())
    bound = median(ratio for each in found.values() for ratio in each.against_bound(each.ours))
    small, large = min(overhead), max(overhead)
    growth = overhead[large] / overhead[small]
    return [
        ["makespan against a greedy schedule", f"≤ {times(_GREEDY)}", _judge(greedy, _GREEDY)],
        ["makespan against the bound, median", f"≤ {times(_BOUND)}", _judge(bound, _BOUND)],
        [
            f"orchestrator: CPU of a task, {large} tasks against {small}",
            "does not grow",
            at_most(growth, _GROWTH, times),
        ],
    ]


def _judge(ratio: float, limit: float) -> str:
    return at_most(ratio, limit, lambda value: f"{value:.3f}")


def report(graphs: int = GRAPHS, sizes: Sequence[int] = SIZES, rounds: int = _ROUNDS) -> str:
    """Return all figures as tables."""
    found, overhead = measure(graphs, sizes), measure_overhead(OVERHEAD_SIZES, rounds)
    rows = [
        [
            f"{kind}, {size} tasks, {agents} agents",
            f"{each.against_greedy():.4f}",
            *(
                figure(median(each.against_bound(seconds)))
                for seconds in (each.ours, each.by_level, each.sequential)
            ),
        ]
        for (kind, size, agents), each in found.items()
    ]
    head = [
        f"{graphs} random plans each, a task takes {figure(MEDIAN_SECONDS)} s at the median",
        "outlast / greedy, worst",
        "outlast / bound, median",
        "level by level / bound",
        "sequential / bound",
    ]
    costs = [[f"{size} tasks", milli(seconds)] for size, seconds in overhead.items()]
    return "\n\n".join(
        (
            table(head, rows),
            table(["plan", "CPU ms of the orchestrator a task"], costs),
            judged(["measured"], makespan_goals(found, overhead)),
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench makespan")
    parser.add_argument("--quick", action="store_true", help="few small plans; says little")
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    options = parser.parse_args()
    found = report(1, SIZES[:1], 1) if options.quick else report()
    text = f"{machine()}\n\n{found}"
    print(text)
    if options.write:
        write("makespan", text)


if __name__ == "__main__":
    main()
