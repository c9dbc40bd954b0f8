"""R3.10: what a person reads about todos and appointments."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from outlast.assistant.agenda.calendar import local_midnight, occurrences_between
from outlast.assistant.agenda.items import Appointment, Occurrence, Recurrence, Reminder, TodoItem
from outlast.assistant.slash.answers import AgendaWriter
from outlast.language import Language
from outlast.language.columns import text_width

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
EN = AgendaWriter("en", BERLIN, NOW)
ZH = AgendaWriter("zh", BERLIN, NOW)
TODOS = [
    TodoItem(1, "Buy milk", NOW, "home", 2, NOW + 32 * HOUR, NOW + 30 * HOUR),
    TodoItem(12, "给妈妈打电话", NOW, done_at=NOW + HOUR),
]
DAILY = Appointment(
    1, "Stand-up", NOW + HOUR, NOW, 15, NOW + HOUR / 2, Recurrence(1440, 3), NOW - HOUR
)
NIGHT = Appointment(2, "夜班", NOW + 13 * HOUR, NOW, 600)
PAST = Appointment(3, "Past", NOW - 24 * HOUR, NOW, 60, None, Recurrence(90, is_on=False))


def days(writer: AgendaWriter, *appointments: Appointment, count: int = 3) -> str:
    begin = local_midnight(date(2026, 11, 16), writer.zone)
    end = begin + timedelta(days=count)
    return writer.days(occurrences_between(appointments, begin, end, writer.zone))


def test_r3_10_a_change_of_a_todo_is_told_in_a_line() -> None:
    assert EN.todo_line("todo_added", TODOS[0]) == (
        "Added todo 1: Buy milk #home !2 (due 2026-11-17 18:00) ⏰ 2026-11-17 16:00"
    )
    assert ZH.todo_line("todo_changed", TODOS[0]) == (
        "已更新待办 1：Buy milk #home !2（截止 2026-11-17 18:00） ⏰ 2026-11-17 16:00"
    )
    assert ZH.todo_line("todo_deleted", TODOS[1]) == "已删除待办 12：给妈妈打电话"


def test_r3_10_todos_are_listed_in_a_table() -> None:
    assert EN.todo_table([]) == "No todos."
    assert EN.todo_table(TODOS) == (
        "ID  State  Priority  Due               Tag   Todo\n"
        " 1  ○      2         2026-11-17 18:00  home  Buy milk\n"
        "12  ●                                        给妈妈打电话"
    )
    assert ZH.todo_table(TODOS) == (
        "编号  状态  优先级  截止              标签  待办\n"
        "   1  ○     2       2026-11-17 18:00  home  Buy milk\n"
        "  12  ●                                     给妈妈打电话"
    )


def test_r3_10_a_todo_is_shown_with_everything() -> None:
    assert EN.todo_page(TODOS[0]) == (
        "Todo      1 Buy milk\n"
        "State     open\n"
        "Priority  2\n"
        "Tag       home\n"
        "Due       2026-11-17 18:00\n"
        "Reminder  2026-11-17 16:00\n"
        "Created   2026-11-16 10:00"
    )
    assert ZH.todo_page(TODOS[1]) == (
        "待办    12 给妈妈打电话\n"
        "状态    已完成\n"
        "优先级  0\n"
        "创建    2026-11-16 10:00\n"
        "完成    2026-11-16 11:00"
    )


def test_r3_10_a_change_of_an_appointment_is_told_in_a_line() -> None:
    assert EN.appointment_line("appointment_added", DAILY) == (
        "Added appointment 1: Stand-up, 2026-11-16 11:00–11:15; repeats: every day, 3 times"
        " ⏰ 2026-11-16 10:30"
    )
    assert ZH.appointment_line("appointment_changed", NIGHT) == (
        "已更新日程 2：夜班，2026-11-16 23:00–2026-11-17 09:00"
    )
    until_midnight = Appointment(4, "x", NOW + 13 * HOUR, NOW, 60)
    assert EN.appointment_line("appointment_deleted", until_midnight).endswith("23:00–00:00")
    a_day = Appointment(4, "x", NOW, NOW, 1440)
    assert EN.appointment_line("appointment_added", a_day).endswith(
        "2026-11-16 10:00–2026-11-17 10:00"
    )


@pytest.mark.parametrize(
    ("minutes", "english", "chinese"),
    [
        (1, "every 1 minute", "每 1 分钟"),
        (90, "every 90 minutes", "每 90 分钟"),
        (120, "every 2 hours", "每 2 小时"),
        (60, "every hour", "每小时"),
        (1440, "every day", "每天"),
        (10080, "every week", "每周"),
        (20160, "every 2 weeks", "每 2 周"),
    ],
)
def test_r3_10_an_interval_is_told_in_the_largest_unit_that_fits(
    minutes: int, english: str, chinese: str
) -> None:
    each = Appointment(1, "x", NOW, NOW, 1, None, Recurrence(minutes))
    assert EN.appointment_line("appointment_added", each).endswith(f"repeats: {english}")
    assert ZH.appointment_line("appointment_added", each).endswith(f"重复：{chinese}")


def test_r3_10_appointments_are_listed_by_their_next_time() -> None:
    assert EN.appointment_table([]) == "No appointments."
    assert EN.appointment_table([PAST, NIGHT, DAILY]) == (
        "ID  Next              Minutes  Repeats             Appointment\n"
        " 1  2026-11-16 11:00  15       every day, 3 times  Stand-up\n"
        " 2  2026-11-16 23:00  600                          夜班\n"
        " 3  over              60       off                 Past"
    )


def test_r3_10_an_appointment_is_shown_with_everything() -> None:
    assert EN.appointment_page(DAILY) == (
        "Appointment     1 Stand-up\n"
        "Time            2026-11-16 11:00–11:15\n"
        "Next            2026-11-16 11:00\n"
        "Repeats         every day, 3 times\n"
        "Reminder        2026-11-16 10:30\n"
        "Reminders from  2026-11-16 09:00\n"
        "Created         2026-11-16 10:00"
    )
    assert "\n下次  已结束\n" in ZH.appointment_page(PAST)


def test_r3_10_a_span_is_shown_day_by_day() -> None:
    assert days(EN) == "No appointments."
    assert days(ZH, DAILY, NIGHT) == (
        "2026-11-16 星期一\n"
        "  11:00–11:15  1 Stand-up\n"
        "  23:00–2026-11-17 09:00  2 夜班\n"
        "2026-11-17 星期二\n"
        "  11:00–11:15  1 Stand-up\n"
        "2026-11-18 星期三\n"
        "  11:00–11:15  1 Stand-up"
    )


def test_r3_10_what_happens_every_minute_does_not_fill_the_screen() -> None:
    busy = Appointment(1, "x", NOW, NOW, 1, None, Recurrence(1))
    shown = days(EN, busy, count=30).splitlines()
    assert len(shown) == 202
    assert shown[-1] == "… and 42,400 more; to see them: /schedule view day YYYY-MM-DD"


def test_r3_10_a_reminder_is_a_line() -> None:
    assert EN.reminder_line(Reminder(NOW, TODOS[0])) == (
        "⏰ Todo 1: Buy milk (due 2026-11-17 18:00)"
    )
    assert ZH.reminder_line(Reminder(NOW, Occurrence(NIGHT.start, 0, NIGHT))) == (
        "⏰ 日程 2：夜班，2026-11-16 23:00–2026-11-17 09:00"
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [20, 40, 60, 80])
def test_x8_no_line_is_wider_than_the_terminal(language: Language, width: int) -> None:
    writer = AgendaWriter(language, BERLIN, NOW, width)
    long = TodoItem(
        3, "写一份关于第四季度的报告 and send it to everybody 👍 " * 5, NOW, "工作", 3, NOW
    )
    shown = [
        writer.todo_table([*TODOS, long]),
        writer.todo_page(long),
        writer.appointment_table([DAILY, NIGHT, PAST]),
        writer.appointment_page(DAILY),
        days(writer, DAILY, NIGHT),
    ]
    for line in "\n".join(shown).splitlines():
        assert text_width(line) <= max(width, 22), line  # an indent leaves at least 20 columns


def test_a4_what_others_wrote_cannot_steer_the_terminal() -> None:
    hostile = "\x1b]0;owned\x07\u202e evil\u200b"
    todo = TodoItem(1, hostile, NOW, hostile)
    each = Appointment(1, hostile, NOW, NOW)
    shown = "\n".join(
        (
            EN.todo_line("todo_added", todo),
            EN.todo_table([todo]),
            EN.todo_page(todo),
            EN.appointment_line("appointment_added", each),
            EN.appointment_table([each]),
            EN.appointment_page(each),
            days(EN, each),
            EN.reminder_line(Reminder(NOW, todo)),
            EN.reminder_line(Reminder(NOW, Occurrence(NOW, 0, each))),
        )
    )
    assert all(line.isprintable() for line in shown.splitlines())
    assert shown.count("\\x1b") >= 9
