"""A fast parser for command lines that are simply spelled; it leaves all others to click."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.console.call import Call
from outlast.console.table import COMMANDS, COMMON, resolve_alias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.console.table import Argument, Option

_NEEDS: Final = "--needs"
_COMMON: Final = {flag: option for option in COMMON for flag in option.flags}


def join_needs(arguments: list[str]) -> list[str]:
    """Join a list of tasks that was written with spaces: `--needs 1, 2` is `--needs 1,2`."""
    if _NEEDS not in " ".join(arguments):
        return arguments
    joined: list[str] = []
    for argument in arguments:
        is_needs = joined[-2:-1] == [_NEEDS] or "".join(joined[-1:]).startswith(f"{_NEEDS}=")
        if is_needs and (joined[-1].endswith(",") or argument.startswith(",")):
            joined[-1] += argument
        else:
            joined.append(argument)
    return joined


def parse(arguments: list[str]) -> Call | None:
    """Return the call; None if it is wrong, or only click knows what it means."""
    common: dict[str, Any] = {}
    rest = _take_options(arguments, _COMMON, common, stop=True)
    if not rest:
        return None
    name, *rest = resolve_alias(rest)
    command = COMMANDS.get(name)
    if command is None or command.hidden:
        return None
    own = {flag: option for option in command.options for flag in option.flags}
    values: dict[str, Any] = {}
    words = _take_options(rest, own | _COMMON, values)
    arguments_by_name = None if words is None else _name_words(command.arguments, words)
    if arguments_by_name is None:
        return None
    common |= {option.name: values.pop(option.name) for option in COMMON if option.name in values}
    return Call(name, values | arguments_by_name, common)


def _take_options(
    arguments: Sequence[str],
    options: dict[str, Option],
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
        option = options.get(argument)
        value = None if option is None else _take_value(option, left)
        if option is None or value is None:
            return None
        values[option.name] = (*values.get(option.name, ()), value) if option.many else value
    return rest


def _take_value(option: Option, left: Iterator[str]) -> str | bool | None:
    if not option.metavar:
        return True
    value = next(left, "-")
    is_wrong = value.startswith("-") or (option.choices and value not in option.choices)
    return None if is_wrong or option.is_number else value


def _name_words(arguments: Sequence[Argument], words: list[str]) -> dict[str, Any] | None:
    """Return the words by the names of the arguments; None if there are too many or too few."""
    values: dict[str, Any] = {}
    if "" in words:
        return None
    for argument in arguments:
        if not words and argument.required:
            return None
        if words and argument.many:
            values[argument.name], words = tuple(words), []
        elif words:
            values[argument.name], *words = words
    return None if words else values
