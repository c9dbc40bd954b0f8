"""Reads the most frequent commands without the cost of a parser; leaves all else to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.language import LANGUAGES
from outlast.interfaces.cli.parser.table import ALIASES, COMMANDS, COMMON, unaliased

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.interfaces.cli.parser.table import Option

_FREQUENT: Final = ("next", "done")
_COMMON: Final = {flag: option for option in COMMON for flag in option.flags}


def read(arguments: list[str]) -> Call | None:
    """Return what is asked if it is frequent and plainly spelled, else None."""
    common: dict[str, Any] = {}
    rest = _options(arguments, _COMMON, common, stop=True)
    if not rest or ALIASES.get(rest[0], rest)[0] not in _FREQUENT:
        return None
    name, *rest = unaliased(rest)
    command = COMMANDS[name]
    own = {flag: option for option in command.options for flag in option.flags}
    values: dict[str, Any] = {}
    found = _options(rest, own | _COMMON, values)
    if found is None or len(found) > len(command.arguments) or "" in found:
        return None
    common |= {option.name: values.pop(option.name) for option in COMMON if option.name in values}
    if common.get("lang", "en") not in LANGUAGES:
        return None
    given = dict(zip((argument.name for argument in command.arguments), found, strict=False))
    return Call(name, values | given, common)


def _options(
    arguments: Sequence[str],
    known: dict[str, Option],
    values: dict[str, Any],
    *,
    stop: bool = False,
) -> list[str] | None:
    """Take the options out; None if one is not known, or its value may be an option itself."""
    rest: list[str] = []
    left = iter(arguments)
    for argument in left:
        if not argument.startswith("-"):
            rest.append(argument)
            if stop:
                rest.extend(left)
            continue
        option = known.get(argument)
        value = _value(option, left) if option and not option.is_number else None
        if option is None or value is None:
            return None
        values[option.name] = value
    return rest


def _value(option: Option, left: Iterator[str]) -> str | bool | None:
    if not option.shown:
        return True
    value = next(left, "-")
    return None if value.startswith("-") else value
