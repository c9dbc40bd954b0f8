"""Find the process that holds a lock, for the notice about a long wait and for its error."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal

from outlast.redact.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROCESSES: Final = "/proc"
_STOPPED: Final = "Tt"  # by a signal, or by a debugger
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
    return texts["stopped" if _is_stopped(process) else "running"], details


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


def _is_stopped(process: int) -> bool:
    state = _read(f"{_PROCESSES}/{process}/stat").rpartition(")")[2].split()
    return bool(state) and state[0] in _STOPPED


def _command_of(process: int) -> str:
    """Return the command line of a process, redacted and shortened."""
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
