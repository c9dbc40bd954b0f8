"""What an agenda holds: todos, and appointments that may recur."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Final, Literal, get_args

from msgspec import Struct

WITHOUT_END: Final = -1
FIRST_DAY: Final = date(1970, 1, 1)
LAST_DAY: Final = date(2999, 12, 31)

TodoView = Literal["all", "today", "overdue", "upcoming", "inbox"]
TODO_VIEWS: Final[tuple[TodoView, ...]] = get_args(TodoView)


class TodoItem(Struct, frozen=True):
    """Something to do; one with a higher `priority` comes first."""

    id: int
    text: str
    created_at: datetime
    tag: str = ""
    priority: int = 0
    due: datetime | None = None
    remind: datetime | None = None
    done_at: datetime | None = None


class Recurrence(Struct, frozen=True):
    """Every so many minutes, `times` in all; switched off, only the first time counts."""

    interval: int
    times: int = WITHOUT_END
    is_on: bool = True


class Appointment(Struct, frozen=True):
    """An appointment, `duration` minutes long.

    `remind` belongs to the first time; later times are reminded of as long before. No reminder
    comes before `remind_start`.
    """

    id: int
    title: str
    start: datetime
    created_at: datetime
    duration: int = 60
    remind: datetime | None = None
    recurrence: Recurrence | None = None
    remind_start: datetime | None = None

    @property
    def length(self) -> timedelta:
        """How long it takes."""
        return timedelta(minutes=self.duration)

    @property
    def interval(self) -> timedelta | None:
        """The time from one start to the next; None if it happens once."""
        if self.recurrence is None or not self.recurrence.is_on:
            return None
        return timedelta(minutes=self.recurrence.interval)

    @property
    def times(self) -> int:
        """How often it happens; `WITHOUT_END` is for ever."""
        return 1 if self.interval is None or self.recurrence is None else self.recurrence.times


class Occurrence(Struct, frozen=True, order=True):
    """One time that an appointment happens."""

    start: datetime
    number: int  # 0 is the first
    appointment: Appointment

    @property
    def end(self) -> datetime:
        """When it is over."""
        return self.start + self.appointment.length


class Reminder(Struct, frozen=True):
    """A moment at which a person wants to be reminded of something."""

    at: datetime
    item: TodoItem | Occurrence
