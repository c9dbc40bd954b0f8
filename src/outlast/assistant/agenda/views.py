"""Which todos a view shows, and in which order."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Final

from outlast.assistant.agenda.items import Reminder, TodoItem, TodoView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

_DAYS_AHEAD: Final = 7


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
