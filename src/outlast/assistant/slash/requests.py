"""What a slash command asks for, beside the changes in `domain.agenda.commands`."""

from __future__ import annotations

from datetime import date
from typing import Final, Literal, get_args

from msgspec import Struct

from outlast.assistant.agenda.commands import AgendaCommand
from outlast.assistant.agenda.items import TodoView

Span = Literal["day", "week", "month"]
SPANS: Final[tuple[Span, ...]] = get_args(Span)


class ListTodos(Struct, frozen=True):
    """Show the todos of a view, perhaps of one tag."""

    view: TodoView = "all"
    tag: str = ""


class GetTodo(Struct, frozen=True):
    """Show one todo."""

    id: int


class SearchTodos(Struct, frozen=True):
    """Show the todos that contain a word, perhaps of one tag."""

    word: str
    tag: str = ""


class ListViews(Struct, frozen=True):
    """Show the views that there are."""


class ListAppointments(Struct, frozen=True):
    """Show all appointments."""


class GetAppointment(Struct, frozen=True):
    """Show one appointment."""

    id: int


class ViewAppointments(Struct, frozen=True):
    """Show what happens on a day, in its week or in its month; today without a day."""

    span: Span
    day: date | None = None


class ShowHelp(Struct, frozen=True):
    """Show the slash commands."""


class ShowPlan(Struct, frozen=True):
    """Show the plan of the task at hand."""


class CancelTask(Struct, frozen=True):
    """Drop the task at hand."""


TodoQuery = ListTodos | GetTodo | SearchTodos | ListViews
AppointmentQuery = ListAppointments | GetAppointment | ViewAppointments
AgendaQuery = TodoQuery | AppointmentQuery
AgendaRequest = AgendaCommand | AgendaQuery
SlashRequest = AgendaRequest | ShowHelp | ShowPlan | CancelTask
