"""What a disk says when it refuses a call, and which calls it can refuse."""

import errno
import os

from tests.adapters.faults import FaultyDisk

ERRNOS = ("ENOSPC", "EIO", "EROFS", "EDQUOT", "EACCES", "EINTR")
NEVER = ("close", "unlock")  # what they let go of is gone, whatever they say


def refusal(name: str) -> OSError:
    """Return what a disk says that refuses a call."""
    number = getattr(errno, name)
    return OSError(number, os.strerror(number))


def sites(disk: FaultyDisk, first: int = 0) -> list[tuple[int, str]]:
    """Return the calls that were made and that can be refused, counted from `first` on."""
    calls = enumerate(disk.calls[first:], 1)
    return [(number, kind) for number, kind in calls if kind not in NEVER]
