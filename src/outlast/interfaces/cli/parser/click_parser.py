"""Reads a command line with click, and says what is wrong with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import click
from msgspec.structs import replace

from outlast.errors import WrongUsage
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.language import LANGUAGES
from outlast.interfaces.cli.parser.table import ALIASES, COMMANDS, COMMON, unaliased
from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.interfaces.cli.parser.table import Argument, Command, Option

_HELP: Final = ("-h", "--help")
_COUNT: Final = click.IntRange(min=1)
_WIDEST: Final = 48


class HelpWanted(Exception):
    """Somebody asks what a command does."""


def read(arguments: list[str]) -> Call:
    """Return what is asked; raise `WrongUsage` for what is no command line of ours."""
    try:
        common = _parsed(_FRONT, arguments)
    except HelpWanted:
        return Call("help", {}, peek(arguments))
    rest: list[str] = [*common.pop("rest", ())]
    if common.pop("version", False):
        return Call("version", {}, common)
    if not rest:
        return Call("welcome", {}, common)
    return _read_command(unaliased(rest), common)


def _read_command(arguments: list[str], common: dict[str, Any]) -> Call:
    name, *rest = arguments
    command = COMMANDS.get(name)
    if command is None or command.hidden:
        refuse_unknown(name)
    try:
        values = _parsed(_parser(command), rest)
    except HelpWanted:
        return Call("help", {"command": name}, common | peek(rest))
    common |= {option.name: values.pop(option.name) for option in COMMON if option.name in values}
    return Call(name, values, common)


def refuse_unknown(name: str) -> NoReturn:
    """Say that there is no such command, and which one is meant perhaps."""
    from difflib import get_close_matches

    shown = [command.name for command in COMMANDS.values() if not command.hidden]
    near = get_close_matches(name.lower(), [*shown, *ALIASES], 3, 0.5)
    command = visible(name)
    if not near:
        raise WrongUsage("command_unknown", command=command)
    meant = next((one for one in near if one[0] == name[:1].lower()), near[0])
    raise WrongUsage("command_near", command=command, nearest=ALIASES.get(meant, (meant,))[0])


def peek(arguments: list[str]) -> dict[str, Any]:
    """Return language and form of an answer about a command line that cannot be read."""
    found: dict[str, Any] = {"json": True} if "--json" in arguments else {}
    for argument, after in zip(arguments, [*arguments[1:], ""], strict=True):
        chosen = after if argument == "--lang" else argument.removeprefix("--lang=")
        if chosen in LANGUAGES and argument.startswith("--lang"):
            found["lang"] = chosen
    return found


def _parsed(command: click.Command, arguments: list[str]) -> dict[str, Any]:
    """Return the values that were given."""
    try:
        context = command.make_context(command.name, list(arguments))
    except click.UsageError as error:
        raise _wrong(error, command.name or "") from None
    return {name: value for name, value in context.params.items() if value not in (None, (), False)}


def _wrong(error: click.UsageError, command: str) -> WrongUsage:
    """Put an error of click into our own words."""
    known = COMMANDS.get(command)
    usage = f"outlast {short_usage(known)}" if known else "outlast [COMMAND]"
    if isinstance(error, click.NoSuchOption):
        option = visible(error.option_name)
        if error.possibilities:
            near = error.possibilities[0]
            return WrongUsage("option_near", option=option, nearest=near, usage=usage)
        return WrongUsage("option_unknown", option=option, usage=usage)
    if isinstance(error, click.BadOptionUsage):
        return WrongUsage("option_value", option=visible(error.option_name), usage=usage)
    if isinstance(error, click.MissingParameter) and error.param:
        return WrongUsage("argument_left_out", argument=_last(error.param.metavar), usage=usage)
    if isinstance(error, click.BadParameter) and error.param:
        option = error.param.opts[0]
        expected = "1, 2, 3 ..." if error.param.type is _COUNT else error.param.metavar
        return WrongUsage("option_wrong", option=option, expected=expected, usage=usage)
    return WrongUsage("arguments_left_over", usage=usage)


def _last(shown: str | None) -> str:
    """Return what is missing of `[N] REASON`."""
    return (shown or "").rpartition(" ")[2]


def short_usage(command: Command) -> str:
    """Return what a command takes, in one short line; of many options only that there are some."""
    usage = usage_of(command)
    if len(usage) > _WIDEST:
        return f"{usage_of(replace(command, options=()))} [...]"
    return f"{usage} [...]" if any(option.quiet for option in command.options) else usage


def usage_of(command: Command) -> str:
    """Return what a command takes, in one line."""
    parts = [command.name, *map(_argument_usage, command.arguments)]
    told = [option for option in command.options if not option.quiet]
    parts += [f"[{f'{option.flags[0]} {option.shown}'.strip()}]" for option in told]
    return " ".join(parts)


def _argument_usage(argument: Argument) -> str:
    shown = f"{argument.shown}..." if argument.many else argument.shown
    return shown if argument.required else f"[{shown}]"


def option_usage(option: Option) -> str:
    """Return how an option is given."""
    flags = ", ".join(option.flags)
    return f"{flags} {option.shown}" if option.shown else flags


def _parser(command: Command) -> click.Command:
    params: list[click.Parameter] = [_click_argument(argument) for argument in command.arguments]
    params += [_click_option(option) for option in (*command.options, *COMMON)]
    return click.Command(command.name, params=[*params, _help_option()], add_help_option=False)


def _click_argument(argument: Argument) -> click.Argument:
    return click.Argument(
        [argument.name],
        required=argument.required,
        nargs=-1 if argument.many else 1,
        metavar=argument.shown,
    )


def _click_option(option: Option) -> click.Option:
    return click.Option(
        [*option.flags, option.name],
        is_flag=None if option.shown else True,
        multiple=option.many,
        metavar=option.shown or None,
        type=_type(option),
    )


def _type(option: Option) -> click.ParamType[Any] | None:
    if option.choices:
        return click.Choice(option.choices)
    return _COUNT if option.is_number else None


def _help_option() -> click.Option:
    def wanted(_context: click.Context, _parameter: click.Parameter, given: bool) -> None:  # noqa: FBT001 - click calls it so
        if given:
            raise HelpWanted

    return click.Option([*_HELP], is_flag=True, is_eager=True, expose_value=False, callback=wanted)


# What stands before the command; the first word that is no option ends it.
_FRONT: Final = click.Command(
    "outlast",
    params=[
        *map(_click_option, COMMON),
        click.Option(["--version"], is_flag=True),
        _help_option(),
        click.Argument(["rest"], nargs=-1, type=click.UNPROCESSED),
    ],
    context_settings={"allow_interspersed_args": False},
    add_help_option=False,
)
