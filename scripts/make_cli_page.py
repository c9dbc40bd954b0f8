"""Write the page on the command line from the tables of commands, their help, and `cli_page.md`.

The source is the page with blocks in place of its tables. A `commands` or `options` block names
what is listed, a line each; after the colon stands what the help has no room for.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from outlast.cli.parser import argument_usage, option_usage, short_usage
from outlast.console.command_index import ALIASES, COMMON, HELP, load_command, load_commands
from outlast.language import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.console.command_index import Option

ROOT: Final = Path(__file__).parent.parent
SOURCE: Final = ROOT / "scripts/cli_page.md"
PAGE: Final = ROOT / "docs/reference/cli.md"
NOTE: Final = (
    "<!-- Made from scripts/cli_page.md and the help by `./dev pages`; change those. -->\n\n"
)
BLOCK: Final = re.compile(
    r"^```(commands|options|rest|aliases)([^\n]*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL
)


class Row(NamedTuple):
    """One line of a block: what is listed, and what is said beside its help."""

    name: str
    note: str


def cli_page() -> str:
    """Return the text of the page."""
    source = SOURCE.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(source))
    listed = [row.name for block in blocks if block[1] == "commands" for row in _rows(block[3])]
    if sorted(listed) != sorted(load_commands()):
        wrong = ", ".join(sorted({*listed} ^ load_commands().keys()))
        sys.exit(f"{SOURCE.name}: each command is listed once, but not {wrong}")
    explained = {
        (owner, option)
        for block in blocks
        if block[1] == "options"
        for row in _rows(block[3])
        for option, owners in [_find_option(row.name, block[2].split())]
        for owner in owners
    }
    title, _, rest = BLOCK.sub(lambda block: _table(block, explained), source).partition("\n\n")
    return f"{title}\n\n{NOTE}{rest}"


def _table(block: re.Match[str], explained: set[tuple[str, Option]]) -> str:
    if block[1] == "aliases":
        return _aliases()
    if block[1] == "commands":
        return _markdown(("command", "what it does"), map(_command_row, _rows(block[3])))
    if block[1] == "options":
        commands = block[2].split()
        return _markdown(
            ("option", "meaning"), (_option_row(row, commands) for row in _rows(block[3]))
        )
    return _markdown(("command", "argument or option", "meaning"), _rest_rows(explained))


def _rows(body: str) -> list[Row]:
    parts = (line.partition(": ") for line in body.splitlines())
    return [Row(name, note) for name, _, note in parts]


def _command_row(row: Row) -> tuple[str, ...]:
    command = load_command(row.name)
    note = row.note
    if command.person_only:
        note = ". ".join(filter(None, (note, "Only for people")))
    return _code(short_usage(command)), _explain(command.help_key, note)


def _option_row(row: Row, commands: list[str]) -> tuple[str, ...]:
    option, owners = _find_option(row.name, commands)
    only = "" if owners == commands else f" (only `{owners[0]}`)"
    return _code(option_usage(option)) + only, _explain_option(option, row.note)


def _find_option(flag: str, commands: list[str]) -> tuple[Option, list[str]]:
    """Return an option, and which of the commands have it; without commands, a common one."""
    groups = [load_command(name).options for name in commands] or [(*COMMON, HELP)]
    for option in (option for group in groups for option in group if flag in option.flags):
        return option, [name for name in commands if option in load_command(name).options]
    sys.exit(f"{SOURCE.name}: there is no option {flag}")


def _rest_rows(explained: set[tuple[str, Option]]) -> Iterator[tuple[str, ...]]:
    """Yield what is explained nowhere else, once for all commands that take the same."""
    takers: dict[tuple[str, str], list[str]] = {}
    for command in load_commands().values():
        parts = [(argument_usage(row), _explain(row.help_key)) for row in command.arguments]
        parts += [
            (option_usage(row), _explain_option(row))
            for row in command.options
            if (command.name, row) not in explained
        ]
        for usage, meaning in parts:
            takers.setdefault((_code(usage), meaning), []).append(f"`{command.name}`")
    for (usage, meaning), commands in takers.items():
        yield ", ".join(commands), usage, meaning


def _explain_option(option: Option, note: str = "") -> str:
    if option.person_only and "only a person" not in text(option.help_key):
        note = ". ".join(filter(None, (note, "Only a person may use it")))
    return _explain(option.help_key, note)


def _explain(key: str, note: str = "") -> str:
    says = text(key).replace("|", "\\|").replace("*", "\\*")
    return f"{says}. {note}" if note else says


def _aliases() -> str:
    meant: dict[tuple[str, ...], list[str]] = {}
    for alias, command in ALIASES.items():
        meant.setdefault(command, []).append(f"`{alias}`")
    rows = ((", ".join(aliases), f"`{' '.join(command)}`") for command, aliases in meant.items())
    return _markdown(("alias", "command"), rows)


def _code(words: str) -> str:
    return f"`{words}`".replace("|", "\\|")


def _markdown(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (f"| {' | '.join(line)} |\n" for line in (header, *rows))
    return next(lines) + "|---" * len(header) + "|\n" + "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(cli_page(), encoding="utf-8")
