"""Read JSON that came from outside, field by field; what nobody asked for is kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from outlast.domain.limits import TYPE_NAMES, type_name
from outlast.errors import InvalidDocument

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")
Json = dict[str, Any]


def plain(data: object, where: str) -> Json:
    """Return a copy made of JSON's own types only; refuse what JSON cannot say."""
    if not isinstance(data, dict):
        raise wrong_type(where, "object", data)
    try:
        copy: Json = json.loads(json.dumps(data, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidDocument("document_not_json", where=where, got=str(error)) from error
    return copy


def wrong_type(where: str, expected: str | list[str], value: object) -> InvalidDocument:
    """Make the error for a value of a type that does not fit."""
    return InvalidDocument(
        "document_wrong_type", where=where, expected=expected, got=type_name(value)
    )


class Reader:
    """One JSON object; what has been taken is gone from `rest`."""

    def __init__(self, fields: Json, where: str) -> None:
        """Read an object found at this place of its document."""
        self.rest = dict(fields)
        self.where = where

    def place(self, name: str) -> str:
        """Return the place of a field, for messages."""
        return f"{self.where}.{name}" if self.where else name

    def take(self, name: str, kinds: tuple[type, ...], default: Any = None) -> Any:  # noqa: ANN401 - JSON
        """Take a field of one of these types; null counts as absent."""
        value = self.rest.pop(name, None)
        if value is None:
            return default
        if type(value) not in kinds:
            raise wrong_type(self.place(name), [TYPE_NAMES[kind] for kind in kinds], value)
        return value

    def need(self, name: str, kinds: tuple[type, ...]) -> Any:  # noqa: ANN401 - JSON
        """Take a field that has to be there."""
        value = self.take(name, kinds)
        if value is None:
            raise InvalidDocument("document_missing", where=self.place(name))
        return value

    def text(self, name: str, default: str = "") -> str:
        """Take a string."""
        value: str = self.take(name, (str,), default)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Take a list of strings, empty if it is absent."""
        found = tuple(self.take(name, (list,), []))
        for index, item in enumerate(found):
            if type(item) is not str:
                raise wrong_type(f"{self.place(name)}[{index}]", "string", item)
        return found

    def whole(self, name: str, default: int = 0) -> int:
        """Take a whole number that is not negative."""
        value: int = self.take(name, (int,), default)
        if value < 0:
            raise InvalidDocument("document_negative", where=self.place(name))
        return value

    def choice(self, name: str, choices: Iterable[str], default: str) -> Any:  # noqa: ANN401 - a literal
        """Take one of a few words."""
        value = self.text(name, default)
        known = list(choices)
        if value not in known:
            raise InvalidDocument("document_bad_choice", where=self.place(name), choices=known[:])
        return value

    def all_read(self, made: T) -> T:
        """Return what was made of this object, if nothing of it is left over."""
        for name in self.rest:
            raise InvalidDocument("document_unknown_field", where=self.place(name))
        return made

    def section(self, name: str) -> Reader:
        """Take an object inside this one, empty if it is absent."""
        return type(self)(self.take(name, (dict,), {}), self.place(name))

    def sections(self, name: str) -> list[Reader]:
        """Take a list of objects, empty if it is absent."""
        found = []
        for index, item in enumerate(self.take(name, (list,), [])):
            where = f"{self.place(name)}[{index}]"
            if type(item) is not dict:
                raise wrong_type(where, "object", item)
            found.append(type(self)(item, where))
        return found
