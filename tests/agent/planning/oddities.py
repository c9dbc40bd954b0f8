"""Values that functions seldom want, called by name because some of them cannot be printed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final


class Hostile:
    """An object that raises whatever is asked of it, but can be a key."""

    def _refuse(self, *_: object) -> Any:
        raise RuntimeError("touched")

    __repr__ = __str__ = __format__ = __bool__ = __len__ = __iter__ = _refuse
    __eq__ = __lt__ = __contains__ = __getitem__ = __int__ = __index__ = _refuse

    def __hash__(self) -> int:
        return hash("hostile")


class Text(str):
    """No plain string."""

    __slots__ = ()


class Number(int):
    """No plain number."""


def _itself() -> list[object]:
    made: list[object] = []
    made.append(made)
    return made


def _deep() -> object:
    made: object = 1
    for _ in range(100_000):
        made = [made]
    return made


ODDITIES: Final[dict[str, Any]] = {
    "none": None,
    "true": True,
    "false": False,
    "float": 1.0,
    "nan": float("nan"),
    "infinity": float("inf"),
    "zero": 0,
    "beyond ids": 2**53 + 1,
    "huge int": 10**5000,
    "empty text": "",
    "blank text": " \t ",
    "lone surrogate": "a\ud800",
    "two lines": "one\ntwo",
    "line separator": "one\u2028two",
    "name too long": "x" * 1001,
    "megabyte": "x" * 1_000_000,
    "longest text": "é" * 32_768,
    "text too long": "é" * 32_769,
    "bytes": b"1",
    "text subclass": Text("1"),
    "int subclass": Number(1),
    "empty list": [],
    "empty object": {},
    "set": {1},
    "type": int,
    "function": print,
    "time": datetime(2024, 1, 1, tzinfo=UTC),
    "list with itself": _itself(),
    "deep list": _deep(),
    "hostile": Hostile(),
    "list of bools": [True],
    "list of floats": [1.0],
    "list of nothing": [None],
    "nested list": [[1]],
    "hostile list": [Hostile()],
    "object with hostile key": {Hostile(): 1},
    "object with huge key": {10**5000: 1},
    "object with huge value": {"name": 10**5000},
    "object with unknown key": {"nmae": "a"},
    "list of texts": ["a"],
    "task without name": [{"reasoning": "a"}],
    "task with null name": [{"name": None}],
}


@dataclass(frozen=True)
class Odd:
    """One of the oddities, by name."""

    name: str
