"""The table of commands."""

from typing import get_args

from outlast.agent.work import Permissions
from outlast.config.settings import AgentSessions, MailboxLayout
from outlast.console.table import (
    ALIASES,
    COMMANDS,
    MAILBOX_LAYOUTS,
    PERMISSIONS,
    SESSIONS,
    SETUPS,
)
from outlast.hosts.settings.setup_files import AGENTS_MD
from outlast.hosts.wire.events import HOST_NAMES


def test_an_alias_stands_for_a_command_and_hides_none() -> None:
    assert {stands[0] for stands in ALIASES.values()} <= COMMANDS.keys()
    assert ALIASES.keys().isdisjoint(COMMANDS)


def test_the_choices_of_the_table_are_those_of_the_settings() -> None:
    assert get_args(MailboxLayout) == MAILBOX_LAYOUTS
    assert get_args(Permissions) == PERMISSIONS
    assert get_args(AgentSessions) == SESSIONS
    assert (*HOST_NAMES, AGENTS_MD) == SETUPS
