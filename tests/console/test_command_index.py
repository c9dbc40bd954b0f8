"""The index of commands, and their tables."""

import re
from pathlib import Path
from typing import get_args

import outlast
from outlast.agent.work import Permissions
from outlast.config.settings import AgentSessions, MailboxLayout
from outlast.console.command_index import (
    ALIASES,
    COMMON,
    HELP,
    TABLES,
    VERSION,
    Command,
    Option,
    load_attribute,
    load_command,
)
from outlast.hosts.command_table import SETUPS
from outlast.hosts.settings.setup import AGENTS_MD
from outlast.hosts.wire.events import HOST_NAMES
from outlast.orchestrator.command_table import MAILBOX_LAYOUTS

FLAG = re.compile(r"-[a-z]|--[a-z][a-z-]+")


def commands_of(table: str) -> tuple[Command, ...]:
    found: tuple[Command, ...] = load_attribute(f"{table}:COMMANDS")
    return found


def option(command: str, name: str) -> Option:
    return next(row for row in load_command(command).options if row.name == name)


def test_the_index_names_the_table_of_every_command() -> None:
    package = Path(outlast.__file__).parent
    files = [*package.glob("*/command_table.py"), *package.glob("cli/tables/[!_]*.py")]
    tables = {".".join(file.relative_to(package).with_suffix("").parts) for file in files}
    held = [(command.name, table) for table in tables for command in commands_of(table)]
    assert sorted(held) == sorted(TABLES.items())


def test_every_command_names_its_function() -> None:
    for name in TABLES:
        assert callable(load_attribute(load_command(name).function))


def test_a_command_line_can_be_taken_apart_in_one_way_only() -> None:
    for name in TABLES:
        command = load_command(name)
        options = (*command.options, *COMMON, HELP, VERSION)
        flags = [flag for row in options for flag in row.flags]
        assert all(map(FLAG.fullmatch, flags))
        assert len(flags) == len({*flags})
        assert not any(row.metavar and row.choices for row in options)
        assert not any(argument.many for argument in command.arguments[:-1])
        needed = [argument.required for argument in command.arguments]
        assert needed == sorted(needed, reverse=True)


def test_an_alias_stands_for_a_command_and_hides_none() -> None:
    assert {stands[0] for stands in ALIASES.values()} <= TABLES.keys()
    assert ALIASES.keys().isdisjoint(TABLES)


def test_the_choices_of_the_table_are_those_of_the_settings() -> None:
    assert get_args(MailboxLayout) == MAILBOX_LAYOUTS == option("worker", "layout").choices
    assert get_args(Permissions) == option("run", "permissions").choices
    assert get_args(AgentSessions) == option("run", "sessions").choices
    assert (*HOST_NAMES, AGENTS_MD) == SETUPS
