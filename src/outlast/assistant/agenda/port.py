"""The agenda port: the todos and appointments of one person."""

from __future__ import annotations

# ruff: noqa: TC001, TC003 - public signatures are read at run time
from datetime import datetime
from typing import Protocol

from outlast.assistant.agenda.commands import AgendaCommand
from outlast.assistant.agenda.items import Appointment, Reminder, TodoItem


class Agenda(Protocol):
    """The todos and appointments of one person; safe for several processes at once."""

    def todos(self) -> dict[int, TodoItem]:
        """Return all todos by id."""

    def appointments(self) -> dict[int, Appointment]:
        """Return all appointments by id."""

    def change(self, command: AgendaCommand, key: str = "") -> TodoItem | Appointment:
        """Carry out a command; return the item as it is afterwards, or as it was when deleted.

        A command repeated under its `key` changes nothing and returns what it returned the first
        time, so that a repetition after a crash doubles nothing.
        """

    def has_changed(self, key: str) -> bool:
        """Return whether a command was carried out under a key."""

    def claim_reminders(self, now: datetime) -> tuple[Reminder, ...]:
        """Return the reminders that have fallen due since the last call, oldest first.

        Each is returned once, to one caller.
        """
