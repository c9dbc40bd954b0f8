"""The table of commands."""

from outlast.interfaces.cli.parser.table import ALIASES, COMMANDS, RESERVED


def test_an_alias_stands_for_a_command_and_hides_none() -> None:
    assert {stands[0] for stands in ALIASES.values()} <= COMMANDS.keys()
    assert ALIASES.keys().isdisjoint(COMMANDS)
    assert not {*ALIASES, *COMMANDS}.intersection(RESERVED)
