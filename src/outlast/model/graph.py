"""The task graph: list order, dependents and ready tasks, updated with every change."""

from __future__ import annotations

from _heapq import heappop, heappush  # the C part of heapq: quicker to import
from collections import deque
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.model.model import FINISHED, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence


_GAP: Final = 1 << 32
_SLACK: Final = 64


class Layers(Struct, frozen=True):
    """Tasks that can run in parallel, layer by layer, and the critical path by hops.

    `lengths` has the number of tasks in the longest chain that begins with each task.
    """

    groups: tuple[tuple[int, ...], ...]
    critical_path: tuple[int, ...]
    lengths: dict[int, int]


class Graph:
    """The list order, the reverse edges, the unmet counts and the ready set of one plan.

    A task's rank is its position in the list order, with gaps between neighbours, so that an
    insertion renumbers nothing. `_run` and `_heap` hold the ranks of ready tasks: those that came
    in ascending order, as most do, and the others. Both may hold outdated ranks, except at the
    front; `ready` is the truth.

    All tasks before the index `frontier` are finished, except for the `holes`: tasks that were
    reopened or inserted there. The frontier advances when a caller wants the first unfinished
    task. `version` changes with the list order and the edges.
    """

    __slots__ = (
        "_heap",
        "_ranks",
        "_run",
        "_tasks_by_rank",
        "dependents",
        "frontier",
        "holes",
        "order",
        "ready",
        "unmet",
        "version",
    )

    def __init__(self) -> None:
        """Start without tasks."""
        self.order: list[int] = []
        self.dependents: dict[int, list[int]] = {}
        self.unmet: dict[int, int] = {}
        self.ready: set[int] = set()
        self.frontier = 0
        self.holes: set[int] = set()
        self.version = 0
        self._ranks: dict[int, int] = {}
        self._tasks_by_rank: dict[int, int] = {}
        self._run: deque[int] = deque()
        self._heap: list[int] = []

    # The list order

    def position(self, task: int) -> int:
        """Return the index of a task in the list order."""
        return self._search(self._ranks[task] - 1, self._ranks.__getitem__)

    def predecessor(self, task: int) -> int:
        """Return the task before another in the list order; 0 for the first task."""
        index = self.position(task)
        return self.order[index - 1] if index else 0

    def is_before(self, first: int, second: int) -> bool:
        """Return whether a task comes before another in the list order."""
        return self._ranks[first] < self._ranks[second]

    def sort(self, tasks: Iterable[int]) -> list[int]:
        """Return the tasks in list order."""
        return sorted(tasks, key=self._ranks.__getitem__)

    def end_of_phase(self, place: int, place_of: Callable[[int], int]) -> int:
        """Return the index after the last task whose phase is at `place` or before."""
        if not self.order or place_of(self.order[-1]) <= place:
            return len(self.order)
        return self._search(place, place_of)

    def _search(self, limit: int, key: Callable[[int], int]) -> int:
        """Return the index of the first task whose key exceeds the limit; keys must ascend."""
        order, low, high = self.order, 0, len(self.order)
        while low < high:
            middle = (low + high) // 2
            if key(order[middle]) > limit:
                high = middle
            else:
                low = middle + 1
        return low

    def insert(self, task: int, index: int) -> None:
        """Insert a task into the list order at `index`."""
        order, ranks = self.order, self._ranks
        left = ranks[order[index - 1]] if index else 0
        if index == len(order):
            rank = left + _GAP
        else:
            rank = (left + ranks[order[index]]) // 2
            if rank == left:
                self._renumber()
                self.insert(task, index)
                return
        ranks[task] = rank
        self._tasks_by_rank[rank] = task
        order.insert(index, task)
        if index < self.frontier:
            self.frontier += 1
            self.holes.add(task)
        self.version += 1

    def remove(self, task: int) -> None:
        """Remove a task from the list order."""
        index = self.position(task)
        del self.order[index]
        del self._tasks_by_rank[self._ranks.pop(task)]
        if index < self.frontier:
            self.frontier -= 1
            self.holes.discard(task)
        self.version += 1

    def set_order(self, order: Sequence[int]) -> None:
        """Replace the list order by a permutation of it."""
        self.order = list(order)
        self.frontier = 0
        self.holes.clear()
        self.version += 1
        self._renumber()

    def _renumber(self) -> None:
        self._ranks = {task: (index + 1) * _GAP for index, task in enumerate(self.order)}
        self._tasks_by_rank = dict(zip(self._ranks.values(), self._ranks, strict=True))
        self._sort_ready()

    # The edges

    def build_edges(
        self,
        needs_by_task: Mapping[int, Iterable[int]],
        finished: Container[int],
        pending: set[int],
    ) -> None:
        """Add all edges at once; pending tasks without unmet needs become ready."""
        dependents, unmet = self.dependents, self.unmet
        for task, needs in needs_by_task.items():
            left = 0
            for need in needs:
                if need in dependents:
                    dependents[need].append(task)
                else:
                    dependents[need] = [task]
                if need not in finished:
                    left += 1
            if left:
                unmet[task] = left
        self.ready = pending.difference(unmet)
        self.version += 1
        self._sort_ready()

    def link(self, task: int, needs: Iterable[int], unmet: int) -> None:
        """Add the edges from a task to the tasks it needs, `unmet` of which are unfinished."""
        for need in needs:
            self.dependents.setdefault(need, []).append(task)
        if unmet:
            self.unmet[task] = unmet
        self.version += 1

    def unlink(self, task: int, needs: Iterable[int]) -> None:
        """Remove the edges from a task to the tasks it needs."""
        for need in needs:
            others = self.dependents[need]
            others.remove(task)
            if not others:
                del self.dependents[need]
        self.unmet.pop(task, None)
        self.version += 1

    def finish(self, task: int, tasks: Mapping[int, Task]) -> None:
        """Count a task as finished for its dependents; some may become ready."""
        unmet = self.unmet
        for dependent in self.dependents.get(task, ()):
            left = unmet[dependent] - 1
            if left:
                unmet[dependent] = left
            else:
                del unmet[dependent]
                if tasks[dependent].status == "pending":
                    self.add_ready(dependent)
        if self.holes:
            self.holes.discard(task)

    def reopen(self, task: int) -> None:
        """Count a task as unfinished again for its dependents."""
        for dependent in self.dependents.get(task, ()):
            self.unmet[dependent] = self.unmet.get(dependent, 0) + 1
            self.ready.discard(dependent)
        if self.position(task) < self.frontier:
            self.holes.add(task)
            if len(self.holes) > _SLACK:
                self.frontier = self.position(min(self.holes, key=self._ranks.__getitem__))
                self.holes.clear()
        self._trim()

    def first_unfinished(self, tasks: Mapping[int, Task]) -> int | None:
        """Return the first unfinished task in list order."""
        if self.holes:
            return min(self.holes, key=self._ranks.__getitem__)
        order, frontier = self.order, self.frontier
        end = len(order)
        while frontier < end and tasks[order[frontier]].status in FINISHED:
            frontier += 1
        self.frontier = frontier
        return order[frontier] if frontier < end else None

    # The ready set

    def add_ready(self, task: int) -> None:
        """Add a pending task without unmet needs to the ready set."""
        rank, run = self._ranks[task], self._run
        self.ready.add(task)
        if not run or rank > run[-1]:
            run.append(rank)
        else:
            heappush(self._heap, rank)

    def remove_ready(self, task: int) -> None:
        """Remove a task from the ready set."""
        run, heap, rank = self._run, self._heap, self._ranks[task]
        self.ready.remove(task)
        if run and run[0] == rank:
            run.popleft()
            if heap or (run and self._tasks_by_rank.get(run[0]) not in self.ready):
                self._trim()  # the heap may hold the same rank
        elif heap and heap[0] == rank:
            heappop(heap)
            if heap and self._tasks_by_rank.get(heap[0]) not in self.ready:
                self._trim()
        elif len(run) + len(heap) > 2 * len(self.ready) + _SLACK:
            self._sort_ready()

    def first_ready(self) -> int | None:
        """Return the first ready task in list order."""
        run, heap = self._run, self._heap
        if heap and (not run or heap[0] < run[0]):
            return self._tasks_by_rank[heap[0]]
        return self._tasks_by_rank[run[0]] if run else None

    def _trim(self) -> None:
        """Drop outdated ranks from the front, so that `first_ready` only reads."""
        run, heap, ready, tasks = self._run, self._heap, self.ready, self._tasks_by_rank
        while run and tasks.get(run[0]) not in ready:
            run.popleft()
        while heap and tasks.get(heap[0]) not in ready:
            heappop(heap)

    def _sort_ready(self) -> None:
        self._run = deque(sorted(self._ranks[task] for task in self.ready))
        self._heap = []
