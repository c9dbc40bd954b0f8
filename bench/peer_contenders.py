"""Other libraries that do the same work in memory, or a part of it."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import networkx as nx
import rustworkx
from mcplanmanager import PlanManager as PeerManager

from bench.contenders import LACKS, SAMPLED, Contender
from bench.plans import RESULT, document_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.plans import Dependencies


def _networkx(dependencies: Dependencies) -> Callable[[], object]:
    graph = nx.DiGraph()
    graph.add_nodes_from(dependencies)
    graph.add_edges_from((d, task) for task, found in dependencies.items() for d in found)

    def work() -> None:
        waits_for = dict(graph.in_degree())
        ready = [task for task, number in waits_for.items() if not number]
        while ready:
            for dependent in graph.successors(ready.pop()):
                waits_for[dependent] -= 1
                if not waits_for[dependent]:
                    ready.append(dependent)

    return work


def _rustworkx(dependencies: Dependencies) -> Callable[[], object]:
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(list(dependencies))
    graph.add_edges_from_no_data(
        [(d - 1, task - 1) for task, found in dependencies.items() for d in found]
    )

    def work() -> None:
        sorter = rustworkx.TopologicalSorter(graph)
        ready = list(sorter.get_ready())
        while ready:
            sorter.done(ready.pop())
            ready += sorter.get_ready()

    return work


def _mcplanmanager(dependencies: Dependencies) -> Callable[[], object]:
    n = len(dependencies)
    manager = PeerManager()
    manager.loadPlan(document_of(dependencies, done=n // 2))

    def work() -> None:
        for _ in range(min(SAMPLED, n // 2)):
            manager.completeTask(manager.startNextTask()["data"]["id"], RESULT)

    return work


MCPLANMANAGER: Final = Contender(
    f"mcplanmanager {version('mcplanmanager')}",
    _mcplanmanager,
    f"states, results, dependencies, envelope; timed for {SAMPLED} steps from the middle of the "
    "plan, up to 1 000 tasks, since a step costs n²",
    "checks of arguments, retries, pause that holds, an actor's one task, changes as history",
    largest=1_000,
    sampled=True,
)
PEERS: Final = (
    Contender(
        f"networkx {version('networkx')}", _networkx, "in-degrees; graph built before", LACKS
    ),
    Contender(
        f"rustworkx {version('rustworkx')}",
        _rustworkx,
        "TopologicalSorter; graph built before",
        LACKS,
    ),
    MCPLANMANAGER,
)
