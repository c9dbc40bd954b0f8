"""`chat`: talk with the assistant at the terminal, or send it the lines of a pipe."""

from __future__ import annotations

import asyncio
import gc
import sys
from functools import partial
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

from outlast.assistant.assistant import Assistant
from outlast.assistant.chat.chat import REMINDER_SECONDS, Chat, Lines, PipedLines
from outlast.assistant.chat.completion import Knowledge
from outlast.assistant.chat.display import ChatDisplay, JsonDisplay, Screen, TextDisplay
from outlast.console.call import Answer, Call
from outlast.console.render.output import encode_json, has_colours, print_notices, write
from outlast.errors import StoreError
from outlast.plan.home.find import load_settings
from outlast.system.state_home import StateHome, state_home
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.assistant.agenda.commands import Agenda
    from outlast.language import Language


def chat(
    call: Call, *, model: str | None = None, review: bool = False, max_steps: int | None = None
) -> Answer:
    """Talk until the person leaves or the lines end; the exit code is 1 if a line failed."""
    gc.enable()  # unlike other commands this one may run for days
    options = {
        "loop.model": model,
        "assistant.review": review or None,
        "assistant.max_steps": max_steps,
    }
    loaded = load_settings(current_directory(), arguments=options)
    call.notices.extend(loaded.notices)
    language = call.agent_language(loaded.settings)
    screen = Screen(sys.stdout or StringIO(), colours=has_colours())
    with Assistant(
        settings=loaded.settings, language=language, width=lambda: screen.width
    ) as assistant:
        lines = _open_lines(call, assistant, language)
        print_notices(call)
        call.notices.clear()  # the answer comes hours later
        seconds = REMINDER_SECONDS if loaded.settings.assistant.reminders else 0
        display = _open_display(call, screen, language)
        code = asyncio.run(Chat(assistant, lines, display, reminder_seconds=seconds).run())
    return Answer(dict, str, code)


def _open_display(call: Call, screen: Screen, language: Language) -> ChatDisplay:
    if call.wants_json:
        return JsonDisplay(lambda event: write(encode_json(event), sys.stdout))
    return TextDisplay(screen, language)


def _open_lines(call: Call, assistant: Assistant, language: Language) -> Lines:
    """Return the person at the terminal, else the lines of the standard input."""
    if not call.is_interactive:
        return PipedLines(sys.stdin.buffer if sys.stdin else BytesIO())
    from outlast.assistant.chat.terminal_lines import TerminalLines, TypedLines

    knowledge = Knowledge(partial(_name_items, assistant.agenda), assistant.today)
    typed = TypedLines(StateHome(state_home()))
    colours = has_colours()
    try:
        return TerminalLines(language, knowledge, typed.load(), typed.add, colours=colours)
    except StoreError as error:
        call.notices.append(("chat_history_lost", {"problem": error}))
        return TerminalLines(language, knowledge, (), colours=colours)


def _name_items(agenda: Agenda, command: str) -> Mapping[int, str]:
    """Return the items that a slash command is about, by id."""
    if command == "/schedule":
        return {id_: each.title for id_, each in agenda.appointments().items()}
    return {id_: todo.text for id_, todo in agenda.todos().items() if todo.done_at is None}
