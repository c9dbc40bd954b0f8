"""What a chat shows: greeting, progress, replies, reminders; as text or as a stream of JSON.

Text is lines on a terminal or in a pipe: wrapped, coloured, with a status line that changes.
"""

from __future__ import annotations

import os
import time
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO

from outlast.agent import events as v
from outlast.documents.amount_words import duration
from outlast.language import Language, text, visible
from outlast.language.columns import character_width, wrap_line
from outlast.model.intents import is_slash_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from outlast.assistant.tasks import PendingPlanTask

Style = Literal["plain", "progress", "answer", "question", "error", "reminder"]
_COLOURS: Final[dict[Style, str]] = {
    "progress": "\x1b[2m",
    "answer": "\x1b[1m",
    "question": "\x1b[1;33m",
    "error": "\x1b[31m",
    "reminder": "\x1b[36m",
}
_NO_COLOUR: Final = "\x1b[0m"
_TAB: Final = 4  # columns
_ERASE: Final = "\r\x1b[K"
_QUIET_SECONDS: Final = 0.5  # before the status line appears
_STYLES: Final[dict[str, Style]] = {
    "answer": "answer",
    "question": "question",
    "error": "error",
    "unavailable": "error",
}
_GOAL_CHARACTERS: Final = 100
_SET_APART: Final = ("answer", "question", "limit")


class ScreenGone(Exception):
    """Raised when the terminal is closed, or the reader of the output has gone."""


class Screen:
    """Prints lines in which control characters are spelled out.

    On a terminal they are wrapped to its width, and a status line below them can be drawn over.
    """

    def __init__(self, stream: TextIO, *, colours: bool = False) -> None:
        """Use a stream; `colours` only if it is a terminal that may have them."""
        self._stream, self._colours = stream, colours
        self.is_terminal = stream.isatty()
        self._redraws = self.is_terminal and os.environ.get("TERM") != "dumb"
        self._status = ""
        self.has_printed = False

    @property
    def width(self) -> int:
        """The columns of the terminal now; 0 if there is no terminal."""
        return get_terminal_size().columns if self.is_terminal else 0

    def print(self, text: str, style: Style = "plain") -> None:
        """Print a text; the status line stays below it."""
        lines = (visible(line.expandtabs(_TAB)) for line in text.splitlines() or [""])
        pieces = [self._paint(piece, style) for line in lines for piece in self._wrap(line)]
        self.has_printed = True
        status, self._status = self._status, ""
        erase = _ERASE if status and self._redraws else ""
        self._write(erase + "".join(f"{piece}\n" for piece in pieces))
        if erase:
            self.show_status(status)

    def show_status(self, status: str) -> None:
        """Draw the status line; empty removes it. A terminal that cannot redraw shows it once."""
        if status == self._status or not self.is_terminal:
            return
        before, self._status = self._status, status
        if self._redraws:
            shown = _cut(visible(status), self.width - 1)
            self._write(f"{_ERASE}{self._paint(shown, 'progress')}")
        elif not before:
            self._write(f"{visible(status)}\n")

    def _wrap(self, line: str) -> Iterator[str]:
        """Yield a line in pieces that fit, all with the indent of the first."""
        text = line.strip()
        indent = line[: len(line) - len(line.lstrip())] if text else ""
        return wrap_line(f"{indent}{text}", self.width, indent)

    def _paint(self, text: str, style: Style) -> str:
        if not (text and self._colours and style in _COLOURS):
            return text
        return f"{_COLOURS[style]}{text}{_NO_COLOUR}"

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError) as error:  # closed
            raise ScreenGone from error


def _cut(text: str, width: int) -> str:
    """Return as much of a text as fits into a number of columns."""
    used = 0
    for at, character in enumerate(text):
        used += character_width(character)
        if used > width:
            return text[:at]
    return text


class ChatDisplay:
    """Shows a chat to a person or a program; what it does not show is nothing to its reader."""

    def greet(
        self, model: str, tasks: Sequence[PendingPlanTask], answers: Sequence[str] = ()
    ) -> None:
        """Show who is there, answers that nobody has seen, and paused tasks."""

    def show_question(self, task: PendingPlanTask) -> None:
        """Show the question that a task waits for."""

    def begin_turn(self, line: str) -> None:
        """Show that a line is worked on."""

    def show_event(self, event: v.Event) -> None:
        """Show something that happens in a turn; `Replied` is its end."""

    def stop_turn(self) -> None:
        """Show that the turn will end soon."""

    def tick(self) -> None:
        """Redraw what changes with time."""

    def say(self, key: str, **details: object) -> None:
        """Show a text of our own."""

    def show_reminders(self, reminders: Sequence[str]) -> None:
        """Show reminders that have fallen due."""


class TextDisplay(ChatDisplay):
    """Shows a chat as lines of text."""

    def __init__(
        self, screen: Screen, language: Language, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Print on a screen; `clock` returns seconds."""
        self._screen, self._language, self._clock = screen, language, clock
        self._doing, self._since = "", 0.0
        self._is_stopping = False

    def greet(
        self, model: str, tasks: Sequence[PendingPlanTask], answers: Sequence[str] = ()
    ) -> None:
        """Show the model, answers that nobody has seen, the newest paused task."""
        self.say("chat_greeting" if model else "chat_greeting_no_model", model=visible(model))
        for answer in answers:
            self._print_reply(v.AssistantReply(answer, "answer"))
        paused = [task for task in tasks if task.state in ("paused", "interrupted")]
        if paused and not any(task.state == "waiting" for task in tasks):  # it would come first
            self.say("chat_task_paused", goal=_shorten(paused.pop(0).goal))
        if paused:
            self.say("chat_tasks_paused", count=len(paused))

    def show_question(self, task: PendingPlanTask) -> None:
        """Show the question of a task."""
        self.say("chat_question_waits", goal=_shorten(task.goal))
        self._print_reply(v.AssistantReply(task.question_shown, "question"))

    def begin_turn(self, line: str) -> None:
        """Start the seconds of the status line."""
        self._is_stopping = False
        key = "chat_working" if is_slash_command(line) else "chat_thinking"
        self._enter(text(key, self._language))

    def show_event(self, event: v.Event) -> None:
        """Print progress and replies; what the model itself writes is never shown (R3.12)."""
        match event:
            case v.Replied():
                self._enter("")
                self._print_reply(event.reply)
            case v.Notified():
                self._screen.print(
                    event.text, "progress" if event.kind in v.WORK_NOTICES else "plain"
                )
                self._enter(text("chat_thinking", self._language))
            case v.CallStarted():
                self._enter(visible(event.call.name))
            case v.CallEnded():
                self._enter(text("chat_thinking", self._language))

    def stop_turn(self) -> None:
        """Say so to a person; the status line would offer to stop the turn."""
        if self._screen.is_terminal:
            self._enter("")
            self._is_stopping = True
            self.say("chat_stopping")

    def tick(self) -> None:
        """Draw for how long the present work has lasted, once that is noticeable."""
        seconds = self._clock() - self._since
        if self._doing and not self._is_stopping and seconds >= _QUIET_SECONDS:
            lasted = duration(seconds, self._language)
            status = text("chat_status", self._language, seconds=lasted, what=self._doing)
            self._screen.show_status(status)

    def say(self, key: str, **details: object) -> None:
        """Print a text of our own."""
        self._screen.print(text(key, self._language, **details))

    def show_reminders(self, reminders: Sequence[str]) -> None:
        """Print reminders."""
        for reminder in reminders:
            self._screen.print(reminder, "reminder")

    def _enter(self, doing: str) -> None:
        self._doing, self._since = doing, self._clock()
        self._screen.show_status("")

    def _print_reply(self, reply: v.AssistantReply) -> None:
        """Print a reply; what a task has led to is set apart from its progress."""
        is_apart = reply.kind in _SET_APART
        if is_apart and self._screen.has_printed:
            self._screen.print("")
        self._screen.print(reply.text, _STYLES.get(reply.kind, "plain"))
        if is_apart and self._screen.is_terminal:
            self._screen.print("")


class JsonDisplay(ChatDisplay):
    """Shows a chat as JSON objects: the events of each turn, the last of which is its reply.

    A program asks for all else that it wants to know, and reminders are for people.
    """

    def __init__(self, print_json: Callable[[dict[str, Any]], object]) -> None:
        """Print by a function."""
        self._print = print_json

    def show_event(self, event: v.Event) -> None:
        """Print an event; not what the model itself writes."""
        if not isinstance(event, v.Streamed | v.Said):
            self._print(v.to_json(event))


def _shorten(goal: str) -> str:
    """Return the beginning of a goal in one line."""
    line = " ".join(goal.split())
    return visible(line if len(line) <= _GOAL_CHARACTERS else f"{line[:_GOAL_CHARACTERS]}…")
