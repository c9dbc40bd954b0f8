"""`help` and `--version`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import outlast
from outlast.cli.parser import full_usage, option_usage, raise_unknown_command, short_usage
from outlast.console.call import Answer, Call, Json
from outlast.console.command_index import (
    ALIASES,
    COMMON,
    HELP,
    VERSION,
    Command,
    find_command,
    load_commands,
)
from outlast.language import text

if TYPE_CHECKING:
    from collections.abc import Iterator


def version(_call: Call) -> Answer:
    """Show the version."""
    number = outlast.__version__
    return Answer(lambda: {"version": number}, lambda: f"outlast {number}")


def show_help(call: Call, *, command: str | None = None, every: bool = False) -> Answer:
    """Explain all commands, or one; `every` includes the rare ones."""
    chosen = None if command is None else _find_command(command)
    listed = load_commands().values()
    commands = [chosen] if chosen else [item for item in listed if every or not item.rare]

    def as_text() -> str:
        return "\n".join(_command_help(call, chosen) if chosen else _overview(call, commands))

    return Answer(lambda: {"commands": [_command_json(item) for item in commands]}, as_text)


def _find_command(name: str) -> Command:
    command = find_command(ALIASES.get(name, (name,))[0])
    if command is None:
        raise_unknown_command(name, ["help"], [])
    return command


def _command_json(command: Command) -> Json:
    return {
        "name": command.name,
        "usage": f"outlast {full_usage(command)}",
        "says": text(command.help_key),
        "aliases": [alias for alias, stands in ALIASES.items() if stands == (command.name,)],
    }


def _overview(call: Call, commands: list[Command]) -> Iterator[str]:
    yield call.text("help_title")
    yield ""
    yield call.text("help_usage", usage="outlast [COMMAND]")
    yield ""
    yield call.text("help_commands")
    yield from _columns(
        [(short_usage(command), call.text(command.help_key)) for command in commands]
    )
    yield call.text("help_more")
    yield ""
    yield call.text("help_options")
    yield from _options(call)
    yield ""
    yield call.text("help_codes")


def _command_help(call: Call, command: Command) -> Iterator[str]:
    yield call.text("help_usage", usage=f"outlast {short_usage(command)}")
    yield ""
    yield f"  {call.text(command.help_key)}"
    own = [(item.metavar, call.text(item.help_key)) for item in command.arguments]
    own += [(option_usage(item), call.text(item.help_key)) for item in command.options]
    if own:
        yield ""
        yield from _columns(own)
    yield ""
    yield call.text("help_options")
    yield from _options(call)


def _options(call: Call) -> Iterator[str]:
    options = (*COMMON, VERSION, HELP)
    return _columns([(option_usage(option), call.text(option.help_key)) for option in options])


def _columns(rows: list[tuple[str, str]]) -> Iterator[str]:
    widest = max(len(left) for left, _ in rows)
    return (f"  {left.ljust(widest)}  {right}" for left, right in rows)
