"""Which process is which: recognize one later, and tell whether it has ended.

A number alone does not identify a process, since numbers are reused. With the time of its start it
does, among the processes that one kernel shows to one container since it was booted. On systems
without `/proc` no process is identified, and none is known to have ended.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

_PROCESSES: Final = "/proc"
_DIGITS: Final = 16
_DEAD: Final = (b"Z", b"X")  # ended, not yet reaped
_STOPPED: Final = (b"T", b"t")
_STATE, _START = 0, 19  # fields of `stat` after the name


def identify_process(shown: str = _PROCESSES) -> str:
    """Return what identifies this process; empty if the kernel shows no processes there."""
    place, start = _place(shown), _stat(os.getpid())
    return f"{place}_{os.getpid()}_{start[_START].decode()}" if place and start else ""


def has_ended(process: str) -> bool:
    """Return whether a process is known to have ended; False for one that we could not see."""
    found = _find(process)
    return found is not None and (not found or _is_dead(found, process))


def is_stopped(process: str) -> bool:
    """Return whether a process is stopped: by a signal, or by a debugger."""
    found = _find(process)
    return bool(found and not _is_dead(found, process) and found[_STATE] in _STOPPED)


def _find(process: str) -> list[bytes] | None:
    """Return the `stat` of the process with that number now; empty if there is none.

    None if it cannot be told. A process of another user may be hidden in `/proc`, so that its
    number is tried first.
    """
    match process.split("_"):
        case [place, number, _start] if (
            number.isdecimal() and number.isascii() and place == _place()
        ):
            try:
                os.kill(int(number), 0)
            except ProcessLookupError:
                return []
            except (PermissionError, OverflowError):
                pass
            return _stat(int(number)) or None
    return None


def _is_dead(found: list[bytes], process: str) -> bool:
    """Return whether another process has the number now, or only its entry is left.

    The first thread of a process may end before the others.
    """
    _, number, start = process.split("_")
    if found[_START].decode() != start:
        return True
    return found[_STATE] in _DEAD and _thread_count(int(number)) <= 1


def _thread_count(number: int) -> int:
    try:
        return len(os.listdir(f"{_PROCESSES}/{number}/task"))
    except OSError:
        return 0


def _stat(number: int) -> list[bytes]:
    with suppress(OSError), open(f"{_PROCESSES}/{number}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()  # the name may have brackets
    return []


def _place(shown: str = _PROCESSES) -> str:
    """Return a digest of what numbers and start times are relative to; empty if unknown."""
    from hashlib import sha256

    try:
        with open(f"{shown}/sys/kernel/random/boot_id", encoding="ascii") as file:
            parts = [file.read(), os.readlink(f"{shown}/self/ns/pid")]
    except OSError:
        return ""
    with suppress(OSError):  # it is newer than the other two
        parts.append(os.readlink(f"{shown}/self/ns/time"))
    return sha256("\0".join(parts).encode()).hexdigest()[:_DIGITS]
