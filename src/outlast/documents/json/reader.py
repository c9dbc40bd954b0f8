"""Read JSON from outside: decode it strictly, then take its fields one by one.

Strictly means: each field once, finite numbers, a limited size.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from outlast.errors import InvalidDocument
from outlast.model.limits import TYPE_NAMES, display_key, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")
Json = dict[str, Any]


def copy_json(data: object, where: str) -> Json:
    """Return a copy made of JSON types; raise `InvalidDocument` for what JSON cannot express."""
    if not isinstance(data, dict):
        raise wrong_type(where, "object", data)
    try:
        copy: Json = json.loads(json.dumps(data, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidDocument("document_not_json", where=where, got=str(error)) from error
    return copy


def wrong_type(where: str, expected: str | list[str], value: object) -> InvalidDocument:
    """Return the error for a value of a wrong type."""
    return InvalidDocument(
        "document_wrong_type", where=where, expected=expected, got=type_name(value)
    )


class Reader:
    """One JSON object; a field that is taken is removed from `rest`."""

    def __init__(self, fields: Json, where: str) -> None:
        """Read an object; `where` is its place in the document."""
        self.rest = dict(fields)
        self.where = where

    def path_of(self, name: str) -> str:
        """Return the place of a field in the document, for messages."""
        return f"{self.where}.{name}" if self.where else name

    def take(self, name: str, kinds: tuple[type, ...], default: Any = None) -> Any:  # noqa: ANN401 - JSON
        """Take a field of one of these types; null counts as absent."""
        value = self.rest.pop(name, None)
        if value is None:
            return default
        if type(value) not in kinds:
            raise wrong_type(self.path_of(name), [TYPE_NAMES[kind] for kind in kinds], value)
        return value

    def require(self, name: str, kinds: tuple[type, ...]) -> Any:  # noqa: ANN401 - JSON
        """Take a field; raise `InvalidDocument` if it is missing."""
        value = self.take(name, kinds)
        if value is None:
            raise InvalidDocument("document_missing", where=self.path_of(name))
        return value

    def text(self, name: str, default: str = "") -> str:
        """Take a string."""
        value: str = self.take(name, (str,), default)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Take a list of strings; an absent one is empty."""
        items = tuple(self.take(name, (list,), []))
        for index, item in enumerate(items):
            if type(item) is not str:
                raise wrong_type(f"{self.path_of(name)}[{index}]", "string", item)
        return items

    def whole_number(self, name: str, default: int = 0) -> int:
        """Take a whole number that is not negative."""
        value: int = self.take(name, (int,), default)
        if value < 0:
            raise InvalidDocument("document_negative", where=self.path_of(name))
        return value

    def choice(self, name: str, choices: Iterable[str], default: str) -> Any:  # noqa: ANN401 - a literal
        """Take one of the given words."""
        value = self.text(name, default)
        known = list(choices)
        if value not in known:
            raise InvalidDocument("document_bad_choice", where=self.path_of(name), choices=known[:])
        return value

    def refuse_unknown(self, value: T) -> T:
        """Return a value made of this object; raise `InvalidDocument` if a field is left over."""
        for name in self.rest:
            raise InvalidDocument("document_unknown_field", where=self.path_of(name))
        return value

    def section(self, name: str) -> Reader:
        """Take an object inside this one; an absent one is empty."""
        return type(self)(self.take(name, (dict,), {}), self.path_of(name))

    def sections(self, name: str) -> list[Reader]:
        """Take a list of objects; an absent one is empty."""
        readers = []
        for index, item in enumerate(self.take(name, (list,), [])):
            where = f"{self.path_of(name)}[{index}]"
            if type(item) is not dict:
                raise wrong_type(where, "object", item)
            readers.append(type(self)(item, where))
        return readers


DEEPEST: Final = 100
LARGEST_BYTES: Final = 64 * 1024 * 1024
_SHOWN: Final = 40


def decode(data: bytes, where: str) -> object:
    """Decode a JSON text in UTF-8; raise `InvalidDocument` if it is not valid."""
    if len(data) > LARGEST_BYTES:
        raise InvalidDocument("document_too_large", where=where, limit=LARGEST_BYTES)
    try:
        return DECODER.decode(data.decode("utf-8-sig"))
    except ValueError as error:
        raise InvalidDocument("document_not_json", where=where, got=str(error)) from error
    except RecursionError as error:
        raise InvalidDocument("document_too_deep", where=where, limit=DEEPEST) from error


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    fields: Json = {}
    for name, value in pairs:
        if name in fields:
            raise InvalidDocument("document_field_twice", where=display_key(name))
        fields[name] = value
    return fields


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(digits[:_SHOWN])
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse
)
