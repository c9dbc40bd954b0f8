"""Which tasks may run at the same time: those whose files cannot be the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.agent.outcomes import ReadyTask
from outlast.system.patterns import may_overlap

if TYPE_CHECKING:
    from collections.abc import Iterable


def choose_tasks(
    ready: Iterable[ReadyTask], running: Iterable[ReadyTask], free: int, *, read_only: bool
) -> list[ReadyTask]:
    """Return the tasks to start now, in the order of `ready`, at most `free`.

    A task whose files are not known may change any file, so that it runs alone; tasks that only
    read never collide.
    """
    busy, chosen = list(running), list[ReadyTask]()
    for task in ready:
        if len(chosen) == free:
            break
        if read_only or not any(may_overlap(task.files, other.files) for other in busy):
            chosen.append(task)
            busy.append(task)
    return chosen
