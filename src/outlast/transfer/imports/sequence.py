"""The order of imported tasks: one after the other, or needs where some may run in parallel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outlast.model.model import Order

_MOST_NEEDS: Final = 100_000


class Step(Struct, frozen=True):
    """A task in the order of the list.

    A `parallel` one runs beside its parallel neighbours, nothing waits for an `optional` one. The
    phases of different stories run beside each other. `needs` are those that the file names.
    """

    task: int
    phase: str
    parallel: bool = False
    optional: bool = False
    story: bool = False
    needs: tuple[int, ...] = ()


def sequence(steps: Sequence[Step]) -> tuple[Order, dict[int, tuple[int, ...]]]:
    """Return the order of a plan and the needs of each task.

    Where every task waits for the one above it, that is the order `sequential`. Otherwise the order
    is `graph`, and each task needs what it has to wait for.
    """
    named = {step.task: step.needs for step in steps}
    if not any(step.parallel or step.optional or step.story for step in steps):
        return "sequential", named
    waits = _waits(steps)
    if sum(map(len, waits.values())) > _MOST_NEEDS:
        return "sequential", named
    return "graph", {task: (*waits[task], *_others(named[task], waits[task])) for task in named}


def _others(needs: tuple[int, ...], known: tuple[int, ...]) -> tuple[int, ...]:
    if not needs:
        return ()
    waited = set(known)
    return tuple(need for need in needs if need not in waited)


def _waits(steps: Sequence[Step]) -> Mapping[int, tuple[int, ...]]:
    """Return for each task those right before it that have to be done first."""
    waits: dict[int, tuple[int, ...]] = {}
    barrier: tuple[int, ...] = ()  # what the next task waits for
    group: list[int] = []  # the parallel tasks right above
    before_stories: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()  # of the stories
    previous: Step | None = None
    for step in steps:
        if previous is None or step.phase != previous.phase:
            barrier, group = tuple(group) or barrier, []
            was_story = previous is not None and previous.story
            ends = tuple(dict.fromkeys((*ends, *barrier))) if was_story else ()
            before_stories = before_stories if was_story else barrier
            if was_story or step.story:
                barrier = before_stories if step.story else ends
        if not step.parallel and group:
            barrier, group = tuple(group), []
        waits[step.task] = barrier
        if step.parallel:
            group += () if step.optional else (step.task,)
        elif not step.optional:
            barrier = (step.task,)
        previous = step
    return waits
