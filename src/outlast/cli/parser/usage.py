"""Usage lines: what a command takes, from the table of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

if TYPE_CHECKING:
    from outlast.console.call import Argument, Command, Option

_WIDEST: Final = 48


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
