"""R3.10: what may be changed in an agenda."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from outlast.assistant.agenda import commands as c
from outlast.assistant.agenda.items import Appointment, Recurrence, TodoItem
from outlast.errors import InvalidArgument, OutlastError

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
WEST = timezone(-HOUR)
TODOS = {
    1: TodoItem(1, "Buy milk", NOW),
    2: TodoItem(2, "Call", NOW, due=NOW + HOUR, done_at=NOW),
    3: TodoItem(3, "Cook", NOW, due=NOW + 3 * HOUR, remind=NOW + 2 * HOUR),
}
DAILY = Appointment(1, "Stand-up", NOW + HOUR, NOW, 15, NOW + HOUR / 2, Recurrence(1440))
KNOWN = {1: DAILY, 2: Appointment(2, "Dentist", NOW + 5 * HOUR, NOW)}


def todo(command: c.TodoCommand) -> TodoItem:
    return c.decide_todo(command, TODOS, 4, NOW)


def appointment(command: c.AppointmentCommand) -> Appointment:
    return c.decide_appointment(command, KNOWN, 3, NOW, UTC)


def test_r3_10_a_todo_is_added_changed_completed_and_deleted() -> None:
    details = c.TodoDetails(tag="home", priority=2, due=NOW + 2 * HOUR, remind=NOW + HOUR)
    added = todo(c.AddTodo("Cook", details))
    assert added == TodoItem(4, "Cook", NOW, "home", 2, NOW + 2 * HOUR, NOW + HOUR)
    assert todo(c.UpdateTodo(1, "Buy oat milk", c.TodoDetails(tag="shop"))) == TodoItem(
        1, "Buy oat milk", NOW, "shop"
    )
    assert todo(c.UpdateTodo(2, "Call her")) == TodoItem(
        2, "Call her", NOW, due=NOW + HOUR, done_at=NOW
    ), "what is not given stays"
    equal = todo(c.UpdateTodo(3, "Cook", c.TodoDetails(due=NOW + 2 * HOUR)))
    assert equal.remind == equal.due, "a reminder may come at the due time itself"
    assert todo(c.CompleteTodo(1)) == TodoItem(1, "Buy milk", NOW, done_at=NOW)
    assert todo(c.DeleteTodo(2)) == TODOS[2]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (c.CompleteTodo(9), "todo_missing"),
        (c.DeleteTodo(9), "todo_missing"),
        (c.UpdateTodo(9, "x"), "todo_missing"),
        (c.CompleteTodo(2), "todo_done_already"),
        (c.AddTodo("x", c.TodoDetails(priority=-1)), "priority_out_of_range"),
        (c.AddTodo("x", c.TodoDetails(priority=2**53 + 1)), "priority_out_of_range"),
        (c.AddTodo("x", c.TodoDetails(remind=NOW + HOUR)), "remind_without_due"),
        (c.UpdateTodo(2, "x", c.TodoDetails(remind=NOW)), "remind_in_the_past"),
        (c.AddTodo("x", c.TodoDetails(due=NOW + HOUR, remind=NOW + 2 * HOUR)), "remind_after_due"),
        (c.UpdateTodo(2, "x", c.TodoDetails(remind=NOW + 2 * HOUR)), "remind_after_due"),
        (c.UpdateTodo(3, "x", c.TodoDetails(due=NOW + HOUR)), "remind_after_due"),
    ],
)
def test_r3_10_a_wrong_change_of_a_todo_is_refused(command: c.TodoCommand, text: str) -> None:
    with pytest.raises(OutlastError) as refused:
        todo(command)
    assert refused.value.text == text


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (c.AddTodo(5), "wrong_type"),  # type: ignore[arg-type]
        (c.AddTodo("\ud800"), "lone_surrogate"),
        (c.AddTodo("x", "y"), "wrong_type"),  # type: ignore[arg-type]
        (c.AddTodo("x", c.TodoDetails(priority=1.5)), "wrong_type"),  # type: ignore[arg-type]
        (c.AddTodo("x", c.TodoDetails(due="soon")), "wrong_type"),  # type: ignore[arg-type]
        (c.AddTodo("x", c.TodoDetails(due=datetime(2026, 12, 1))), "moment_out_of_range"),  # noqa: DTZ001 - on purpose
        (c.AddTodo("x", c.TodoDetails(due=datetime.min)), "moment_out_of_range"),  # noqa: DTZ901
        (
            c.AddTodo("x", c.TodoDetails(due=datetime(3001, 1, 1, tzinfo=UTC))),
            "moment_out_of_range",
        ),
        (c.AddAppointment(datetime.max.replace(tzinfo=WEST), "x"), "moment_out_of_range"),
        (c.SetRepeat(1, "off"), "wrong_type"),  # type: ignore[arg-type]
        (c.DeleteTodo("1"), "wrong_type"),  # type: ignore[arg-type]
    ],
)
def test_m9_a_value_that_no_agenda_could_keep_is_refused(
    command: c.AgendaCommand, text: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        todo(command) if isinstance(command, c.TodoCommand) else appointment(command)
    assert refused.value.text == text


def test_r3_10_an_appointment_is_added_moved_and_deleted() -> None:
    details = c.AppointmentDetails(duration=30, interval=1440, times=5)
    added = appointment(c.AddAppointment(NOW + 3 * HOUR, "Lunch", details))
    assert added == Appointment(3, "Lunch", NOW + 3 * HOUR, NOW, 30, None, Recurrence(1440, 5))
    moved = appointment(c.UpdateAppointment(1, NOW + 2 * HOUR, "Stand-up"))
    assert (moved.start, moved.remind) == (NOW + 2 * HOUR, NOW + 1.5 * HOUR), "as long before"
    assert moved.recurrence == DAILY.recurrence
    rarer = appointment(c.UpdateAppointment(1, DAILY.start, "x", c.AppointmentDetails(times=2)))
    assert rarer.recurrence == Recurrence(1440, 2)
    assert appointment(c.DeleteAppointment(1)) == DAILY


def test_r3_10_a_recurrence_is_switched_off_and_on_unless_that_overlaps() -> None:
    off = appointment(c.SetRepeat(1, is_on=False))
    assert off.recurrence == Recurrence(1440, is_on=False)
    tomorrow = Appointment(2, "Breakfast", NOW + 25 * HOUR, NOW)
    with pytest.raises(OutlastError) as refused:
        c.decide_appointment(c.SetRepeat(1, is_on=True), {1: off, 2: tomorrow}, 3, NOW, UTC)
    assert refused.value.details["id"] == 2


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (c.DeleteAppointment(9), "appointment_missing"),
        (c.SetRepeat(9, is_on=True), "appointment_missing"),
        (c.SetRepeat(2, is_on=False), "appointment_happens_once"),
        (c.AddAppointment(NOW + 5.5 * HOUR, "x"), "appointment_overlaps"),
        (c.AddAppointment(NOW + 25 * HOUR, "x"), "appointment_overlaps"),
        (c.UpdateAppointment(2, NOW + HOUR, "x"), "appointment_overlaps"),
        (c.AddAppointment(NOW, "x", c.AppointmentDetails(duration=0)), "minutes_out_of_range"),
        (c.AddAppointment(NOW, "x", c.AppointmentDetails(interval=0)), "minutes_out_of_range"),
        (c.AddAppointment(NOW, "x", c.AppointmentDetails(interval=30)), "interval_too_short"),
        (c.AddAppointment(NOW, "x", c.AppointmentDetails(times=2)), "times_without_interval"),
        (
            c.AddAppointment(NOW, "x", c.AppointmentDetails(interval=1440, times=1)),
            "times_out_of_range",
        ),
        (
            c.AddAppointment(NOW, "x", c.AppointmentDetails(interval=1440, times=2**53 + 1)),
            "times_out_of_range",
        ),
        (
            c.AddAppointment(NOW, "x", c.AppointmentDetails(interval=1440, times=-2)),
            "times_out_of_range",
        ),
        (
            c.AddAppointment(NOW, "x", c.AppointmentDetails(duration=52_704_001)),
            "minutes_out_of_range",
        ),
        (
            c.AddAppointment(NOW, "x", c.AppointmentDetails(remind_start=NOW)),
            "remind_start_without_remind",
        ),
        (c.AddAppointment(NOW, "x", c.AppointmentDetails(remind=NOW + HOUR)), "remind_after_start"),
        (
            c.AddAppointment(NOW + 9 * HOUR, "x", c.AppointmentDetails(remind=NOW)),
            "remind_in_the_past",
        ),
    ],
)
def test_r3_10_a_wrong_change_of_an_appointment_is_refused(
    command: c.AppointmentCommand, text: str
) -> None:
    with pytest.raises(OutlastError) as refused:
        appointment(command)
    assert refused.value.text == text
