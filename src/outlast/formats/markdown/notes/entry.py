"""An entry of a file, and where it stands."""

from __future__ import annotations

from typing import Generic, TypeVar

from msgspec import Struct

S = TypeVar("S")


class Entry(Struct, Generic[S], frozen=True):
    """What an entry says, and the number of its first line."""

    line: int
    said: S
