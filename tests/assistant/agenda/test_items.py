"""R3.10: the views of todos."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from outlast.assistant.agenda.items import (
    TodoItem,
    TodoView,
    choose_todos,
    search_todos,
    todo_reminders,
)

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 16, 23, 30, tzinfo=SHANGHAI)


def due(day: int, hour: int) -> datetime:
    return datetime(2026, 11, day, hour, tzinfo=SHANGHAI).astimezone(UTC)


TODOS = [
    TodoItem(1, "no due", NOW),
    TodoItem(2, "an hour ago", NOW, "home", due=due(16, 22)),
    TodoItem(3, "still today", NOW, due=NOW + timedelta(minutes=20)),
    TodoItem(4, "tomorrow", NOW, "home", 5, due(17, 0)),
    TodoItem(5, "in seven days", NOW, due=due(23, 23)),
    TodoItem(6, "in eight days", NOW, due=due(24, 0)),
    TodoItem(7, "done", NOW, due=due(16, 23), done_at=NOW),
]


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        ("all", [4, 2, 3, 5, 6, 1, 7]),
        ("today", [2, 3]),
        ("overdue", [2]),
        ("upcoming", [4, 5]),
        ("inbox", [1]),
    ],
)
def test_r3_10_a_view_shows_its_todos_by_the_days_of_the_user(
    view: TodoView, expected: list[int]
) -> None:
    assert [each.id for each in choose_todos(TODOS, view, NOW, SHANGHAI)] == expected


def test_r3_10_a_tag_narrows_a_view_and_a_search() -> None:
    assert [each.id for each in choose_todos(TODOS, "all", NOW, SHANGHAI, "home")] == [4, 2]
    assert [each.id for each in search_todos(TODOS, "DAYS")] == [5, 6]
    assert [each.id for each in search_todos(TODOS, "o", "home")] == [4, 2]


def test_r3_10_open_todos_remind_once_in_a_span() -> None:
    remind = TodoItem(8, "x", NOW, due=NOW, remind=NOW)
    later = timedelta(minutes=1)
    assert [each.at for each in todo_reminders([remind, *TODOS], NOW - later, NOW)] == [NOW]
    assert [*todo_reminders([remind], NOW, NOW + later)] == []
    done = TodoItem(8, "x", NOW, due=NOW, remind=NOW, done_at=NOW)
    assert [*todo_reminders([done], NOW - later, NOW)] == []


@pytest.mark.parametrize(
    ("hours", "shown"),
    [(-1, "today"), (23, "today"), (24, "upcoming"), (7 * 24 + 23, "upcoming"), (8 * 24, "all")],
)
def test_r3_10_the_borders_of_views_are_midnights_of_the_user(hours: int, shown: str) -> None:
    midnight = datetime(2026, 11, 16, tzinfo=SHANGHAI)
    now = midnight + timedelta(hours=12)
    todo = TodoItem(1, "x", NOW, due=(midnight + timedelta(hours=hours)).astimezone(UTC))
    views: tuple[TodoView, ...] = ("today", "upcoming")
    found = [view for view in views if choose_todos([todo], view, now, SHANGHAI)]
    assert found == ([shown] if shown != "all" and hours >= 0 else [])
    assert bool(choose_todos([todo], "overdue", now, SHANGHAI)) == (hours < 12)
