"""Settle file changes after a crash, with digests of the content before and after.

The journal records the digests and the short parameters, which people can read.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from outlast.agent.tools.files.directory import is_unreadable
from outlast.context.tool import DIGEST
from outlast.errors import InvalidArgument, ToolFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.agent.tools.files.directory import Directory
    from outlast.context.tool import Settlement

MAX_BYTES: Final = 1024 * 1024  # of a file that tools may change
Json = dict[str, Any]
_MAX_KEPT: Final = 60  # characters of a parameter that is recorded as it is
_WAS: Final = "was"
_WILL_BE: Final = "will_be"
_REFUSED: Final = (ToolFailed, InvalidArgument)


def journal_params(
    files: Directory, params: Json, names: Iterable[str], edit: Callable[[bytes | None], bytes]
) -> Json:
    """Return what the journal records of a call: path, short parameters and two digests.

    `was` is missing if the file could not be read, `will_be` if the call will be refused.
    """
    texts = {name: params[name] for name in names if _is_short(params.get(name))}
    recorded, current = {"path": params.get("path"), **texts}, None
    with suppress(*_REFUSED):
        current = _read_current(files, params.get("path"))
        recorded[_WAS] = _digest(current)
    with suppress(*_REFUSED):
        recorded[_WILL_BE] = _digest(edit(current))
    return recorded


def settle_change(files: Directory, recorded: Json) -> Settlement:
    """Compare a file with its two digests; "unknown" if it equals neither."""
    path = recorded.get("path")
    if isinstance(path, str) and path.startswith(DIGEST):
        return "unknown"
    try:
        now = _digest(_read_current(files, path))
    except _REFUSED as error:
        return "unknown" if is_unreadable(error) or _WAS in recorded else "not_done"
    if now == recorded.get(_WILL_BE):
        return "done"
    return "not_done" if now == recorded.get(_WAS) else "unknown"


def _read_current(files: Directory, path: object) -> bytes | None:
    """Return the content of a file, None if it is missing; remove leftovers."""
    try:
        with files.open_parent(path, suggest=False) as file:
            files.remove_leftovers(file)
            return files.read(file, MAX_BYTES)
    except ToolFailed as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise


def _digest(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_KEPT
