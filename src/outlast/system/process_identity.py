"""Which process is which: recognize one later, tell whether it has ended, find a lock's holder.

A number alone does not identify a process, since numbers are reused. With the time of its start it
does, among the processes that one kernel shows to one container since it was booted. On systems
without `/proc` no process is identified, and none is known to have ended.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.model import ProcessState

_PROCESSES: Final = "/proc"
_BOOT_DIGITS: Final = 8
_DEAD: Final = (b"Z", b"X")  # ended, not yet reaped
_STOPPED: Final = (b"T", b"t")
_STATE, _PARENT, _START = 0, 1, 19  # fields of `stat` after the name
_SHELLS: Final = frozenset(("sh", "dash", "bash", "zsh", "ksh", "busybox", "ash"))
_COMMAND_CHARACTERS: Final = 80

Holder = Literal["running", "stopped", "unknown"]
_WAIT_TEXTS: Final[dict[Holder, str]] = {
    "running": "lock_wait",
    "stopped": "lock_wait_stopped",
    "unknown": "lock_wait_unknown",
}
_TIMEOUT_TEXTS: Final[dict[Holder, str]] = {
    "running": "lock_timeout",
    "stopped": "lock_timeout_stopped",
    "unknown": "lock_timeout_unknown",
}


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


def process_state(process: str) -> ProcessState:
    """Return what has become of a process, which a signal or a debugger may have stopped.

    It is unknown for one that we could not see.
    """
    found = _find(process)
    if found is None:
        return "unknown"
    if not found or _is_dead(found, process):
        return "ended"
    return "stopped" if _is_halted(found) else "running"


def has_ended(process: str) -> bool:
    """Return whether a process is known to have ended; False for one that we could not see."""
    return process_state(process) == "ended"


def holder_state(process: str) -> ProcessState:
    """Return the same of a process that holds a lease.

    Ours may live on without the run that held it, so that nothing is known of it.
    """
    return "unknown" if process == identify_process() else process_state(process)


def _is_halted(stat: list[bytes]) -> bool:
    return bool(stat) and stat[_STATE] in _STOPPED


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


# Who holds a lock, for the notice about a long wait and for its error


def describe_wait(where: str, files: tuple[str, ...]) -> tuple[str, dict[str, object]]:
    """Return the notice about a long wait for the lock on one of these files."""
    return _describe(_WAIT_TEXTS, where, files)


def describe_timeout(where: str, files: tuple[str, ...]) -> tuple[str, dict[str, object]]:
    """Return the text and details of the error that ends such a wait."""
    return _describe(_TIMEOUT_TEXTS, where, files)


def _describe(
    texts: dict[Holder, str], where: str, files: tuple[str, ...]
) -> tuple[str, dict[str, object]]:
    details: dict[str, object] = {"where": where}
    process = find_holder(files)
    if process is None:
        return texts["unknown"], details
    details |= {"pid": process, "command": _command_of(process)}
    return texts["stopped" if _is_halted(_stat(process)) else "running"], details


def find_holder(files: tuple[str, ...]) -> int | None:
    """Return a process that holds a lock on one of these files; None if none can be found.

    /proc/locks names the process that took a lock, which may have ended and left it to a child. So
    the open files of processes count; of another user's process they cannot be read.
    """
    identities = set[tuple[int, int]]()
    for file in files:
        with suppress(OSError):
            status = os.stat(file)
            identities.add((status.st_dev, status.st_ino))
    takers = _lock_takers({inode for _, inode in identities})
    for process in dict.fromkeys((*takers, *_process_ids())):
        if _has_lock(process, identities):
            return process
    return next(filter(_is_unreadable, takers), None)


def _process_ids() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(name) for name in os.listdir(_PROCESSES) if name.isdecimal())


def _lock_takers(inodes: set[int]) -> list[int]:
    """Return the processes that took locks on files with these numbers, from /proc/locks."""
    takers = []
    for line in _read(f"{_PROCESSES}/locks").splitlines():
        match line.split():
            case [_, _, _, _, process, file, *_] if process.isdecimal():
                inode = file.rpartition(":")[2]
                if inode.isdecimal() and int(inode) in inodes:
                    takers.append(int(process))
    return takers


def _has_lock(process: int, identities: set[tuple[int, int]]) -> bool:
    """Return whether a process has one of these files open, with a lock that excludes ours."""
    base = f"{_PROCESSES}/{process}"
    try:
        for name in os.listdir(f"{base}/fd"):
            with suppress(FileNotFoundError):
                status = os.stat(f"{base}/fd/{name}")
                if (status.st_dev, status.st_ino) in identities and any(
                    line.startswith("lock:") and ("FLOCK" in line or "WRITE" in line)
                    for line in _read(f"{base}/fdinfo/{name}").splitlines()
                ):
                    return True
    except OSError:  # it has ended, or belongs to another user
        return False
    return False


def _is_unreadable(process: int) -> bool:
    """Return whether a process runs whose open files are not shown to us."""
    base = f"{_PROCESSES}/{process}"
    return os.path.exists(base) and not os.access(f"{base}/fd", os.R_OK | os.X_OK)


def _command_of(process: int) -> str:
    """Return the command line of a process, redacted and shortened."""
    from outlast.redact.secrets import redact

    first, *arguments = _read(f"{_PROCESSES}/{process}/cmdline").rstrip("\0").split("\0")
    command = " ".join(redact(" ".join((os.path.basename(first), *arguments))).split())
    if len(command) > _COMMAND_CHARACTERS:
        command = f"{command[: _COMMAND_CHARACTERS - 1]}…"
    return command or _read(f"{_PROCESSES}/{process}/comm").strip() or "?"


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
