"""Suggest the next command at the end of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.console.call import shell_word
from outlast.console.command_index import load_command

if TYPE_CHECKING:
    from outlast.console.call import Call

BLANK: Final = "…"  # for people to fill in
QUOTED_BLANK: Final = f'"{BLANK}"'

_RUNS: Final = ("run", "resume")


def suggest_command(call: Call, command: str, *more: str, key: str | None = None) -> str:
    """Return a command for the plan of this call, or for the plan with this key.

    It answers in the same language and acts for the same actor, unless that is for a person to do.
    """
    words = [word if word in (BLANK, QUOTED_BLANK) else shell_word(word) for word in more]
    if key is not None:
        call = replace(call, context=replace(call.context, key=key))
    options = call.options_for(command)[_options_field(call, command, more)]
    return " ".join(["outlast", command, *words]) + options


def _options_field(call: Call, command: str, more: tuple[str, ...]) -> str:
    """Return the field of the texts for the options that a command takes over."""
    row = load_command(command)
    if "--plan" in more or not (row.needs_plan or command in _RUNS):
        return "lang"
    is_for_person = row.person_only or "--budget" in more  # only people raise a budget
    is_of_other_agent = command in _RUNS and call.command not in _RUNS
    return "as_person" if is_for_person or is_of_other_agent else "common"
