"""The full parser: parse a command line with click, and turn its errors into `WrongUsage`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from outlast.errors import WrongUsage
from outlast.interfaces.cli.call import LANGUAGES, Call
from outlast.interfaces.cli.parser.table import ALIASES, COMMANDS, COMMON, resolve_alias
from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.interfaces.cli.parser.table import Argument, Command, Option

_HELP: Final = ("-h", "--help")
_COUNT: Final = click.IntRange(min=1)


class HelpRequested(Exception):
    """Raised when `--help` is among the options."""


def parse(arguments: list[str]) -> Call:
    """Parse a command line; raise `WrongUsage` if it is wrong."""
    try:
        common = _parse_values(_FRONT, arguments)
    except HelpRequested:
        return Call("help", {}, guess_common_options(arguments))
    rest: list[str] = [*common.pop("rest", ())]
    if common.pop("version", False):
        return Call("version", {}, common)
    if not rest:
        return Call("welcome", {}, common)
    return _parse_command(resolve_alias(rest), common)


def _parse_command(arguments: list[str], common: dict[str, Any]) -> Call:
    name, *rest = arguments
    command = COMMANDS.get(name)
    if command is None or command.hidden:
        raise_unknown_command(name)
    try:
        values = _parse_values(_click_command(command), rest)
    except HelpRequested:
        return Call("help", {"command": name}, common | guess_common_options(rest))
    common |= {option.name: values.pop(option.name) for option in COMMON if option.name in values}
    return Call(name, values, common)


def raise_unknown_command(name: str) -> NoReturn:
    """Raise `WrongUsage` that names the nearest command."""
    from difflib import get_close_matches

    names = [command.name for command in COMMANDS.values() if not command.hidden]
    near = get_close_matches(name.lower(), [*names, *ALIASES], 3, 0.5)
    command = visible(name)
    if not near:
        raise WrongUsage("command_unknown", command=command)
    nearest = next((candidate for candidate in near if candidate[0] == name[:1].lower()), near[0])
    raise WrongUsage("command_near", command=command, nearest=ALIASES.get(nearest, (nearest,))[0])


def guess_common_options(arguments: list[str]) -> dict[str, Any]:
    """Return `--json` and `--lang` of a command line that cannot be parsed."""
    common: dict[str, Any] = {"json": True} if "--json" in arguments else {}
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        chosen = following if argument == "--lang" else argument.removeprefix("--lang=")
        if chosen in LANGUAGES and argument.startswith("--lang"):
            common["lang"] = chosen
    return common


def _parse_values(command: click.Command, arguments: list[str]) -> dict[str, Any]:
    """Return the values that were given."""
    try:
        context = command.make_context(command.name, list(arguments))
    except click.UsageError as error:
        raise _usage_error(error, command.name or "") from None
    return {name: value for name, value in context.params.items() if value not in (None, (), False)}


def _usage_error(error: click.UsageError, command: str) -> WrongUsage:
    """Translate an error of click."""
    from outlast.interfaces.cli.parser.usage import short_usage

    row = COMMANDS.get(command)
    usage = f"outlast {short_usage(row)}" if row else "outlast [COMMAND]"
    if isinstance(error, click.NoSuchOption):
        option = visible(error.option_name)
        if error.possibilities:
            near = error.possibilities[0]
            return WrongUsage("option_near", option=option, nearest=near, usage=usage)
        return WrongUsage("option_unknown", option=option, usage=usage)
    if isinstance(error, click.BadOptionUsage):
        return WrongUsage("option_value", option=visible(error.option_name), usage=usage)
    if isinstance(error, click.MissingParameter) and error.param:
        return WrongUsage(
            "argument_required", argument=_missing_part(error.param.metavar), usage=usage
        )
    if isinstance(error, click.BadParameter) and error.param:
        option = error.param.opts[0]
        expected = "1, 2, 3 ..." if error.param.type is _COUNT else error.param.metavar
        return WrongUsage("option_wrong", option=option, expected=expected, usage=usage)
    return WrongUsage("arguments_extra", usage=usage)


def _missing_part(metavar: str | None) -> str:
    """Return the required part of `[N] REASON`."""
    return (metavar or "").rpartition(" ")[2]


def _click_command(command: Command) -> click.Command:
    params: list[click.Parameter] = [_click_argument(argument) for argument in command.arguments]
    params += [_click_option(option) for option in (*command.options, *COMMON)]
    return click.Command(command.name, params=[*params, _help_option()], add_help_option=False)


def _click_argument(argument: Argument) -> click.Argument:
    return click.Argument(
        [argument.name],
        required=argument.required,
        nargs=-1 if argument.many else 1,
        metavar=argument.metavar,
    )


def _click_option(option: Option) -> click.Option:
    return click.Option(
        [*option.flags, option.name],
        is_flag=None if option.metavar else True,
        multiple=option.many,
        metavar=option.metavar or None,
        type=_click_type(option),
    )


def _click_type(option: Option) -> click.ParamType[Any] | None:
    if option.choices:
        return click.Choice(option.choices)
    return _COUNT if option.is_number else None


def _help_option() -> click.Option:
    def on_help(_context: click.Context, _parameter: click.Parameter, given: bool) -> None:  # noqa: FBT001 - click calls it so
        if given:
            raise HelpRequested

    return click.Option([*_HELP], is_flag=True, is_eager=True, expose_value=False, callback=on_help)


# The options before the command; the first word that is no option ends them.
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
