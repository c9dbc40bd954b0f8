"""Parse settings: dotted keys, the type of each, and values from files, variables, arguments."""

from __future__ import annotations

from contextlib import suppress
from difflib import get_close_matches
from math import isfinite
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    get_args,
    get_origin,
    get_type_hints,
)

from msgspec import Struct, ValidationError, convert, structs

from outlast.config.amounts import parse_amount
from outlast.config.settings import Settings
from outlast.errors import InvalidSetting
from outlast.model.limits import LARGEST_ID, TYPE_NAMES, type_name, wrong_type_error

if TYPE_CHECKING:
    from collections.abc import Iterator
_FLAGS: Final = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
_WHERE: Final = "settings"
_DEFAULTS: Final = Settings()


def _walk_keys(kind: type[Struct], before: str = "") -> Iterator[tuple[str, Any]]:
    hints = get_type_hints(kind, include_extras=True)
    for field in structs.fields(kind):
        name = f"{before}{field.name}"
        if isinstance(field.type, type) and issubclass(field.type, Struct):
            yield from _walk_keys(field.type, f"{name}.")
        else:
            yield name, hints[field.name]


KEYS: Final[dict[str, Any]] = dict(_walk_keys(Settings))
SECTIONS: Final = frozenset(key.partition(".")[0] for key in KEYS if "." in key)


def nearest_key(key: str) -> str:
    """Return the known key that is most similar to this one."""
    matches: list[str] = get_close_matches(key[:100], list(KEYS), 1, 0)
    return matches[0]


def value_of(settings: Settings, key: str) -> Any:  # noqa: ANN401 - of any setting
    """Return the value of a dotted key."""
    value: Any = settings
    for name in key.split("."):
        value = getattr(value, name)
    return value


def check_value(key: str, value: object, where: str) -> Any:  # noqa: ANN401 - of any setting
    """Convert a value to the type of its setting; raise `InvalidSetting` with place and type."""
    section, _, name = key.rpartition(".")
    given = value
    if section == "budget" and isinstance(value, str):
        given = parse_amount(name, value)
        if given is None:
            raise InvalidSetting("setting_amount", where=where, key=key, value=value[:80])
    try:
        converted = convert(given, KEYS[key], strict=True)
    except ValidationError as error:
        raise _type_error(key, value, where) from error
    if not _is_in_range(converted):
        raise InvalidSetting("setting_range", where=where, key=key, value=str(value)[:80])
    return converted


def parse_text(key: str, value: str) -> object:
    """Parse the text of an environment variable; text that does not fit is returned as it is."""
    kind = _bare_type(KEYS[key])
    if kind is bool:
        return _FLAGS.get(value.strip().lower(), value)
    if get_origin(kind) is tuple:
        return tuple(filter(None, (item.strip() for item in value.split(","))))
    if kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return value


def _type_error(key: str, value: object, where: str) -> InvalidSetting:
    kind = _bare_type(KEYS[key])
    if get_origin(kind) is Literal and isinstance(value, str):
        choices = [choice for choice in get_args(kind) if choice]
        return InvalidSetting("setting_choice", where=where, key=key, choices=choices)
    if kind is str and isinstance(value, str):
        return InvalidSetting("setting_path", where=where, key=key, value=value[:80])
    if kind in (int, float) and type(value) in (int, float):
        return InvalidSetting("setting_range", where=where, key=key, value=str(value)[:80])
    expected, got = _type_label(kind), type_name(value)
    return InvalidSetting("setting_wrong", where=where, key=key, expected=expected, got=got)


def _bare_type(kind: Any) -> Any:  # noqa: ANN401 - a type is anything
    """Strip `Annotated` limits and `None` from a type."""
    if get_origin(kind) is Annotated:
        return get_args(kind)[0]
    others = [option for option in get_args(kind) if option is not type(None)]
    return others[0] if type(None) in get_args(kind) else kind


def _type_label(kind: Any) -> str:  # noqa: ANN401 - a type is anything
    origin = get_origin(kind) or kind
    return TYPE_NAMES.get(str if origin is Literal else origin, "string")


def _is_in_range(value: object) -> bool:
    """Return whether every number in a value is finite, not negative and not absurdly large."""
    if isinstance(value, dict):
        return all(map(_is_in_range, value.values()))
    if isinstance(value, tuple):
        return all(map(_is_in_range, value))
    return not isinstance(value, int | float) or (isfinite(value) and 0 <= value <= LARGEST_ID)


def check_settings(given: object) -> None:
    """Validate settings that a program built itself, by the same rules as a file."""
    if not isinstance(given, Settings):
        raise wrong_type_error(_WHERE, Settings.__name__, given)
    for section in SECTIONS:
        part, kind = getattr(given, section), type(getattr(_DEFAULTS, section))
        if not isinstance(part, kind):
            expected, got = kind.__name__, type(part).__name__
            raise InvalidSetting(
                "setting_wrong", where=_WHERE, key=section, expected=expected, got=got
            )
    for key in KEYS:
        check_value(key, value_of(given, key), _WHERE)
