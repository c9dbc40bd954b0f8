"""The protocol of an agenda, the changes that are made to one, and the rules for them."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from outlast.assistant.agenda.calendar import find_overlap, overlaps_itself
from outlast.assistant.agenda.items import (
    FIRST_DAY,
    LAST_DAY,
    WITHOUT_END,
    Appointment,
    Recurrence,
    Reminder,
    TodoItem,
)
from outlast.errors import InvalidArgument, InvalidStatus
from outlast.model.limits import LARGEST_ID, check_flag, check_text, wrong_type_error

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_MINUTES: Final = 100 * 366 * 24 * 60  # minutes, of a duration and of an interval
_YEARS: Final = range(FIRST_DAY.year - 1, LAST_DAY.year + 2)  # in UTC, whatever the zone


class TodoDetails(Struct, frozen=True, kw_only=True):
    """What may be said about a todo; what is unset stays as it is."""

    tag: str | UnsetType = UNSET
    priority: int | UnsetType = UNSET
    due: datetime | UnsetType = UNSET
    remind: datetime | UnsetType = UNSET


class AddTodo(Struct, frozen=True):
    """Add a todo."""

    text: str
    details: TodoDetails = TodoDetails()


class UpdateTodo(Struct, frozen=True):
    """Change the text of a todo, and the details that are given."""

    id: int
    text: str
    details: TodoDetails = TodoDetails()


class CompleteTodo(Struct, frozen=True):
    """Mark a todo as done."""

    id: int


class DeleteTodo(Struct, frozen=True):
    """Delete a todo."""

    id: int


class AppointmentDetails(Struct, frozen=True, kw_only=True):
    """What may be said about an appointment; what is unset stays as it is."""

    duration: int | UnsetType = UNSET
    remind: datetime | UnsetType = UNSET
    interval: int | UnsetType = UNSET
    times: int | UnsetType = UNSET
    remind_start: datetime | UnsetType = UNSET


class AddAppointment(Struct, frozen=True):
    """Add an appointment."""

    start: datetime
    title: str
    details: AppointmentDetails = AppointmentDetails()


class UpdateAppointment(Struct, frozen=True):
    """Change the start and title of an appointment, and the details that are given."""

    id: int
    start: datetime
    title: str
    details: AppointmentDetails = AppointmentDetails()


class DeleteAppointment(Struct, frozen=True):
    """Delete an appointment."""

    id: int


class SetRepeat(Struct, frozen=True):
    """Switch the recurrence of an appointment on or off."""

    id: int
    is_on: bool


TodoCommand = AddTodo | UpdateTodo | CompleteTodo | DeleteTodo

AppointmentCommand = AddAppointment | UpdateAppointment | DeleteAppointment | SetRepeat

AgendaCommand = TodoCommand | AppointmentCommand


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


def decide_todo(
    command: TodoCommand, todos: Mapping[int, TodoItem], new_id: int, now: datetime
) -> TodoItem:
    """Return the todo as it is after a command, or as it was when it goes. Raises what is wrong."""
    _check_values(command)
    if isinstance(command, AddTodo):
        return _describe(TodoItem(new_id, command.text, now), command.details, now)
    todo = todos.get(command.id)
    if todo is None:
        raise InvalidArgument("todo_missing", argument="id", id=command.id)
    if isinstance(command, UpdateTodo):
        return _describe(replace(todo, text=command.text), command.details, now)
    if isinstance(command, DeleteTodo):
        return todo
    if todo.done_at is not None:
        raise InvalidStatus("todo_done_already", id=todo.id)
    return replace(todo, done_at=now)


def _describe(todo: TodoItem, details: TodoDetails, now: datetime) -> TodoItem:
    if details.priority is not UNSET and not 0 <= details.priority <= LARGEST_ID:
        raise InvalidArgument("priority_out_of_range", argument="--priority")
    todo = replace(todo, **_given_values(details))
    if todo.remind is not None and todo.due is None:
        raise InvalidArgument("remind_without_due", argument="--remind")
    is_given = details.due is not UNSET or details.remind is not UNSET
    if is_given and todo.due is not None and todo.remind is not None and todo.remind > todo.due:
        raise InvalidArgument("remind_after_due", argument="--remind")
    _require_future(details.remind, now)
    return todo


def decide_appointment(
    command: AppointmentCommand,
    known: Mapping[int, Appointment],
    new_id: int,
    now: datetime,
    zone: tzinfo,
) -> Appointment:
    """Return the appointment as it is after a command, or as it was when it goes.

    Raises what is wrong. No two appointments overlap in the time zone of the user.
    """
    _check_values(command)
    if isinstance(command, AddAppointment):
        made = Appointment(new_id, command.title, command.start, now)
        return _check_overlap(_arrange(made, command.details, now), known, zone)
    found = known.get(command.id)
    if found is None:
        raise InvalidArgument("appointment_missing", argument="id", id=command.id)
    if isinstance(command, DeleteAppointment):
        return found
    if isinstance(command, UpdateAppointment):
        moved = replace(found, title=command.title, start=command.start)
        if found.remind is not None:  # as long before as it was
            moved = replace(moved, remind=found.remind + (command.start - found.start))
        return _check_overlap(_arrange(moved, command.details, now), known, zone)
    if found.recurrence is None:
        raise InvalidStatus("appointment_happens_once", id=found.id)
    recurrence = replace(found.recurrence, is_on=command.is_on)
    return _check_overlap(replace(found, recurrence=recurrence), known, zone)


def _arrange(appointment: Appointment, details: AppointmentDetails, now: datetime) -> Appointment:
    recurrence = _recurrence(appointment.recurrence, details)
    given = _given_values(details)
    given = {name: value for name, value in given.items() if name not in ("interval", "times")}
    arranged = replace(appointment, recurrence=recurrence, **given)
    _require_minutes("--duration", arranged.duration)
    if arranged.remind is None and arranged.remind_start is not None:
        raise InvalidArgument("remind_start_without_remind", argument="--remind-start")
    if arranged.remind is not None and arranged.remind > arranged.start:
        raise InvalidArgument("remind_after_start", argument="--remind")
    _require_future(details.remind, now)
    return arranged


def _recurrence(known: Recurrence | None, details: AppointmentDetails) -> Recurrence | None:
    if details.interval is UNSET and details.times is UNSET:
        return known
    if details.interval is not UNSET:
        _require_minutes("--interval", details.interval)
        known = Recurrence(details.interval, WITHOUT_END if known is None else known.times)
    if known is None:
        raise InvalidArgument("times_without_interval", argument="--times")
    if details.times is UNSET:
        return known
    if details.times != WITHOUT_END and not 1 < details.times <= LARGEST_ID:
        raise InvalidArgument("times_out_of_range", argument="--times")
    return replace(known, times=details.times)


def _check_overlap(
    appointment: Appointment, known: Mapping[int, Appointment], zone: tzinfo
) -> Appointment:
    """Return an appointment that overlaps no other one."""
    if overlaps_itself(appointment):
        raise InvalidArgument("interval_too_short", argument="--interval")
    overlap = find_overlap(appointment, known.values(), zone)
    if overlap is not None:
        start, other = overlap[1].start.astimezone(zone), overlap[1].appointment
        raise InvalidArgument(
            "appointment_overlaps",
            argument="start",
            id=other.id,
            title=other.title,
            at=f"{start:%Y-%m-%d %H:%M}",
        )
    return appointment


def _check_values(command: AgendaCommand | TodoDetails | AppointmentDetails) -> None:
    """Refuse values that no agenda could keep: of a wrong type, too long, outside the calendar."""
    for name, value in _given_values(command).items():
        if isinstance(value, TodoDetails | AppointmentDetails):
            _check_values(value)
        elif name in ("text", "title", "tag"):
            check_text(value, name)
        elif name in ("start", "due", "remind", "remind_start"):
            _check_moment(value, name)
        elif name == "is_on":
            check_flag(value, name)
        elif type(value) is not int:
            raise wrong_type_error(name, "int", value)


def _check_moment(value: object, name: str) -> None:
    if not isinstance(value, datetime):
        raise wrong_type_error(name, "datetime", value)
    try:
        year = 0 if value.utcoffset() is None else value.astimezone(UTC).year
    except OverflowError:
        year = 0
    if year not in _YEARS:
        first, last = str(FIRST_DAY.year), str(LAST_DAY.year)
        raise InvalidArgument("moment_out_of_range", argument=name, first=first, last=last)


def _given_values(details: AgendaCommand | TodoDetails | AppointmentDetails) -> dict[str, object]:
    fields = details.__struct_fields__
    return {name: value for name in fields if (value := getattr(details, name)) is not UNSET}


def _require_minutes(option: str, minutes: int) -> None:
    if not 0 < minutes <= MOST_MINUTES:
        raise InvalidArgument("minutes_out_of_range", argument=option, most=MOST_MINUTES)


def _require_future(remind: datetime | UnsetType, now: datetime) -> None:
    if remind is not UNSET and remind <= now:
        raise InvalidArgument("remind_in_the_past", argument="--remind")
