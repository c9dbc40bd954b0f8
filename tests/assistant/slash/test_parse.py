"""R3.10: slash commands are read strictly."""

from contextlib import suppress
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.assistant.agenda import commands as c
from outlast.assistant.slash import forms as r
from outlast.assistant.slash.forms import FORMS
from outlast.assistant.slash.parse import parse_slash_command, split_commands
from outlast.errors import WrongUsage
from outlast.language import explain
from outlast.model.intents import is_slash_command

SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")


def at(hour: int, minute: int = 0) -> datetime:
    """Return a time of 2026-11-20 in Shanghai."""
    return datetime(2026, 11, 20, hour, minute, tzinfo=SHANGHAI).astimezone(UTC)


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("/todo add Buy milk", c.AddTodo("Buy milk")),
        (
            "/todo add 买奶 --tag 家 --priority 3 --due 2026-11-20 09:00 --remind 2026-11-20 08:30",
            c.AddTodo("买奶", c.TodoDetails(tag="家", priority=3, due=at(9), remind=at(8, 30))),
        ),
        ("/todo add --tag=home Buy milk", c.AddTodo("Buy milk", c.TodoDetails(tag="home"))),
        ("/todo add x --due=2026-11-20 09:00 y", c.AddTodo("x y", c.TodoDetails(due=at(9)))),
        ("/todo add a -- b", c.AddTodo("a -- b")),
        ("/todo add -- b", c.AddTodo("-- b")),
        ("/todo add Buy:\n- milk\n- eggs", c.AddTodo("Buy: - milk - eggs")),
        ('/todo add "Buy milk" --tag "home"', c.AddTodo("Buy milk", c.TodoDetails(tag="home"))),
        ("/todo add “买奶”", c.AddTodo("买奶")),
        ('/todo add "--verbose" is missing', c.AddTodo('"--verbose" is missing')),
        ('/todo add "--verbose is missing"', c.AddTodo("--verbose is missing")),
        ('/todo add "a" and "b"', c.AddTodo('"a" and "b"')),
        ('/todo add "', c.AddTodo('"')),
        ("/todo add don't --tag 'to do'", c.AddTodo("don't", c.TodoDetails(tag="to do"))),
        ('/todo add "use  --tag wisely"', c.AddTodo("use --tag wisely")),
        ('/schedule add "2026-11-20 09:00" Dentist', c.AddAppointment(at(9), "Dentist")),
        ('/todo add x --due "2026-11-20 09:00"', c.AddTodo("x", c.TodoDetails(due=at(9)))),
        ('/todo add x --due="2026-11-20 09:00"', c.AddTodo("x", c.TodoDetails(due=at(9)))),
        ("/todo list", r.ListTodos()),
        ("/todo list --view today --tag home", r.ListTodos("today", "home")),
        ("/todo get 3", r.GetTodo(3)),
        ("/todo update 3 New text", c.UpdateTodo(3, "New text")),
        ("/todo done 3", c.CompleteTodo(3)),
        ("/todo delete 3", c.DeleteTodo(3)),
        ("/todo search oat milk --tag shop", r.SearchTodos("oat milk", "shop")),
        ("/view overdue", r.ListTodos("overdue")),
        ("/view all --tag home", r.ListTodos("all", "home")),
        ("/view list", r.ListViews()),
        ("/schedule add 2026-11-20 09:00 Dentist", c.AddAppointment(at(9), "Dentist")),
        (
            (
                "/schedule update 2 2026-11-20 09:00 Stand up --duration 15 --interval 1440"
                " --times -1 --remind 2026-11-20 08:50 --remind-start 2026-11-20 08:00"
            ),
            c.UpdateAppointment(
                2,
                at(9),
                "Stand up",
                c.AppointmentDetails(
                    duration=15, interval=1440, times=-1, remind=at(8, 50), remind_start=at(8)
                ),
            ),
        ),
        ("/schedule list", r.ListAppointments()),
        ("/schedule get 2", r.GetAppointment(2)),
        ("/schedule view week", r.ViewAppointments("week")),
        ("/schedule view day 2026-11-20", r.ViewAppointments("day", date(2026, 11, 20))),
        ("/schedule delete 2", c.DeleteAppointment(2)),
        ("/schedule repeat 2 off", c.SetRepeat(2, is_on=False)),
        ("/schedule repeat 2 on", c.SetRepeat(2, is_on=True)),
        ("  /help ", r.ShowHelp()),
        ("／todo　done　3", c.CompleteTodo(3)),
        ("/plan", r.ShowPlan()),
        ("/cancel", r.CancelTask()),
    ],
)
def test_r3_10_every_form_is_read(line: str, request_: r.SlashRequest) -> None:
    assert parse_slash_command(line, SHANGHAI) == request_


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("/tood add x", "unknown command /tood; did you mean /todo?"),
        ("/xyz", "unknown command /xyz; available: /todo, /view, /schedule, /help, /plan, /cancel"),
        ("/todo", "/todo needs one of: add, list, get, update, done, delete, search"),
        ("/schedule move 1", "there is no /schedule move; available: add, list, get"),
        ("/todo add", "TEXT is missing\nUsage: /todo add TEXT [--tag T]"),
        ("/todo add x --due", "--due needs a value\nUsage: /todo add"),
        ("/todo add Buy --tag= milk", "--tag needs a value\nUsage: /todo add TEXT [--tag T]"),
        ("/todo add Buy --tag=", "--tag needs a value"),
        ('/todo add ""', "TEXT is missing"),
        ('/todo add x --tag " "', "--tag needs a value"),
        ("/todo add x --tag --due 2026-11-20 09:00", "--tag needs a value"),
        ("/todo get", "ID is missing\nUsage: /todo get ID"),
        ("/todo get three", "ID must be a number, not three"),
        ("/todo get 99999999999999999", "ID must be a number"),
        ("/todo get ３", "ID must be a number"),
        ("/todo get 3 4", "unexpected: 4\nUsage: /todo get ID"),
        ("/todo add x --prio 3", "unknown option --prio; available: --tag, --priority"),
        ("/todo add x --tag a --tag b", "--tag is given twice"),
        ("/view tomorrow", "all|today|overdue|upcoming|inbox must be one of all"),
        ("/todo add x --due 2026-11-20", "--due must be a time such as 2026-03-01 09:30"),
        ("/todo add x --due 2026-11-20 9:00", "--due must be a time such as"),
        ("/todo add x --due 2026-11-20 24:00", "--due must be a time such as"),
        ("/todo add x --due 2026-02-30 09:00", "--due: there is no day 2026-02-30\nUsage: "),
        ("/todo add x --due 2026-11-20 09:00:00", "--due must be a time such as"),
        ("/todo add x --due 2026-11-20T09:00 y", "--due must be a time such as"),
        ("/todo add x --due tomorrow 09:00", "--due must be a time such as"),
        ("/todo add x --due 2027-02-29 09:00", "--due: there is no day 2027-02-29"),
        ("/todo add x --due 2026-11-20 23:60", "--due must be a time such as"),
        ("/todo add x --due 1969-12-31 23:59", "--due must be in the years 1970 to 2999"),
        ("/todo add x --due 3000-01-01 00:00", "--due must be in the years 1970 to 2999"),
        ("/schedule view day 9999-12-31", "YYYY-MM-DD must be in the years 1970 to 2999"),
        ("/schedule view year", "day|week|month must be one of day, week, month, not year"),
        ("/schedule view", "day|week|month is missing"),
        ("/schedule repeat 1 maybe", "on|off must be one of on, off, not maybe"),
        ("/schedule repeat 1", "on|off is missing"),
        ("/schedule add 2026-11-20 Dentist", "YYYY-MM-DD HH:MM must be a time such as"),
        ("/schedule add", "YYYY-MM-DD HH:MM is missing\nUsage: /schedule add YYYY-MM-DD HH:MM"),
        ("/schedule add 2026-11-20 09:00", "TITLE is missing"),
        ("/schedule add 2026-11-20 09:00 x --times many", "--times must be a number"),
        ("/todo done", "ID is missing"),
        ("/todo list today", "unexpected: today"),
        ("/view", "all|today|overdue|upcoming|inbox is missing"),
        ("/view list all", "unexpected: all"),
        ("/help me", "unexpected: me"),
        ("/TODO add x", "unknown command /TODO; did you mean /todo?"),
        ("", "unknown command "),
        (f"/todo add {'x' * 1001}", "TEXT: "),
        ("/schedule view day 20.11.2026", "YYYY-MM-DD must be a day such as 2026-03-01"),
        ("/schedule view day 2026-02-30", "YYYY-MM-DD: there is no day 2026-02-30"),
        ("/foo", "unknown command /foo; available: /todo, /view"),
    ],
)
def test_r3_10_a_wrong_form_is_refused_with_what_is_right(line: str, message: str) -> None:
    with pytest.raises(WrongUsage) as refused:
        parse_slash_command(line, SHANGHAI)
    assert str(refused.value).startswith(message)
    chinese = explain(refused.value, "zh")
    assert chinese != str(refused.value)
    is_known = line.partition(" ")[0] in {form.words[0] for form in FORMS}
    assert ("\nUsage: /" in str(refused.value)) == is_known
    assert ("\n用法：/" in chinese) == is_known


def test_r3_10_a_line_has_an_end() -> None:
    for line in ("/todo add " + "“ " * 500_000, "/" + "x" * 5_000):
        with pytest.raises(WrongUsage, match="a command has at most 5,000 characters"):
            parse_slash_command(line, SHANGHAI)


@pytest.mark.parametrize("line", ["/todo add a\n/todo add b", "／todo done 1\r\n x\n  /plan"])
def test_r3_10_several_commands_are_refused_and_not_run_together(line: str) -> None:
    with pytest.raises(WrongUsage, match="give one at a time"):
        parse_slash_command(line, SHANGHAI)


def test_r3_10_pasted_commands_are_told_apart_if_each_line_is_one() -> None:
    assert split_commands(" /todo add a\n\n／todo done 1 \n") == ["/todo add a", "／todo done 1"]
    assert split_commands("/plan") == ["/plan"]
    assert split_commands(" /todo add a\nb ") == ["/todo add a\nb"]
    assert split_commands("Plan my week:\n/tmp is full") == ["Plan my week:\n/tmp is full"]
    assert split_commands(" \n") == []


def test_r3_10_a_time_that_the_clocks_skip_is_refused() -> None:
    with pytest.raises(WrongUsage) as refused:
        parse_slash_command("/todo add x --due 2026-03-29 02:30", BERLIN)
    assert refused.value.text == "slash_moment_skipped"


def test_r3_10_of_a_time_that_comes_twice_the_first_is_meant() -> None:
    request = parse_slash_command("/schedule add 2026-10-25 02:30 x", BERLIN)
    assert request == c.AddAppointment(datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "x")


def test_r3_10_every_usage_line_names_the_options_of_its_form() -> None:
    for form in FORMS:
        assert form.usage.startswith(form.name)
        for name, _ in form.options:
            assert f"[--{name.replace('_', '-')} " in form.usage


def test_r3_10_a_path_is_no_slash_command() -> None:
    assert is_slash_command(" /todo")
    assert is_slash_command("/帮助")
    assert is_slash_command("／todo list")
    assert is_slash_command("/dry-run x")
    lines = ("/", "// x", "a /todo", "/ x", "/1", "", "/etc/hosts is wrong", "/usr/", "/x.py")
    assert not any(map(is_slash_command, lines))


@pytest.mark.parametrize(
    "line",
    [
        "/todo {}",
        "/{}",
        "/todo get {}",
        "/todo get 1 {}",
        "/todo add x --{}",
        "/todo add x --due {} 09:00",
        "/view {}",
        "/schedule repeat 1 {}",
    ],
)
def test_a4_an_error_repeats_what_was_typed_without_control_characters(line: str) -> None:
    with pytest.raises(WrongUsage) as refused:
        parse_slash_command(line.format("\x1b]0;owned\x07\u202e" + "x" * 4_900), BERLIN)
    for language in ("en", "zh"):
        shown = explain(refused.value, language)
        assert all(part.isprintable() for part in shown.split("\n"))
        assert len(shown) < 600


WORDS = [word for form in FORMS for word in (*form.words, *form.usage.split())]
LINES = st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=12).map(" ".join)


@given(LINES)
def test_r3_10_any_line_is_read_or_refused(line: str) -> None:
    with suppress(WrongUsage):
        parse_slash_command("/" + line, BERLIN)
