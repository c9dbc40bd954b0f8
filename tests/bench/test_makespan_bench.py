"""The benchmark of parallel execution: its schedules are right, and real runs follow them."""

import asyncio
import time

import pytest

from bench.graphs import KINDS, Graph, random_graph
from bench.makespan import carry_out, makespan_goals, measure, measure_overhead
from bench.skipping_loop import SkippingLoop
from outlast.system.threads import call_in_pool

# Two chains, 1-3-5 and 2-4, of which the first takes longer.
LADDER = Graph({1: (), 2: (), 3: (1,), 4: (2,), 5: (3,)}, {1: 4.0, 2: 1.0, 3: 4.0, 4: 1.0, 5: 2.0})


def test_schedules_of_a_small_plan() -> None:
    assert LADDER.work == 12.0
    assert (LADDER.bound(1), LADDER.bound(2)) == (12.0, 10.0)
    assert (LADDER.greedy(1), LADDER.greedy(2)) == (12.0, 10.0)
    assert (LADDER.by_level(1), LADDER.by_level(2)) == (12.0, 10.0)
    uneven = Graph({1: (), 2: (), 3: (2,)}, {1: 8.0, 2: 1.0, 3: 5.0})
    assert uneven.greedy(2) == 8.0
    assert uneven.by_level(2) == 13.0, "the third waits for the first, which it does not need"


@pytest.mark.parametrize("kind", KINDS)
def test_random_plans_are_valid_and_the_same_in_every_run(kind: str) -> None:
    graph = random_graph(kind, 60, 1)
    assert graph == random_graph(kind, 60, 1)
    assert [*graph.waits] == [*range(1, 61)]
    assert all(set(waits) <= set(range(1, task)) for task, waits in graph.waits.items())
    for agents in (1, 4):
        assert graph.bound(agents) <= graph.greedy(agents) + 1e-9
        assert graph.greedy(agents) <= graph.work + 1e-9
        assert graph.by_level(agents) <= graph.work + 1e-9


def test_sleeps_are_skipped_and_work_in_threads_is_waited_for() -> None:
    async def sleep_and_work() -> tuple[float, list[str]]:
        ended, begun = list[str](), asyncio.get_running_loop().time()

        async def work() -> None:
            await call_in_pool(lambda: time.sleep(0.05))
            ended.append("work")

        async def sleep() -> None:
            await asyncio.sleep(3_600)
            ended.append("sleep")

        await asyncio.gather(sleep(), work())
        return asyncio.get_running_loop().time() - begun, ended

    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        seconds, ended = runner.run(sleep_and_work())
    assert ended == ["work", "sleep"]
    assert seconds >= 3_600


def test_r1_13_a_real_run_is_never_faster_than_the_bound_nor_slower_than_in_sequence() -> None:
    graph = random_graph("sparse", 12, 0)
    assert graph.bound(3) <= carry_out(graph, 3) < graph.work


@pytest.mark.slow
def test_each_goal_of_parallel_execution_has_a_row() -> None:
    rows = makespan_goals(measure(1, (10,), (2,)), measure_overhead((4, 8), rounds=1))
    assert [row[0].partition(" ")[0] for row in rows] == ["makespan", "makespan", "orchestrator:"]
    assert all(row[2].endswith(("reached", "**missed**")) for row in rows)
