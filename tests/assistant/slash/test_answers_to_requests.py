"""R3.10: slash commands from the line that is typed to the answer that is shown."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from outlast.assistant.agenda.commands import AddAppointment
from outlast.assistant.agenda.database import AgendaDatabase
from outlast.assistant.slash.answers import AgendaWriter, answer_request
from outlast.assistant.slash.forms import AgendaRequest
from outlast.assistant.slash.parse import parse_slash_command
from outlast.errors import OutlastError, WrongUsage
from outlast.language import Language, explain
from outlast.system.clock import FixedClock

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
Typed = Callable[[str], str]


def typing(path: Path, language: Language) -> tuple[Typed, FixedClock, AgendaDatabase]:
    clock = FixedClock(NOW)
    agenda = AgendaDatabase(str(path / "agenda"), clock, BERLIN)

    def type_(line: str) -> str:
        writer = AgendaWriter(language, BERLIN, clock())
        request = parse_slash_command(line, BERLIN)
        assert isinstance(request, AgendaRequest)
        return answer_request(request, agenda, writer)

    return type_, clock, agenda


@pytest.fixture
def type_(tmp_path: Path) -> Typed:
    return typing(tmp_path, "en")[0]


@pytest.fixture
def type_zh(tmp_path: Path) -> Typed:
    return typing(tmp_path, "zh")[0]


def test_r3_10_todos_are_managed_by_slash_commands(type_: Typed) -> None:
    assert type_("/todo list") == "No todos."
    assert (
        type_("/todo add Buy milk --tag home --priority 2 --due 2026-11-17 18:00")
        == "Added todo 1: Buy milk #home !2 (due 2026-11-17 18:00)"
    )
    assert type_("/todo add Call Ann") == "Added todo 2: Call Ann"
    assert type_("/todo update 2 Call Anna --tag work") == "Updated todo 2: Call Anna #work"
    assert type_("/todo list") == (
        "ID  State  Priority  Due               Tag   Todo\n"
        " 1  ○      2         2026-11-17 18:00  home  Buy milk\n"
        " 2  ○                                  work  Call Anna"
    )
    assert type_("/todo done 2") == "Done: todo 2: Call Anna"
    assert type_("/todo get 2") == (
        "Todo      2 Call Anna\n"
        "State     done\n"
        "Priority  0\n"
        "Tag       work\n"
        "Created   2026-11-16 10:00\n"
        "Done      2026-11-16 10:00"
    )
    assert type_("/view upcoming") == type_("/todo search MILK") == type_("/view all --tag home")
    assert type_("/view today") == "No todos."
    assert type_("/view list") == "Views: all, today, overdue, upcoming, inbox"
    assert type_("/todo delete 1") == "Deleted todo 1: Buy milk"
    with pytest.raises(OutlastError, match="there is no todo 1; to see them: /todo list"):
        type_("/todo get 1")


def test_r3_10_appointments_are_managed_by_slash_commands(type_: Typed) -> None:
    assert type_("/schedule list") == type_("/schedule view month") == "No appointments."
    assert type_(
        "/schedule add 2026-11-16 11:00 Stand-up --duration 15 --interval 1440 --times 3"
    ) == ("Added appointment 1: Stand-up, 2026-11-16 11:00–11:15; repeats: every day, 3 times")
    assert (
        type_("/schedule add 2026-11-16 23:00 Night shift --duration 600")
        == "Added appointment 2: Night shift, 2026-11-16 23:00–2026-11-17 09:00"
    )
    assert type_("/schedule add 2026-11-15 09:00 Past") == (
        "Added appointment 3: Past, 2026-11-15 09:00–10:00"
    )
    assert type_("/schedule list") == (
        "ID  Next              Minutes  Repeats             Appointment\n"
        " 1  2026-11-16 11:00  15       every day, 3 times  Stand-up\n"
        " 2  2026-11-16 23:00  600                          Night shift\n"
        " 3  over              60                           Past"
    )
    assert type_("/schedule view day 2026-11-17") == (
        "2026-11-16 Monday\n"
        "  23:00–2026-11-17 09:00  2 Night shift\n"
        "2026-11-17 Tuesday\n"
        "  11:00–11:15  1 Stand-up"
    )
    assert type_("/schedule view week").count("Stand-up") == 3
    assert type_("/schedule view month 2026-12-05") == "No appointments."
    with pytest.raises(OutlastError, match=r"appointment 1 \(Stand-up\) at 2026-11-18 11:00"):
        type_("/schedule add 2026-11-18 10:30 Late")
    assert type_("/schedule repeat 1 off").endswith("repeats: off")
    type_("/schedule update 3 2026-11-18 10:30 Now free --remind 2026-11-18 10:00")
    assert type_("/schedule get 3") == (
        "Appointment  3 Now free\n"
        "Time         2026-11-18 10:30–11:30\n"
        "Next         2026-11-18 10:30\n"
        "Reminder     2026-11-18 10:00\n"
        "Created      2026-11-16 10:00"
    )
    assert type_("/schedule delete 3").startswith("Deleted appointment 3: Now free")
    with pytest.raises(OutlastError, match="there is no appointment 3"):
        type_("/schedule get 3")


def test_x8_answers_in_chinese_align(type_zh: Typed) -> None:
    type_zh("/todo add 买牛奶 --tag 家 --due 2026-11-17 18:00")
    type_zh("/todo add Call --tag work")
    assert type_zh("/todo list") == (
        "编号  状态  截止              标签  待办\n"
        "   1  ○     2026-11-17 18:00  家    买牛奶\n"
        "   2  ○                       work  Call"
    )
    assert type_zh("/schedule add 2026-11-16 11:00 站会 --interval 10080") == (
        "已添加日程 1：站会，2026-11-16 11:00–12:00；重复：每周"
    )


def test_r3_10_reminders_are_told_in_a_line(tmp_path: Path) -> None:
    type_, clock, agenda = typing(tmp_path, "en")
    type_("/todo add Call --due 2026-11-16 12:00 --remind 2026-11-16 11:00")
    type_("/schedule add 2026-11-16 13:00 Lunch --remind 2026-11-16 12:30 --interval 120")
    clock.advance(3 * 3600)
    writer = AgendaWriter("en", BERLIN, clock())
    assert [*map(writer.reminder_line, agenda.claim_reminders(clock()))] == [
        "⏰ Todo 1: Call (due 2026-11-16 12:00)",
        "⏰ Appointment 1: Lunch, 2026-11-16 13:00–14:00",
    ]
    assert type_("/schedule list").splitlines()[1].endswith("every 2 hours  Lunch")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("/todo add x --priority -1", "--priority must be 0 or more"),
        ("/todo add x --priority 9007199254740993", "--priority must be a number, not 9007"),
        ("/todo add x --remind 2026-11-17 09:00", "--remind needs --due"),
        ("/todo add x --due 2026-11-17 09:00 --remind 2026-11-15 09:00", "--remind is in the past"),
        ("/schedule add 2026-11-17 09:00 x --duration 0", "--duration must be from 1 to 52,704"),
        ("/schedule add 2026-11-17 09:00 x --duration 9007199254740992", "--duration must be"),
        ("/schedule add 2026-11-17 09:00 x --interval -5", "--interval must be from 1"),
        ("/schedule add 2026-11-17 09:00 x --interval 30", "--interval is shorter than"),
        ("/schedule add 2026-11-17 09:00 x --times 3", "--times needs --interval"),
        ("/schedule add 2026-11-17 09:00 x --interval 60 --times 1", "--times must be -1"),
        ("/schedule add 2026-11-17 09:00 x --interval 60 --times 0", "--times must be -1"),
        ("/schedule add 2026-11-17 09:00 x --interval 60 --times -2", "--times must be -1"),
        ("/schedule add 2026-11-17 09:00 x --remind 2026-11-17 09:01", "--remind is after"),
        ("/schedule add 2026-11-17 09:00 x --remind-start 2026-11-17 08:00", "--remind-start need"),
    ],
)
def test_r3_10_a_value_that_cannot_be_is_refused_with_the_usage_line(
    type_: Typed, line: str, problem: str
) -> None:
    with pytest.raises(WrongUsage) as refused:
        type_(line)
    assert str(refused.value).startswith(problem)
    usage = " ".join(line.split()[:2])
    assert f"\nUsage: {usage} " in str(refused.value)
    assert f"\n用法：{usage} " in explain(refused.value, "zh")


@pytest.mark.parametrize("times", ["-1", "2", "9007199254740992"])
def test_r3_10_an_appointment_recurs_without_end_or_so_often(type_: Typed, times: str) -> None:
    type_(f"/schedule add 2026-11-17 09:00 x --interval 527040 --times {times}")
    assert "\nRepeats      every 366 days" in type_("/schedule get 1")
    assert ("No" in type_("/schedule view day 2030-11-20")) == (times == "2")
    assert type_("/schedule view month 2999-12-01")


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [
        ("/schedule view month 2028-02-15", "2028-02-01", "2028-02-29"),
        ("/schedule view month 2026-12-31", "2026-12-01", "2026-12-31"),
        ("/schedule view week 2027-01-01", "2026-12-28", "2027-01-03"),
        ("/schedule view day 2999-12-31", "2999-12-31", "2999-12-31"),
        ("/schedule view week 2999-12-31", "2999-12-30", "3000-01-05"),
        ("/schedule view month 2999-12-31", "2999-12-01", "2999-12-31"),
        ("/schedule view week 1970-01-01", "2999-12-30", "3000-01-05"),
    ],
)
def test_r3_10_a_span_has_the_days_of_the_calendar(
    type_: Typed, line: str, first: str, last: str
) -> None:
    type_("/schedule add 2026-12-01 12:00 Lunch --interval 1440")
    if "1970" in line:
        assert type_(line) == "No appointments."
        return
    shown = [text for text in type_(line).splitlines() if not text.startswith(" ")]
    assert (shown[0].split()[0], shown[-1].split()[0]) == (first, last)


def test_r3_10_daily_appointments_stay_at_their_time_in_winter_and_summer(type_: Typed) -> None:
    type_("/schedule add 2026-11-17 09:00 Stand-up --duration 15 --interval 1440")
    for day in ("2027-03-27", "2027-03-28", "2027-07-01", "2027-10-31"):
        assert "09:00–09:15" in type_(f"/schedule view day {day}")
    with pytest.raises(OutlastError, match="overlaps appointment 1"):
        type_("/schedule add 2027-07-01 09:10 x")
    assert type_("/schedule add 2027-07-01 10:00 x").startswith("Added appointment 2")


def test_r3_10_an_update_moves_the_reminder_along_and_keeps_what_is_not_given(type_: Typed) -> None:
    type_(
        "/schedule add 2026-11-17 09:00 x --duration 30 --remind 2026-11-17 08:50 --interval 1440"
    )
    type_("/schedule update 1 2026-11-18 10:00 y --times 4")
    page = type_("/schedule get 1")
    for line in ("1 y", "2026-11-18 10:00–10:30", "every day, 4 times", "2026-11-18 09:50"):
        assert line in page
    type_("/todo add a --tag t --priority 2 --due 2026-11-18 10:00 --remind 2026-11-18 09:00")
    type_("/todo update 1 b --due 2026-11-19 10:00")
    page = type_("/todo get 1")
    for line in ("1 b", "Priority  2", "Tag       t", "2026-11-19 10:00", "2026-11-18 09:00"):
        assert line in page


def test_a4_an_error_names_an_appointment_without_control_characters(tmp_path: Path) -> None:
    type_, _, agenda = typing(tmp_path, "en")
    agenda.change(AddAppointment(NOW, "\x1b]0;owned\x07"))
    with pytest.raises(OutlastError) as refused:
        type_("/schedule add 2026-11-16 10:00 x")
    assert str(refused.value).isprintable()
    assert "\\x1b" in str(refused.value)
