"""What a value from a file, the environment or an argument has to be."""

from __future__ import annotations

from contextlib import suppress
from math import isfinite
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from msgspec import ValidationError, convert

from outlast.config.amounts import read_amount
from outlast.config.keys import KEYS
from outlast.domain.limits import LARGEST_ID, TYPE_NAMES, type_name
from outlast.errors import InvalidSetting

_FLAGS: Final = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def checked(key: str, value: object, where: str) -> Any:  # noqa: ANN401 - of any setting
    """Return a value that a setting can have; else say where it is, and what was expected."""
    section, _, name = key.rpartition(".")
    given = value
    if section == "budget" and isinstance(value, str):
        given = read_amount(name, value)
        if given is None:
            raise InvalidSetting("setting_amount", where=where, key=key, value=value[:80])
    try:
        found = convert(given, KEYS[key], strict=True)
    except ValidationError as error:
        raise _wrong(key, value, where) from error
    if not _sane(found):
        raise InvalidSetting("setting_range", where=where, key=key, value=str(value)[:80])
    return found


def from_text(key: str, value: str) -> object:
    """Return what a text of the environment stands for, as far as it can be understood."""
    kind = _plain(KEYS[key])
    if kind is bool:
        return _FLAGS.get(value.strip().lower(), value)
    if get_origin(kind) is tuple:
        return tuple(filter(None, (one.strip() for one in value.split(","))))
    if kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return value


def _wrong(key: str, value: object, where: str) -> InvalidSetting:
    kind = _plain(KEYS[key])
    if get_origin(kind) is Literal and isinstance(value, str):
        choices = [one for one in get_args(kind) if one]
        return InvalidSetting("setting_choice", where=where, key=key, choices=choices)
    if kind in (int, float) and type(value) in (int, float):
        return InvalidSetting("setting_range", where=where, key=key, value=str(value)[:80])
    expected, got = _called(kind), type_name(value)
    return InvalidSetting("setting_wrong", where=where, key=key, expected=expected, got=got)


def _plain(kind: Any) -> Any:  # noqa: ANN401 - a type is anything
    """Return a type without its limits, and without None."""
    if get_origin(kind) is Annotated:
        return get_args(kind)[0]
    others = [one for one in get_args(kind) if one is not type(None)]
    return others[0] if type(None) in get_args(kind) else kind


def _called(kind: Any) -> str:  # noqa: ANN401 - a type is anything
    origin = get_origin(kind) or kind
    return TYPE_NAMES.get(str if origin is Literal else origin, "string")


def _sane(value: object) -> bool:
    """Tell whether all numbers in a value are finite, not below 0, and not beyond all measure."""
    if isinstance(value, dict):
        return all(map(_sane, value.values()))
    if isinstance(value, tuple):
        return all(map(_sane, value))
    return not isinstance(value, int | float) or (isfinite(value) and 0 <= value <= LARGEST_ID)
