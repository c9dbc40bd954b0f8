"""The lines that a person typed in earlier chats, in a private file.

Each line of the file is a JSON string. Several chats at a time append to it; at the beginning of a
chat it is cut to the newest entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import DecodeError, json

if TYPE_CHECKING:
    from outlast.system.state_home import StateHome

_KIND: Final = "chat"
_NAME: Final = "history"
_MOST: Final = 1_000  # entries that are kept
_LONGEST: Final = 4_000  # characters of an entry; a longer one is not kept
_BYTES: Final = 64 << 20


class TypedLines:
    """The lines of all chats of a user, oldest first."""

    def __init__(self, home: StateHome) -> None:
        """Keep them in the user's state directory."""
        self._home = home

    def load(self) -> list[str]:
        """Return the newest lines; raise `StoreError` if they cannot be read."""
        lines = self._read()
        if len(lines) > 2 * _MOST:
            with self._home.lock(_KIND):  # another chat may have added a line
                lines = self._read()[-_MOST:]
                self._home.write_value(_KIND, _NAME, "".join(map(_encode, lines)))
        return lines[-_MOST:]

    def add(self, line: str) -> None:
        """Append a line; raise `StoreError` if that fails."""
        if len(line) <= _LONGEST:
            with self._home.lock(_KIND):
                self._home.append_value(_KIND, _NAME, _encode(line))

    def _read(self) -> list[str]:
        data = self._home.read_private(_KIND, _NAME, _BYTES)
        return [line for raw in data.splitlines() if (line := _decode(raw))]


def _encode(line: str) -> str:
    return json.encode(line.encode(errors="replace").decode()).decode() + "\n"


def _decode(raw: bytes) -> str:
    try:
        return json.decode(raw, type=str)
    except DecodeError:  # written by a process that was killed
        return ""
