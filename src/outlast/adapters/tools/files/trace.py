"""What a file holds before a tool changes it and after, to tell later whether it has been changed.

Only digests are kept of it, and of the parameters what is short enough to be read by people.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from outlast.adapters.tools.files.directory import unseen
from outlast.errors import InvalidArgument, ToolFailed
from outlast.ports.tool import DIGEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.adapters.tools.files.directory import Directory
    from outlast.ports.tool import Settlement

LIMIT: Final = 1024 * 1024  # bytes of a file that tools change
Json = dict[str, Any]
_SHOWN: Final = 60  # characters of a text that is kept as it is
_WAS: Final = "was"
_WILL_BE: Final = "will_be"
_REFUSED: Final = (ToolFailed, InvalidArgument)


def trace(
    files: Directory, params: Json, names: Iterable[str], made: Callable[[bytes | None], bytes]
) -> Json:
    """Return what to keep of a call: the path, the short ones of these parameters, and two digests.

    Without `was` the file could not be looked at, without `will_be` the call will be refused.
    """
    texts = {name: params[name] for name in names if _is_short(params.get(name))}
    kept, found = {"path": params.get("path"), **texts}, None
    with suppress(*_REFUSED):
        found = _found(files, params.get("path"))
        kept[_WAS] = _digest(found)
    with suppress(*_REFUSED):
        kept[_WILL_BE] = _digest(made(found))
    return kept


def settled(files: Directory, kept: Json) -> Settlement:
    """Look which of the two a file is now: neither of them, if somebody else has changed it."""
    path = kept.get("path")
    if isinstance(path, str) and path.startswith(DIGEST):
        return "unknown"
    try:
        now = _digest(_found(files, path))
    except _REFUSED as error:
        return "unknown" if unseen(error) or _WAS in kept else "not_done"
    if now == kept.get(_WILL_BE):
        return "done"
    return "not_done" if now == kept.get(_WAS) else "unknown"


def _found(files: Directory, path: object) -> bytes | None:
    """Return what a file holds, None if there is none; what was left unfinished is taken away."""
    try:
        with files.at(path) as place:
            files.sweep(place)
            return files.read(place, LIMIT)
    except ToolFailed as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise


def _digest(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _SHOWN
