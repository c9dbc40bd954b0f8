"""A fast parser for the most frequent commands; it leaves all others to click."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.interfaces.cli.call import LANGUAGES, Call
from outlast.interfaces.cli.parser.table import ALIASES, COMMANDS, COMMON, resolve_alias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.interfaces.cli.parser.table import Option

_FREQUENT: Final = ("next", "done")
_COMMON: Final = {flag: option for option in COMMON for flag in option.flags}


def parse(arguments: list[str]) -> Call | None:
    """Return the call if its command is frequent and simply spelled, else None."""
    common: dict[str, Any] = {}
    rest = _take_options(arguments, _COMMON, common, stop=True)
    if not rest or ALIASES.get(rest[0], rest)[0] not in _FREQUENT:
        return None
    name, *rest = resolve_alias(rest)
    command = COMMANDS[name]
    own = {flag: option for option in command.options for flag in option.flags}
    values: dict[str, Any] = {}
    words = _take_options(rest, own | _COMMON, values)
    if words is None or len(words) > len(command.arguments) or "" in words:
        return None
    common |= {option.name: values.pop(option.name) for option in COMMON if option.name in values}
    if common.get("lang", "en") not in LANGUAGES:
        return None
    arguments_by_name = dict(
        zip((argument.name for argument in command.arguments), words, strict=False)
    )
    return Call(name, values | arguments_by_name, common)


def _take_options(
    arguments: Sequence[str],
    known: dict[str, Option],
    values: dict[str, Any],
    *,
    stop: bool = False,
) -> list[str] | None:
    """Split the options off; return None if one is unknown or its value may be an option."""
    rest: list[str] = []
    left = iter(arguments)
    for argument in left:
        if not argument.startswith("-"):
            rest.append(argument)
            if stop:
                rest.extend(left)
            continue
        option = known.get(argument)
        value = _take_value(option, left) if option and not option.is_number else None
        if option is None or value is None:
            return None
        values[option.name] = value
    return rest


def _take_value(option: Option, left: Iterator[str]) -> str | bool | None:
    if not option.metavar:
        return True
    value = next(left, "-")
    return None if value.startswith("-") else value
