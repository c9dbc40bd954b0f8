"""Carry out slash commands about todos and appointments; a model's tools use the same ones."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from outlast.assistant.agenda import commands as c
from outlast.assistant.agenda.calendar import local_midnight, occurrences_between
from outlast.assistant.agenda.items import TODO_VIEWS, Appointment, TodoItem
from outlast.assistant.agenda.views import choose_todos, search_todos
from outlast.assistant.slash import requests as r
from outlast.assistant.slash.forms import USAGES
from outlast.errors import InvalidArgument, WrongUsage
from outlast.language import text, visible

if TYPE_CHECKING:
    from datetime import date

    from outlast.assistant.agenda.port import Agenda
    from outlast.assistant.slash.answers import AgendaWriter
    from outlast.assistant.slash.requests import AgendaQuery, Span

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


def answer_request(
    request: c.AgendaCommand | AgendaQuery, agenda: Agenda, writer: AgendaWriter, key: str = ""
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
        usage = USAGES[type(command)]
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
        case r.ListViews():
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
        case r.ListAppointments():
            return writer.appointment_table(appointments.values())
        case r.ViewAppointments(span, day):
            first = day or writer.now.astimezone(writer.zone).date()
            begin, end = (local_midnight(each, writer.zone) for each in _days_of(span, first))
            return writer.days(occurrences_between(appointments.values(), begin, end, writer.zone))


def _days_of(span: Span, day: date) -> tuple[date, date]:
    """Return the first day of a span around a day, and the day after its last."""
    if span == "day":
        return day, day + timedelta(days=1)
    if span == "week":
        monday = day - timedelta(days=day.weekday())
        return monday, monday + timedelta(days=7)
    first = day.replace(day=1)
    return first, (first + timedelta(days=31)).replace(day=1)
