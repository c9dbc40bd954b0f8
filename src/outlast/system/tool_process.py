"""Whether an agent's tool or check started this process."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK: Final = "OUTLAST_MARK_"  # begins a name in the environment of what a tool starts
_PROCESSES: Final = "/proc"


def is_inside_tool() -> bool:
    """Return whether a tool or a check started this process, or an ancestor of it.

    On Linux a program does not hide that by a cleared environment. One that outlives its ancestors
    is not recognized.
    """
    return any(name.startswith(MARK) for name in os.environ) or has_marked_ancestor(os.getpid())


@cache
def has_marked_ancestor(process: int) -> bool:
    """Return whether an ancestor of a process has the mark, or a tool's process is among them.

    A tool is the leader of a session. Its runner has another child that watches over it, and whose
    command line has the leader's number and the mark.
    """
    mark = MARK.encode()
    while process > 1:
        parent, session = _read_family(process)
        if parent > 1 and mark in _read(parent, "environ"):
            return True
        watches = b"\0%d\0%b" % (process, mark)
        if session == process and any(
            watches in _read(each, "cmdline") for each in _children(parent)
        ):
            return True
        process = parent
    return False


def _read_family(process: int) -> tuple[int, int]:
    """Return the parent and the session of a process; zeros if they are unknown."""
    fields = _read(process, "stat").rpartition(b")")[2].split()  # the name may have brackets
    return (int(fields[1]), int(fields[3])) if fields else (0, 0)


def _children(process: int) -> Iterator[int]:
    with suppress(OSError):  # the process is gone
        for thread in os.listdir(f"{_PROCESSES}/{process}/task"):
            yield from map(int, _read(process, f"task/{thread}/children").split())


def _read(process: int, name: str) -> bytes:
    """Return what the kernel tells about a process; nothing if it is another user's or is gone."""
    try:
        with open(f"{_PROCESSES}/{process}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""
