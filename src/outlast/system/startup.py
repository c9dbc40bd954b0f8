"""Start a process that lives for a moment: a command, a hook."""

from __future__ import annotations

import gc
import sys

_SLOW = "typing_extensions"


def start_quickly() -> None:
    """Stop collecting garbage, and import msgspec without what makes its import slow.

    msgspec takes `typing_extensions` where it is installed, and `typing` where it is not. The first
    costs a quarter of its import, and both do the same on the versions of Python that we support.
    Raise `ImportError` if msgspec is not on the path. Call it while there is one thread: another
    one would not find the hidden package.
    """
    gc.disable()
    is_hidden = _SLOW not in sys.modules
    if is_hidden:
        sys.modules[_SLOW] = None  # type: ignore[assignment] # Python's way to say: not installed
    try:
        import msgspec  # noqa: F401 - for those that import it later
    finally:
        if is_hidden:
            del sys.modules[_SLOW]
