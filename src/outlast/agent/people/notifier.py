"""The person at the terminal, and the command that notifies one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.agent.people.person import Notifier, Person
    from outlast.language import Language
    from outlast.model.model import Question


def person_at_terminal(
    language: Language = "en", draw: Callable[[Question, str | None], object] | None = None
) -> Person:
    """Return the person at the terminal; answers fail if there is no terminal.

    `draw` shows the question and what is typed, for a terminal that others draw on meanwhile.
    """
    from outlast.agent.people.terminal import TerminalPerson

    return TerminalPerson(language, draw=draw)


def restore_terminals() -> None:
    """Undo what asking has changed on terminals, before the process ends at once."""
    from outlast.agent.people.terminal import restore_terminals

    restore_terminals()


def command_notifier(command: str) -> Notifier | None:
    """Return a notifier that runs the user's command; None without a command."""
    if not command.strip():
        return None
    from outlast.agent.people.notify import NotifyCommand

    return NotifyCommand(command)
