"""Carry out slash commands about todos and appointments, and write the answers.

A model's tools use the same ones. Answers are in both languages, with times in the user's zone.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo
from itertools import groupby
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.assistant.agenda import commands as c
from outlast.assistant.agenda.calendar import local_midnight, next_occurrence, occurrences_between
from outlast.assistant.agenda.items import (
    TODO_VIEWS,
    WITHOUT_END,
    Appointment,
    Occurrence,
    Reminder,
    TodoItem,
    choose_todos,
    search_todos,
)
from outlast.assistant.slash import forms as r
from outlast.errors import InvalidArgument, WrongUsage
from outlast.language import STATUS_ICONS, Language, text, visible
from outlast.language.columns import draw_table, wrap_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outlast.assistant.agenda.commands import Agenda

_TO_THE_RIGHT: Final = frozenset({0})
_MOST_SHOWN: Final = 200  # times of appointments in one answer
_TODO_COLUMNS: Final = (
    "heading_id",
    "heading_state",
    "heading_priority",
    "heading_due",
    "heading_tag",
    "heading_todo",
)
_APPOINTMENT_COLUMNS: Final = (
    "heading_id",
    "heading_next",
    "heading_minutes",
    "heading_repeats",
    "heading_title",
)
_ALARM: Final = "⏰"
_TO: Final = "\u2013"
_WEEKDAYS: Final = (
    "weekday_mon",
    "weekday_tue",
    "weekday_wed",
    "weekday_thu",
    "weekday_fri",
    "weekday_sat",
    "weekday_sun",
)
_UNITS: Final = (
    (7 * 24 * 60, "repeats_weekly", "repeats_weeks"),
    (24 * 60, "repeats_daily", "repeats_days"),
    (60, "repeats_hourly", "repeats_hours"),
)
_ANSWERS: Final[dict[type[c.AgendaCommand], str]] = {
    c.AddTodo: "todo_added",
    c.UpdateTodo: "todo_changed",
    c.CompleteTodo: "todo_completed",
    c.DeleteTodo: "todo_deleted",
    c.AddAppointment: "appointment_added",
    c.UpdateAppointment: "appointment_changed",
    c.DeleteAppointment: "appointment_deleted",
    c.SetRepeat: "appointment_changed",
}


class AgendaWriter(Struct, frozen=True):
    """Writes items for one person: in their language, with the times of their zone.

    `width` is how many columns their terminal has; 0 is no limit.
    """

    language: Language
    zone: tzinfo
    now: datetime
    width: int = 0

    # Todos

    def todo_line(self, key: str, todo: TodoItem) -> str:
        """Say in a line what was done with a todo."""
        details = "".join(self._todo_details(todo))
        return text(key, self.language, id=todo.id, what=visible(todo.text), details=details)

    def todo_table(self, todos: Sequence[TodoItem]) -> str:
        """List todos in a table."""
        if not todos:
            return text("todos_none", self.language)
        rows = (
            (
                str(todo.id),
                STATUS_ICONS["completed" if todo.done_at else "pending"],
                str(todo.priority or ""),
                self._time(todo.due),
                visible(todo.tag),
                visible(todo.text),
            )
            for todo in todos
        )
        return self._table(_TODO_COLUMNS, rows)

    def todo_page(self, todo: TodoItem) -> str:
        """Show everything about a todo."""
        return self._page(
            ("heading_todo", f"{todo.id} {visible(todo.text)}"),
            ("heading_state", text("todo_done" if todo.done_at else "todo_open", self.language)),
            ("heading_priority", str(todo.priority)),
            ("heading_tag", visible(todo.tag)),
            ("heading_due", self._time(todo.due)),
            ("heading_remind", self._time(todo.remind)),
            ("heading_created", self._time(todo.created_at)),
            ("heading_done", self._time(todo.done_at)),
        )

    def _todo_details(self, todo: TodoItem) -> Iterable[str]:
        if todo.tag:
            yield f" #{visible(todo.tag)}"
        if todo.priority:
            yield f" !{todo.priority}"
        if todo.due is not None:
            yield text("todo_due", self.language, at=self._time(todo.due))
        if todo.remind is not None:
            yield f" {_ALARM} {self._time(todo.remind)}"

    # Appointments

    def appointment_line(self, key: str, appointment: Appointment) -> str:
        """Say in a line what was done with an appointment."""
        details = self._span(Occurrence(appointment.start, 0, appointment))
        repeats = self._repeats(appointment)
        if repeats:
            details = text("appointment_when", self.language, when=details, repeats=repeats)
        if appointment.remind is not None:
            details = f"{details} {_ALARM} {self._time(appointment.remind)}"
        return text(
            key, self.language, id=appointment.id, what=visible(appointment.title), details=details
        )

    def appointment_table(self, appointments: Iterable[Appointment]) -> str:
        """List appointments in a table, by their next time."""
        entries = [(each, next_occurrence(each, self.now, self.zone)) for each in appointments]
        if not entries:
            return text("appointments_none", self.language)
        entries.sort(key=lambda entry: (entry[1] is None, (entry[1] or entry[0]).start))
        rows = (
            (
                str(each.id),
                self._next(coming),
                str(each.duration),
                self._repeats(each),
                visible(each.title),
            )
            for each, coming in entries
        )
        return self._table(_APPOINTMENT_COLUMNS, rows)

    def appointment_page(self, appointment: Appointment) -> str:
        """Show everything about an appointment."""
        coming = next_occurrence(appointment, self.now, self.zone)
        return self._page(
            ("heading_title", f"{appointment.id} {visible(appointment.title)}"),
            ("heading_start", self._span(Occurrence(appointment.start, 0, appointment))),
            ("heading_next", self._next(coming)),
            ("heading_repeats", self._repeats(appointment)),
            ("heading_remind", self._time(appointment.remind)),
            ("heading_remind_start", self._time(appointment.remind_start)),
            ("heading_created", self._time(appointment.created_at)),
        )

    def days(self, occurrences: Sequence[Occurrence]) -> str:
        """List what happens, day by day."""
        if not occurrences:
            return text("appointments_none", self.language)
        shown, left_out = occurrences[:_MOST_SHOWN], occurrences[_MOST_SHOWN:]
        lines = [*self._day_lines(shown)]
        if left_out:
            lines.append(text("appointments_more", self.language, count=len(left_out)))
        return "\n".join(piece for line in lines for piece in wrap_line(line, self.width, "    "))

    def _day_lines(self, occurrences: Iterable[Occurrence]) -> Iterable[str]:
        for day, of_day in groupby(
            occurrences, lambda each: each.start.astimezone(self.zone).date()
        ):
            yield f"{day} {text(_WEEKDAYS[day.weekday()], self.language)}"
            for each in of_day:
                title = visible(each.appointment.title)
                yield f"  {self._clock_span(each)}  {each.appointment.id} {title}"

    def reminder_line(self, reminder: Reminder) -> str:
        """Remind a person of something."""
        item = reminder.item
        if isinstance(item, TodoItem):
            due = self._time(item.due)
            return text("remind_todo", self.language, id=item.id, what=visible(item.text), at=due)
        title = visible(item.appointment.title)
        span = self._span(item)
        return text(
            "remind_appointment", self.language, id=item.appointment.id, what=title, at=span
        )

    # Words

    def _table(self, headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
        names = tuple(map(self._heading, headings))
        return "\n".join(draw_table(names, rows, _TO_THE_RIGHT, self.width))

    def _page(self, *lines: tuple[str, str]) -> str:
        rows = [(self._heading(name), value) for name, value in lines if value]
        return "\n".join(draw_table(("", ""), rows, width=self.width))

    def _heading(self, name: str) -> str:
        return text(name, self.language)

    def _repeats(self, appointment: Appointment) -> str:
        recurrence = appointment.recurrence
        if recurrence is None:
            return ""
        if not recurrence.is_on:
            return text("repeats_off", self.language)
        every = self._every(recurrence.interval)
        if recurrence.times == WITHOUT_END:
            return every
        return text("repeats_times", self.language, every=every, times=recurrence.times)

    def _every(self, minutes: int) -> str:
        for size, once, several in _UNITS:
            if minutes % size == 0:
                count = minutes // size
                return text(once if count == 1 else several, self.language, count=count)
        return text("repeats_minutes", self.language, count=minutes)

    def _span(self, occurrence: Occurrence) -> str:
        return f"{occurrence.start.astimezone(self.zone):%Y-%m-%d} {self._clock_span(occurrence)}"

    def _clock_span(self, occurrence: Occurrence) -> str:
        start, end = (moment.astimezone(self.zone) for moment in (occurrence.start, occurrence.end))
        if end - start < timedelta(days=1) and (end.date() == start.date() or end.hour == 0):
            return f"{start:%H:%M}{_TO}{end:%H:%M}"
        return f"{start:%H:%M}{_TO}{end:%Y-%m-%d %H:%M}"

    def _next(self, coming: Occurrence | None) -> str:
        over = text("appointment_over", self.language)
        return over if coming is None else self._time(coming.start)

    def _time(self, moment: datetime | None) -> str:
        return "" if moment is None else f"{moment.astimezone(self.zone):%Y-%m-%d %H:%M}"


def answer_request(
    request: c.AgendaCommand | r.AgendaQuery, agenda: Agenda, writer: AgendaWriter, key: str = ""
) -> str:
    """Carry out a command under a key, or look something up; return the answer as text.

    An option with a wrong value raises `WrongUsage` with the usage line of the command.
    """
    if isinstance(request, c.TodoCommand | c.AppointmentCommand):
        item = _change(request, agenda, key)
        answer = _ANSWERS[type(request)]
        if isinstance(item, TodoItem):
            return writer.todo_line(answer, item)
        return writer.appointment_line(answer, item)
    if isinstance(request, r.TodoQuery):
        return _look_up_todos(request, agenda.todos(), writer)
    return _look_up_appointments(request, agenda.appointments(), writer)


def _change(command: c.AgendaCommand, agenda: Agenda, key: str) -> TodoItem | Appointment:
    try:
        return agenda.change(command, key)
    except InvalidArgument as error:
        details = {
            name: visible(value) if isinstance(value, str) else value
            for name, value in error.details.items()
        }
        problem = InvalidArgument(error.text, **details)
        if not str(error.details["argument"]).startswith("--"):
            raise problem from error
        usage = r.USAGES[type(command)]
        raise WrongUsage("slash_refused", problem=problem, usage=usage) from error


def _look_up_todos(query: r.TodoQuery, todos: dict[int, TodoItem], writer: AgendaWriter) -> str:
    match query:
        case r.GetTodo(id_):
            todo = todos.get(id_)
            if todo is None:
                raise InvalidArgument("todo_missing", argument="id", id=id_)
            return writer.todo_page(todo)
        case r.ListTodos(view, tag):
            found = choose_todos(todos.values(), view, writer.now, writer.zone, tag)
            return writer.todo_table(found)
        case r.SearchTodos(word, tag):
            return writer.todo_table(search_todos(todos.values(), word, tag))
        case _:  # the views that there are
            return text("todo_views", writer.language, known=list(TODO_VIEWS))


def _look_up_appointments(
    query: r.AppointmentQuery, appointments: dict[int, Appointment], writer: AgendaWriter
) -> str:
    match query:
        case r.GetAppointment(id_):
            appointment = appointments.get(id_)
            if appointment is None:
                raise InvalidArgument("appointment_missing", argument="id", id=id_)
            return writer.appointment_page(appointment)
        case r.ViewAppointments(span, day):
            first = day or writer.now.astimezone(writer.zone).date()
            begin, end = (local_midnight(each, writer.zone) for each in _days_of(span, first))
            return writer.days(occurrences_between(appointments.values(), begin, end, writer.zone))
        case _:  # all of them
            return writer.appointment_table(appointments.values())


def _days_of(span: r.Span, day: date) -> tuple[date, date]:
    """Return the first day of a span around a day, and the day after its last."""
    if span == "day":
        return day, day + timedelta(days=1)
    if span == "week":
        monday = day - timedelta(days=day.weekday())
        return monday, monday + timedelta(days=7)
    first = day.replace(day=1)
    return first, (first + timedelta(days=31)).replace(day=1)
