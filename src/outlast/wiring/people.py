"""The people that a loop can reach from here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.ports.notify import Notifier
    from outlast.ports.person import Person
    from outlast.texts import Language


def at_terminal(language: Language = "en") -> Person:
    """Return the person at the terminal, who may turn out not to be there."""
    from outlast.adapters.people.terminal import TerminalPerson

    return TerminalPerson(language)


def notifier(command: str) -> Notifier | None:
    """Return what runs the user's command; None without one."""
    if not command.strip():
        return None
    from outlast.adapters.people.notify import NotifyCommand

    return NotifyCommand(command)
