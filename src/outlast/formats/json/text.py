"""JSON text from outside, decoded strictly: one object, each field once, finite numbers."""

from __future__ import annotations

import json
import math
from typing import Any, Final, NoReturn

from outlast.domain.limits import shown_key
from outlast.errors import InvalidDocument
from outlast.formats.json.foreign_fields import DEEPEST

Json = dict[str, Any]
LARGEST_BYTES: Final = 64 * 1024 * 1024
_SHOWN: Final = 40


def decode(data: bytes, where: str) -> object:
    """Return the value that a text in UTF-8 stands for."""
    if len(data) > LARGEST_BYTES:
        raise InvalidDocument("document_too_large", where=where, limit=LARGEST_BYTES)
    try:
        return _DECODER.decode(data.decode("utf-8-sig"))
    except ValueError as error:
        raise InvalidDocument("document_not_json", where=where, got=str(error)) from error
    except RecursionError as error:
        raise InvalidDocument("document_too_deep", where=where, limit=DEEPEST) from error


def _once(pairs: list[tuple[str, Any]]) -> Json:
    made: Json = {}
    for name, value in pairs:
        if name in made:
            raise InvalidDocument("document_field_twice", where=shown_key(name))
        made[name] = value
    return made


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(digits[:_SHOWN])
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=_finite, parse_constant=_refuse
)
