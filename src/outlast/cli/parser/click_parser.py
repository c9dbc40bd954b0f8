"""The full parser: parse a command line with click, and turn its errors into `WrongUsage`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from outlast.console.call import Call, shell_word
from outlast.console.table import ALIASES, COMMANDS, COMMON, resolve_alias
from outlast.console.values import is_task_number
from outlast.errors import WrongUsage
from outlast.language import LANGUAGES, visible

if TYPE_CHECKING:
    from outlast.console.table import Argument, Command, Option

_HELP: Final = ("-h", "--help")
_COUNT: Final = click.IntRange(min=1)
_NEAR: Final = 0.7  # a worse guess is worse than none
_TEXT_OPTIONS: Final = {"done": "-m", "edit": "--name"}  # what a text after the number may be


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
    front = arguments[: len(arguments) - len(rest)]
    return _parse_command(resolve_alias(rest), common, front)


def _parse_command(arguments: list[str], common: dict[str, Any], front: list[str]) -> Call:
    name, *rest = arguments
    command = COMMANDS.get(name)
    if command is None or command.hidden:
        raise_unknown_command(name, front, rest)
    try:
        values = _parse_values(_click_command(command), rest)
    except HelpRequested:
        return Call("help", {"command": name}, common | guess_common_options(rest))
    common |= {option.name: values.pop(option.name) for option in COMMON if option.name in values}
    return Call(name, values, common)


def raise_unknown_command(name: str, front: list[str], rest: list[str]) -> NoReturn:
    """Raise `WrongUsage` that spells the command line with the nearest command, if one is near."""
    from difflib import get_close_matches

    names = [command.name for command in COMMANDS.values() if not command.hidden]
    near = get_close_matches(name.lower(), [*names, *ALIASES], 3, _NEAR)
    command = visible(name)
    if not near:
        raise WrongUsage("command_unknown", command=command)
    nearest = next((candidate for candidate in near if candidate[0] == name[:1].lower()), near[0])
    meant = ALIASES.get(nearest, (nearest,))
    is_whole = front == ["help"] or _is_valid(meant[0], [*meant[1:], *rest])
    spelled = [*front, *meant, *rest] if is_whole else ["help", meant[0]]
    words = " ".join(map(shell_word, spelled))
    raise WrongUsage("command_near", command=command, nearest=meant[0], words=words)


def _is_valid(command: str, arguments: list[str]) -> bool:
    try:
        with suppress(HelpRequested):
            _parse_values(_click_command(COMMANDS[command]), arguments)
    except WrongUsage:
        return False
    return True


def guess_common_options(arguments: list[str]) -> dict[str, Any]:
    """Return the common options of a command line that cannot be parsed."""
    common: dict[str, Any] = {"json": True} if "--json" in arguments else {}
    for option in COMMON:
        for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
            flag, joined, value = argument.partition("=")
            chosen = value if joined else following
            if option.metavar and flag in option.flags and chosen:
                common[option.name] = chosen
    if common.get("lang") not in LANGUAGES:
        common.pop("lang", None)
    return common


def _parse_values(command: click.Command, arguments: list[str]) -> dict[str, Any]:
    """Return the values that were given."""
    name = command.name or ""
    try:
        context = command.make_context(name, list(arguments), allow_extra_args=True)
    except click.UsageError as error:
        raise _usage_error(error, name) from None
    if context.args:
        raise _extra_error(name, context.params.get("task") or "", context.args)
    return {name: value for name, value in context.params.items() if value not in (None, (), False)}


def _usage(command: str) -> str:
    from outlast.cli.parser.usage import short_usage

    row = COMMANDS.get(command)
    return f"outlast {short_usage(row)}" if row else "outlast [COMMAND]"


def _extra_error(command: str, task: str, extra: list[str]) -> WrongUsage:
    """Return the error for words too many; a text without its option is shown with it."""
    unexpected = visible(" ".join(extra))
    option = _TEXT_OPTIONS.get(command)
    if option is None:
        return WrongUsage("arguments_extra", extra=unexpected, usage=_usage(command))
    number, words = (task, extra) if is_task_number(task) else ("", [task, *extra])
    parts = [command, *([number] if number else []), option, shell_word(" ".join(words))]
    return WrongUsage("arguments_extra_text", extra=unexpected, words=" ".join(parts))


def _usage_error(error: click.UsageError, command: str) -> WrongUsage:
    """Translate an error of click."""
    usage = _usage(command)
    if isinstance(error, click.NoSuchOption):
        option = visible(error.option_name)
        if error.possibilities:
            near = error.possibilities[0]
            return WrongUsage("option_near", option=option, nearest=near, usage=usage)
        arguments = COMMANDS[command].arguments if command in COMMANDS else ()
        takes_key = any(argument.metavar == "KEY" for argument in arguments)
        if takes_key and not option.startswith("--"):
            return WrongUsage("option_or_key", option=option, command=command)
        return WrongUsage("option_unknown", option=option, usage=usage)
    if isinstance(error, click.BadOptionUsage):
        return WrongUsage("option_value", option=visible(error.option_name), usage=usage)
    if isinstance(error, click.MissingParameter) and error.param:
        return WrongUsage(
            "argument_required", argument=_missing_part(error.param.metavar), usage=usage
        )
    if not isinstance(error, click.BadParameter) or not error.param:
        raise error
    option = error.param.opts[0]
    expected = "1, 2, 3 ..." if error.param.type is _COUNT else error.param.metavar
    return WrongUsage("option_wrong", option=option, expected=expected, usage=usage)


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
