"""Which process is which: recognize one later, and tell whether it has ended.

A number alone does not identify a process, since numbers are reused. With the time of its start it
does, among the processes that one kernel shows to one container since it was booted. On systems
without `/proc` no process is identified, and none is known to have ended.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROCESSES: Final = "/proc"
_BOOT_DIGITS: Final = 8
_DEAD: Final = (b"Z", b"X")  # ended, not yet reaped
_STOPPED: Final = (b"T", b"t")
_STATE, _PARENT, _START = 0, 1, 19  # fields of `stat` after the name
_SHELLS: Final = frozenset(("sh", "dash", "bash", "zsh", "ksh", "busybox", "ash"))


def identify_process(shown: str = _PROCESSES) -> str:
    """Return what identifies this process; empty if the kernel shows no processes there."""
    return _identify(os.getpid(), _place(shown))


def host_process() -> str:
    """Return what identifies the nearest ancestor that is no shell; empty if it cannot be told."""
    shells = (process for process in _ancestors() if _program(process) not in _SHELLS)
    return _identify(next(shells, 0), _place())


def ancestor_processes() -> list[str]:
    """Return what identifies the ancestors of this process, the nearest first."""
    place = _place()
    return [_identify(ancestor, place) for ancestor in _ancestors()]


def _identify(process: int, place: str) -> str:
    start = _stat(process)
    return f"{place}_{process}_{start[_START].decode()}" if place and start else ""


def _ancestors() -> Iterator[int]:
    process = os.getppid()
    while process > 1:
        yield process
        fields = _stat(process)
        process = int(fields[_PARENT]) if fields else 0


def _program(process: int) -> str:
    with suppress(OSError), open(f"{_PROCESSES}/{process}/comm", encoding="utf-8") as file:
        return file.read().strip()
    return ""


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
    """Return what numbers and start times are relative to: a boot and its namespaces.

    Empty if unknown. It has letters and digits only, since it becomes part of a variable's name. It
    is no digest: OpenSSL takes longer to load than everything else here.
    """
    try:
        with open(f"{shown}/sys/kernel/random/boot_id", encoding="ascii") as file:
            parts = [file.read(_BOOT_DIGITS), os.readlink(f"{shown}/self/ns/pid")]
    except OSError:
        return ""
    with suppress(OSError):  # it is newer than the other two
        parts.append(os.readlink(f"{shown}/self/ns/time"))
    boot, *namespaces = parts  # such as `pid:[4026531836]`
    return boot + "".join(filter(str.isdecimal, "".join(namespaces)))
