"""`help` and `--version`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import outlast
from outlast.interfaces.cli.parser.click_parser import (
    option_usage,
    refuse_unknown,
    short_usage,
    usage_of,
)
from outlast.interfaces.cli.parser.table import ALIASES, COMMANDS, COMMON
from outlast.interfaces.cli.render.output import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.parser.table import Command
    from outlast.interfaces.cli.render.output import Json


def version(_call: Call) -> Answer:
    """Say which version this is."""
    number = outlast.__version__
    return Answer(lambda: {"version": number}, lambda: f"outlast {number}")


def show(call: Call, *, command: str | None = None, every: bool = False) -> Answer:
    """Explain all commands, or one; the rare ones only if they are wanted."""
    chosen = None if command is None else _command(command)
    told = [one for one in COMMANDS.values() if not one.hidden and (every or not one.rare)]
    shown = [chosen] if chosen else told

    def words() -> str:
        return "\n".join(_manual(call, chosen) if chosen else _overview(call, shown))

    return Answer(lambda: {"commands": [_shape(one) for one in shown]}, words)


def _command(name: str) -> Command:
    found = COMMANDS.get(ALIASES.get(name, (name,))[0])
    if found is None or found.hidden:
        refuse_unknown(name)
    return found


def _shape(command: Command) -> Json:
    from outlast.texts import text

    return {
        "name": command.name,
        "usage": f"outlast {usage_of(command)}",
        "says": text(command.says),
        "aliases": [alias for alias, stands in ALIASES.items() if stands == (command.name,)],
    }


def _overview(call: Call, shown: list[Command]) -> Iterator[str]:
    yield call.say("help_title")
    yield ""
    yield call.say("help_usage", usage="outlast [COMMAND]")
    yield ""
    yield call.say("help_commands")
    yield from _columns([(short_usage(one), call.say(one.says)) for one in shown])
    yield call.say("help_more")
    yield ""
    yield call.say("help_options")
    yield from _options(call)
    yield ""
    yield call.say("help_codes")


def _manual(call: Call, command: Command) -> Iterator[str]:
    yield call.say("help_usage", usage=f"outlast {short_usage(command)}")
    yield ""
    yield f"  {call.say(command.says)}"
    own = [(one.shown, call.say(one.says)) for one in command.arguments]
    own += [(option_usage(one), call.say(one.says)) for one in command.options]
    if own:
        yield ""
        yield from _columns(own)
    yield ""
    yield call.say("help_options")
    yield from _options(call)


def _options(call: Call) -> Iterator[str]:
    rows = [(option_usage(option), call.say(option.says)) for option in COMMON]
    rows.append(("--version", call.say("option_version")))
    rows.append(("-h, --help", call.say("option_help")))
    return _columns(rows)


def _columns(rows: list[tuple[str, str]]) -> Iterator[str]:
    widest = max(len(left) for left, _ in rows)
    return (f"  {left.ljust(widest)}  {right}" for left, right in rows)
