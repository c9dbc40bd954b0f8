"""What an agenda holds: todos, with the views of them, and appointments that may recur."""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Final, Literal, get_args

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WITHOUT_END: Final = -1
FIRST_DAY: Final = date(1970, 1, 1)
LAST_DAY: Final = date(2999, 12, 31)

TodoView = Literal["all", "today", "overdue", "upcoming", "inbox"]
TODO_VIEWS: Final[tuple[TodoView, ...]] = get_args(TodoView)
_DAYS_AHEAD: Final = 7


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


def choose_todos(
    todos: Iterable[TodoItem], view: TodoView, now: datetime, zone: tzinfo, tag: str = ""
) -> list[TodoItem]:
    """Return the todos of a view: open ones by urgency, then those that are done.

    Only `all` shows done ones. `upcoming` is from tomorrow to seven days ahead; `inbox` is what has
    no due time.
    """
    today = now.astimezone(zone).date()
    found = (each for each in todos if not tag or each.tag == tag)
    return sorted((each for each in found if _is_shown(each, view, now, today, zone)), key=_order)


def search_todos(todos: Iterable[TodoItem], word: str, tag: str = "") -> list[TodoItem]:
    """Return the todos whose text contains a word, whatever the case."""
    wanted = word.casefold()
    found = (each for each in todos if wanted in each.text.casefold())
    return sorted((each for each in found if not tag or each.tag == tag), key=_order)


def todo_reminders(
    todos: Iterable[TodoItem], after: datetime, until: datetime
) -> Iterator[Reminder]:
    """Yield the reminders of open todos after a moment, until another one inclusive."""
    for todo in todos:
        if todo.remind is not None and after < todo.remind <= until and todo.done_at is None:
            yield Reminder(todo.remind, todo)


def _is_shown(todo: TodoItem, view: TodoView, now: datetime, today: date, zone: tzinfo) -> bool:
    if view == "all":
        return True
    if todo.done_at is not None:
        return False
    if todo.due is None or view == "inbox":
        return todo.due is None and view == "inbox"
    if view == "overdue":
        return todo.due < now
    day = todo.due.astimezone(zone).date()
    if view == "today":
        return day == today
    return today < day <= today + timedelta(days=_DAYS_AHEAD)


def _order(todo: TodoItem) -> tuple[bool, int, bool, float, int]:
    """Open ones first, then by priority, then by due time, then in order of creation."""
    due = 0.0 if todo.due is None else todo.due.timestamp()
    return todo.done_at is not None, -todo.priority, todo.due is None, due, todo.id
