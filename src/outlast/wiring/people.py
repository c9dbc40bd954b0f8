"""The person at the terminal, and the command that notifies one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.ports.notify import Notifier
    from outlast.ports.person import Person
    from outlast.texts import Language


def person_at_terminal(language: Language = "en") -> Person:
    """Return the person at the terminal; answers fail if there is no terminal."""
    from outlast.adapters.people.terminal import TerminalPerson

    return TerminalPerson(language)


def command_notifier(command: str) -> Notifier | None:
    """Return a notifier that runs the user's command; None without a command."""
    if not command.strip():
        return None
    from outlast.adapters.people.notify import NotifyCommand

    return NotifyCommand(command)
