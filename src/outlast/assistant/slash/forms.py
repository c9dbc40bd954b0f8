"""The table of slash commands: the words of each, its values and options, and what it asks for."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from outlast.assistant.agenda import commands as c
from outlast.assistant.agenda.items import TODO_VIEWS
from outlast.assistant.slash import requests as r
from outlast.assistant.slash.requests import SlashRequest

# How the values of places and options are read, by name; see `parse.py`.
WORDS: Final = "words"
NUMBER: Final = "number"
MOMENT: Final = "moment"  # two words: a day and a time
DAY: Final = "day"
WORD: Final = "word"
SWITCH: Final = "switch"
Choice = tuple[str, ...]


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
        r.ListTodos,
        options=(_TAG, ("view", TODO_VIEWS)),
    ),
    Form(("/todo", "get"), "/todo get ID", r.GetTodo, (_ID,)),
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
        ("/todo", "search"),
        "/todo search WORD [--tag T]",
        r.SearchTodos,
        (("word", WORDS),),
        (_TAG,),
    ),
    Form(("/view", "list"), "/view list", r.ListViews),
    Form(("/view",), f"/view {_VIEWS} [--tag T]", r.ListTodos, (("view", TODO_VIEWS),), (_TAG,)),
    Form(
        ("/schedule", "add"),
        f"/schedule add YYYY-MM-DD HH:MM TITLE {_APPOINTMENT_USAGE}",
        c.AddAppointment,
        (("start", MOMENT), ("title", WORDS)),
        _APPOINTMENT_OPTIONS,
        c.AppointmentDetails,
    ),
    Form(("/schedule", "list"), "/schedule list", r.ListAppointments),
    Form(("/schedule", "get"), "/schedule get ID", r.GetAppointment, (_ID,)),
    Form(
        ("/schedule", "view"),
        "/schedule view day|week|month [YYYY-MM-DD]",
        r.ViewAppointments,
        (("span", r.SPANS), ("day", DAY)),
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
    Form(("/help",), "/help", r.ShowHelp),
    Form(("/plan",), "/plan", r.ShowPlan),
    Form(("/cancel",), "/cancel", r.CancelTask),
)

USAGES: Final = {form.request: form.usage for form in FORMS}
