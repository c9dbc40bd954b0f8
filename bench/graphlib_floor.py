"""The reference of all ratios: graphlib counts a plan down."""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.plans import Dependencies


def sort_built(dependencies: Dependencies) -> Callable[[], object]:
    return lambda: _sort(_sorter(dependencies))


def sort_only(dependencies: Dependencies) -> Callable[[], object]:
    sorter = _sorter(dependencies)
    return lambda: _sort(sorter)


def _sorter(dependencies: Dependencies) -> TopologicalSorter[int]:
    sorter = TopologicalSorter(dependencies)
    sorter.prepare()
    return sorter


def _sort(sorter: TopologicalSorter[int]) -> None:
    ready = list(sorter.get_ready())
    while ready:
        sorter.done(ready.pop())
        ready += sorter.get_ready()
