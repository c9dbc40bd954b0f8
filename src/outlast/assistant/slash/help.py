"""Help about slash commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.assistant.slash.forms import FORMS
from outlast.language import text

if TYPE_CHECKING:
    from outlast.language import Language

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
