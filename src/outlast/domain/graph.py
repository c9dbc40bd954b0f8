"""What depends on what, what is ready, and in which order: kept up to date change by change."""

from __future__ import annotations

from _heapq import heapify, heappop, heappush  # heapq's own, without what heapq adds
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from outlast.domain.model import Task

_GAP: Final = 1 << 32
_SLACK: Final = 64


class Layers(Struct, frozen=True, gc=False):
    """Tasks that may run side by side, layer by layer, and the longest chain by hops."""

    groups: tuple[tuple[int, ...], ...]
    critical_path: tuple[int, ...]


class Graph:
    """The list order, the reverse edges, the unmet counts and the ready set of one plan.

    A task's rank is its place in the list order as a number with room between neighbours, so that
    an insertion renumbers nothing. The heap holds ranks, `_holders` whose they are; both may be
    outdated but for the first entry of the heap, `ready` is the truth.

    All tasks in front of `mark` are finished but for the `holes`, which have been opened again or
    put in there.
    """

    __slots__ = (
        "_heap",
        "_holders",
        "_ranks",
        "dependents",
        "holes",
        "mark",
        "order",
        "ready",
        "structure",
        "unmet",
    )

    def __init__(self) -> None:
        """Begin with no tasks."""
        self.order: list[int] = []
        self.dependents: dict[int, list[int]] = {}
        self.unmet: dict[int, int] = {}
        self.ready: set[int] = set()
        self.mark = 0
        self.holes: set[int] = set()
        self.structure = 0
        self._ranks: dict[int, int] = {}
        self._heap: list[int] = []
        self._holders: dict[int, int] = {}

    # The list order

    def position(self, task: int) -> int:
        """Return the index of a task in the list order."""
        return self._search(self._ranks[task] - 1, self._ranks.__getitem__)

    def before(self, task: int) -> int:
        """Return the task in front of another in the list order, 0 for the first."""
        index = self.position(task)
        return self.order[index - 1] if index else 0

    def precedes(self, first: int, second: int) -> bool:
        """Tell whether one task stands before another in the list order."""
        return self._ranks[first] < self._ranks[second]

    def sort(self, tasks: Iterable[int]) -> list[int]:
        """Return the tasks in list order."""
        return sorted(tasks, key=self._ranks.__getitem__)

    def end_of(self, place: int, place_of: Callable[[int], int]) -> int:
        """Return the index behind the last task whose phase stands at `place` or before."""
        if not self.order or place_of(self.order[-1]) <= place:
            return len(self.order)
        return self._search(place, place_of)

    def _search(self, limit: int, key: Callable[[int], int]) -> int:
        """Return the index of the first task whose key passes the limit; keys must rise."""
        order, low, high = self.order, 0, len(self.order)
        while low < high:
            middle = (low + high) // 2
            if key(order[middle]) > limit:
                high = middle
            else:
                low = middle + 1
        return low

    def insert(self, task: int, index: int) -> None:
        """Put a task into the list order so that it stands at `index`."""
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
        order.insert(index, task)
        if index < self.mark:
            self.mark += 1
            self.holes.add(task)
        self.structure += 1

    def take_out(self, task: int) -> None:
        """Remove a task from the list order."""
        index = self.position(task)
        del self.order[index]
        del self._ranks[task]
        if index < self.mark:
            self.mark -= 1
            self.holes.discard(task)
        self.structure += 1

    def rearrange(self, order: Sequence[int]) -> None:
        """Replace the list order by another one of the same tasks."""
        self.order = list(order)
        self.mark = 0
        self.holes.clear()
        self.structure += 1
        self._renumber()

    def _renumber(self) -> None:
        self._ranks = {task: (index + 1) * _GAP for index, task in enumerate(self.order)}
        self._reheap()

    # The edges

    def build(
        self, waits_for: Mapping[int, Iterable[int]], finished: Container[int], pending: set[int]
    ) -> None:
        """Put in all edges of tasks that have none yet; what waits for nothing is ready."""
        dependents, unmet = self.dependents, self.unmet
        for task, dependencies in waits_for.items():
            left = 0
            for dependency in dependencies:
                if dependency in dependents:
                    dependents[dependency].append(task)
                else:
                    dependents[dependency] = [task]
                if dependency not in finished:
                    left += 1
            if left:
                unmet[task] = left
        self.ready = pending.difference(unmet)
        self.structure += 1
        self._reheap()

    def link(self, task: int, dependencies: Iterable[int], unmet: int) -> None:
        """Add the edges from a task to what it depends on, `unmet` of which are unfinished."""
        for dependency in dependencies:
            self.dependents.setdefault(dependency, []).append(task)
        if unmet:
            self.unmet[task] = unmet
        self.structure += 1

    def unlink(self, task: int, dependencies: Iterable[int]) -> None:
        """Remove the edges from a task to what it depends on."""
        for dependency in dependencies:
            others = self.dependents[dependency]
            others.remove(task)
            if not others:
                del self.dependents[dependency]
        self.unmet.pop(task, None)
        self.structure += 1

    def finish(self, task: int, tasks: Mapping[int, Task]) -> None:
        """Take a finished task off the unmet counts; what waits for nothing now is ready."""
        unmet = self.unmet
        for dependent in self.dependents[task]:
            left = unmet[dependent] - 1
            if left:
                unmet[dependent] = left
            else:
                del unmet[dependent]
                if tasks[dependent].status == "pending":
                    self.offer(dependent)

    def reopen(self, task: int) -> None:
        """Put a task that is unfinished again back on the unmet counts."""
        for dependent in self.dependents.get(task, ()):
            self.unmet[dependent] = self.unmet.get(dependent, 0) + 1
            self.ready.discard(dependent)
        if self.position(task) < self.mark:
            self.holes.add(task)
            if len(self.holes) > _SLACK:
                self.mark = self.position(min(self.holes, key=self._ranks.__getitem__))
                self.holes.clear()
        self._trim()

    def first_open(self) -> int | None:
        """Return the first unfinished task in list order."""
        if self.holes:
            return min(self.holes, key=self._ranks.__getitem__)
        return self.order[self.mark] if self.mark < len(self.order) else None

    # The ready set

    def offer(self, task: int) -> None:
        """Put a pending task that waits for nothing into the ready set."""
        heap, rank = self._heap, self._ranks[task]
        self.ready.add(task)
        self._holders[rank] = task
        heappush(heap, rank)
        if len(heap) > 2 * len(self.ready) + _SLACK:
            self._reheap()

    def withdraw(self, task: int) -> None:
        """Take a task out of the ready set."""
        self.ready.discard(task)
        self._trim()

    def first_ready(self) -> int | None:
        """Return the first ready task in list order."""
        return self._holders[self._heap[0]] if self._heap else None

    def _trim(self) -> None:
        """Drop outdated entries from the top of the heap, so that reading it changes nothing."""
        heap, holders, ready, ranks = self._heap, self._holders, self.ready, self._ranks
        while heap:
            task = holders.get(heap[0])
            if task in ready and ranks[task] == heap[0]:
                return
            holders.pop(heappop(heap), None)

    def _reheap(self) -> None:
        self._holders = {self._ranks[task]: task for task in self.ready}
        self._heap = list(self._holders)
        heapify(self._heap)
