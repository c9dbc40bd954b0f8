"""Parse a command line against the tables of commands; what is wrong raises `WrongUsage`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from msgspec.structs import replace

from outlast.console.call import Call, shell_word
from outlast.console.command_index import (
    ALIASES,
    COMMON,
    HELP,
    VERSION,
    Argument,
    Command,
    Option,
    find_command,
    load_command,
    load_commands,
)
from outlast.errors import WrongUsage
from outlast.language import LANGUAGES, visible

if TYPE_CHECKING:
    from collections.abc import Iterator


_END: Final = "--"  # of the options; what follows are words
_NEEDS: Final = "--needs"
_NEAR: Final = 0.7  # a worse guess is worse than none
_TEXT_OPTIONS: Final = {"done": "-m", "edit": "--name"}  # what a text after the number may be
_WIDEST: Final = 48


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


def parse(arguments: list[str]) -> Call:
    """Return the call that a command line stands for."""
    words, given = _split_options(arguments, (*COMMON, VERSION, HELP), None)
    if HELP in given:
        return Call("help", {}, guess_common_options(arguments))
    common = _convert_values(given, None)
    if common.pop(VERSION.name, False):
        return Call("version", {}, common)
    if not words:
        return Call("welcome", {}, common)
    front = arguments[: len(arguments) - len(words)]
    name, *rest = *ALIASES.get(words[0], (words[0],)), *words[1:]
    command = find_command(name)
    if command is None:
        raise_unknown_command(name, front, rest)
    values = _parse_command(command, rest)
    if values is None:
        return Call("help", {"command": name}, common | guess_common_options(rest))
    common |= {option.name: values.pop(option.name) for option in COMMON if option.name in values}
    return Call(name, values, common)


def guess_common_options(arguments: list[str]) -> dict[str, Any]:
    """Return the common options of a command line that cannot be parsed."""
    common: dict[str, Any] = {"json": True} if "--json" in arguments else {}
    for option in COMMON:
        for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
            flag, joined, value = argument.partition("=")
            chosen = value if joined else following
            if option.value and flag in option.flags and chosen:
                common[option.name] = chosen
    if common.get("lang") not in LANGUAGES:
        common.pop("lang", None)
    return common


def raise_unknown_command(name: str, front: list[str], rest: list[str]) -> NoReturn:
    """Raise `WrongUsage` that spells the command line with the nearest command, if one is near."""
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), [*load_commands(), *ALIASES], 3, _NEAR)
    command = visible(name)
    if not near:
        raise WrongUsage("command_unknown", command=command)
    nearest = next((candidate for candidate in near if candidate[0] == name[:1].lower()), near[0])
    meant = ALIASES.get(nearest, (nearest,))
    is_whole = front == ["help"] or _is_valid(meant[0], [*meant[1:], *rest])
    spelled = [*front, *meant, *rest] if is_whole else ["help", meant[0]]
    words = " ".join(map(shell_word, spelled))
    raise WrongUsage("command_near", command=command, nearest=meant[0], words=words)


def _is_valid(name: str, arguments: list[str]) -> bool:
    try:
        _parse_command(load_command(name), arguments)
    except WrongUsage:
        return False
    return True


def _parse_command(command: Command, arguments: list[str]) -> dict[str, Any] | None:
    """Return the values that were given; None if help was asked for."""
    words, given = _split_options(arguments, (*command.options, *COMMON, HELP), command)
    if HELP in given:
        return None
    values = _convert_values(given, command)
    for argument in command.arguments:
        if not words and argument.required:
            required = argument.metavar.rpartition(" ")[2]  # of `[N] REASON`
            raise WrongUsage("argument_required", argument=required, usage=_usage(command))
        if words and argument.many:
            values[argument.name], words = tuple(words), []
        elif words:
            values[argument.name], *words = words
    if words:
        raise _extra_error(command.name, values.get("task", ""), words, _usage(command))
    return values


def _split_options(
    arguments: list[str], options: tuple[Option, ...], command: Command | None
) -> tuple[list[str], dict[Option, Any]]:
    """Split a command line into words and options; without a command the first word ends these."""
    flags = {flag: option for option in options for flag in option.flags}
    words: list[str] = []
    given: dict[Option, Any] = {}
    left = iter(arguments)
    for argument in left:
        if argument == _END:
            words.extend(left)
        elif argument == "-" or not argument.startswith("-"):
            words.append(argument)
            if command is None:
                words.extend(left)
        else:
            for flag, attached in _split_flags(argument, flags):
                option = flags.get(flag)
                if option is None:
                    raise _unknown_option(flag, [*flags], command)
                value = _take_value(option, attached, left)
                if value is None:
                    raise WrongUsage("option_value", option=visible(flag), usage=_usage(command))
                given[option] = (*given.get(option, ()), value) if option.many else value
    return words, given


def _split_flags(argument: str, flags: dict[str, Option]) -> Iterator[tuple[str, str | None]]:
    """Yield the flags of an argument with the value attached to them, as in `--a=b` and `-mTEXT`.

    A switch of one letter may have other letters behind it.
    """
    if argument.startswith("--"):
        flag, joined, value = argument.partition("=")
        yield flag, value if joined else None
        return
    for place, letter in enumerate(argument[1:], 2):
        option = flags.get(f"-{letter}")
        takes_rest = option is not None and option.value
        yield f"-{letter}", (argument[place:] or None) if takes_rest else None
        if takes_rest:
            return


def _take_value(option: Option, attached: str | None, left: Iterator[str]) -> str | bool | None:
    """Return the value of an option; None if it is missing, or a switch was given one."""
    if option.value:
        return next(left, None) if attached is None else attached
    return True if attached is None else None


def _convert_values(given: dict[Option, Any], command: Command | None) -> dict[str, Any]:
    """Return the values by the names of their options; numbers as such."""
    values: dict[str, Any] = {}
    for option, value in given.items():
        number = _parse_count(value) if option.is_number else None
        if (option.is_number and not number) or (option.choices and value not in option.choices):
            expected = "1, 2, 3 ..." if option.is_number else option.value
            flag = option.flags[0]
            raise WrongUsage("option_wrong", option=flag, expected=expected, usage=_usage(command))
        values[option.name] = number or value
    return values


def _parse_count(word: str) -> int:
    """Return the number that a word is, or 0 if it is none."""
    try:
        return max(int(word), 0)
    except ValueError:
        return 0


def _usage(command: Command | None) -> str:

    return f"outlast {short_usage(command)}" if command else "outlast [COMMAND]"


def _extra_error(command: str, task: str, extra: list[str], usage: str) -> WrongUsage:
    """Return the error for words too many; a text without its option is shown with it."""
    from outlast.console.plan_context import is_task_number

    unexpected = visible(" ".join(extra))
    option = _TEXT_OPTIONS.get(command)
    if option is None:
        return WrongUsage("arguments_extra", extra=unexpected, usage=usage)
    number, words = (task, extra) if is_task_number(task) else ("", [task, *extra])
    parts = [command, *([number] if number else []), option, shell_word(" ".join(words))]
    return WrongUsage("arguments_extra_text", extra=unexpected, words=" ".join(parts))


def _unknown_option(flag: str, known: list[str], command: Command | None) -> WrongUsage:
    """Return the error for a flag that is not known: with one that is near, if it is a long one."""
    option, usage = visible(flag), _usage(command)
    if flag.startswith("--"):
        from difflib import get_close_matches

        long = [name for name in known if name.startswith("--")]
        for nearest in get_close_matches(flag, long, 1):
            return WrongUsage("option_near", option=option, nearest=nearest, usage=usage)
    elif command and any(argument.metavar == "KEY" for argument in command.arguments):
        return WrongUsage("option_or_key", option=option, command=command.name)
    return WrongUsage("option_unknown", option=option, usage=usage)


def short_usage(command: Command) -> str:
    """Return the usage in one short line; `[...]` stands for what has no room."""
    usage = full_usage(command)
    if len(usage) > _WIDEST:
        return f"{full_usage(replace(command, options=()))} [...]"
    return f"{usage} [...]" if any(option.unlisted for option in command.options) else usage


def full_usage(command: Command) -> str:
    """Return the usage in one line."""
    parts = [command.name, *map(argument_usage, command.arguments)]
    listed = [option for option in command.options if not option.unlisted]
    parts += [f"[{f'{option.flags[0]} {option.value}'.strip()}]" for option in listed]
    return " ".join(parts)


def argument_usage(argument: Argument) -> str:
    """Return how an argument is spelled; one that may be missing stands in brackets."""
    value = f"{argument.metavar}..." if argument.many else argument.metavar
    return value if argument.required else f"[{value}]"


def option_usage(option: Option) -> str:
    """Return how an option is spelled."""
    flags = ", ".join(option.flags)
    return f"{flags} {option.value}".rstrip()
