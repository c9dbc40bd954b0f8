"""The table of slash commands: the words of each, its values, what it asks for, and the help."""

from __future__ import annotations

from datetime import date
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from outlast.assistant.agenda import commands as c
from outlast.assistant.agenda.items import TODO_VIEWS, TodoView
from outlast.language import Language, text

Span = Literal["day", "week", "month"]
SPANS: Final[tuple[Span, ...]] = get_args(Span)

# How the values of places and options are read, by name; see `parse.py`.
WORDS: Final = "words"
NUMBER: Final = "number"
MOMENT: Final = "moment"  # two words: a day and a time
DAY: Final = "day"
WORD: Final = "word"
SWITCH: Final = "switch"
Choice = tuple[str, ...]

_PARTS: Final = (
    ("slash_help_todos", ("/todo", "/view")),
    ("slash_help_appointments", ("/schedule",)),
    ("slash_help_task", ("/plan", "/cancel", "/help")),
)
_ABOUT: Final = {
    "/todo add": "slash_help_todo_add",
    "/todo list": "slash_help_todo_list",
    "/todo get": "slash_help_todo_get",
    "/todo update": "slash_help_todo_update",
    "/todo done": "slash_help_todo_done",
    "/todo delete": "slash_help_todo_delete",
    "/todo search": "slash_help_todo_search",
    "/view list": "slash_help_view_list",
    "/view": "slash_help_view",
    "/schedule add": "slash_help_schedule_add",
    "/schedule list": "slash_help_schedule_list",
    "/schedule get": "slash_help_schedule_get",
    "/schedule view": "slash_help_schedule_view",
    "/schedule update": "slash_help_schedule_update",
    "/schedule delete": "slash_help_schedule_delete",
    "/schedule repeat": "slash_help_schedule_repeat",
    "/help": "slash_help_help",
    "/plan": "slash_help_plan",
    "/cancel": "slash_help_cancel",
}


# What a slash command asks for, beside the changes in `agenda.commands`


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
AgendaRequest = c.AgendaCommand | AgendaQuery
SlashRequest = AgendaRequest | ShowHelp | ShowPlan | CancelTask


# The table


class Form(Struct, frozen=True):
    """One slash command.

    `request` is the type of what it asks for, `places` are its values in order, each with how it is
    read; the last may be optional. The options go into the request itself, or into its `details`.
    `usage` is the line that is shown when something is wrong.
    """

    words: tuple[str, ...]
    usage: str
    request: type[SlashRequest]
    places: tuple[tuple[str, str | Choice], ...] = ()
    options: tuple[tuple[str, str | Choice], ...] = ()
    details: type[c.TodoDetails | c.AppointmentDetails] | None = None
    optional: bool = False

    @property
    def name(self) -> str:
        """The command as it is typed, without its values."""
        return " ".join(self.words)

    def build(self, places: dict[str, Any], options: dict[str, Any]) -> SlashRequest:
        """Return what the command asks for with these values."""
        given = options if self.details is None else {"details": self.details(**options)}
        return self.request(**places, **given)


_ID: Final = ("id", NUMBER)

_TAG: Final = ("tag", WORD)

_TODO_OPTIONS: Final = (_TAG, ("priority", NUMBER), ("due", MOMENT), ("remind", MOMENT))

_TODO_USAGE: Final = "[--tag T] [--priority N] [--due YYYY-MM-DD HH:MM] [--remind YYYY-MM-DD HH:MM]"

_APPOINTMENT_OPTIONS: Final = (
    ("duration", NUMBER),
    ("remind", MOMENT),
    ("interval", NUMBER),
    ("times", NUMBER),
    ("remind_start", MOMENT),
)

_APPOINTMENT_USAGE: Final = (
    "[--duration MIN] [--remind YYYY-MM-DD HH:MM] [--interval MIN] [--times -1|N] "
    "[--remind-start YYYY-MM-DD HH:MM]"
)

_VIEWS: Final = "|".join(TODO_VIEWS)

FORMS: Final = (
    Form(
        ("/todo", "add"),
        f"/todo add TEXT {_TODO_USAGE}",
        c.AddTodo,
        (("text", WORDS),),
        _TODO_OPTIONS,
        c.TodoDetails,
    ),
    Form(
        ("/todo", "list"),
        f"/todo list [--tag T] [--view {_VIEWS}]",
        ListTodos,
        options=(_TAG, ("view", TODO_VIEWS)),
    ),
    Form(("/todo", "get"), "/todo get ID", GetTodo, (_ID,)),
    Form(
        ("/todo", "update"),
        f"/todo update ID TEXT {_TODO_USAGE}",
        c.UpdateTodo,
        (_ID, ("text", WORDS)),
        _TODO_OPTIONS,
        c.TodoDetails,
    ),
    Form(("/todo", "done"), "/todo done ID", c.CompleteTodo, (_ID,)),
    Form(("/todo", "delete"), "/todo delete ID", c.DeleteTodo, (_ID,)),
    Form(
        ("/todo", "search"), "/todo search WORD [--tag T]", SearchTodos, (("word", WORDS),), (_TAG,)
    ),
    Form(("/view", "list"), "/view list", ListViews),
    Form(("/view",), f"/view {_VIEWS} [--tag T]", ListTodos, (("view", TODO_VIEWS),), (_TAG,)),
    Form(
        ("/schedule", "add"),
        f"/schedule add YYYY-MM-DD HH:MM TITLE {_APPOINTMENT_USAGE}",
        c.AddAppointment,
        (("start", MOMENT), ("title", WORDS)),
        _APPOINTMENT_OPTIONS,
        c.AppointmentDetails,
    ),
    Form(("/schedule", "list"), "/schedule list", ListAppointments),
    Form(("/schedule", "get"), "/schedule get ID", GetAppointment, (_ID,)),
    Form(
        ("/schedule", "view"),
        "/schedule view day|week|month [YYYY-MM-DD]",
        ViewAppointments,
        (("span", SPANS), ("day", DAY)),
        optional=True,
    ),
    Form(
        ("/schedule", "update"),
        f"/schedule update ID YYYY-MM-DD HH:MM TITLE {_APPOINTMENT_USAGE}",
        c.UpdateAppointment,
        (_ID, ("start", MOMENT), ("title", WORDS)),
        _APPOINTMENT_OPTIONS,
        c.AppointmentDetails,
    ),
    Form(("/schedule", "delete"), "/schedule delete ID", c.DeleteAppointment, (_ID,)),
    Form(
        ("/schedule", "repeat"), "/schedule repeat ID on|off", c.SetRepeat, (_ID, ("is_on", SWITCH))
    ),
    Form(("/help",), "/help", ShowHelp),
    Form(("/plan",), "/plan", ShowPlan),
    Form(("/cancel",), "/cancel", CancelTask),
)

USAGES: Final = {form.request: form.usage for form in FORMS}


# Help


def slash_help(language: Language) -> str:
    """Return every slash command with its usage line and what it does."""
    lines = []
    for title, heads in _PARTS:
        lines.append(text(title, language))
        for form in (form for form in FORMS if form.words[0] in heads):
            lines += (f"  {form.usage}", f"      {text(_ABOUT[form.name], language)}")
    return "\n".join((*lines, text("slash_help_times", language)))


def usage_lines(heads: tuple[str, ...]) -> str:
    """Return the usage lines of the commands that begin with certain words."""
    return "\n".join(form.usage for form in FORMS if form.words[0] in heads)
