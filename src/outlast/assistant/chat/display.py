"""What a chat shows: greeting, progress, replies, reminders; as text or as a stream of JSON."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, Protocol

from outlast.agent import events as v
from outlast.language import text, visible
from outlast.model.amounts import duration
from outlast.model.intents import is_slash_command

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.assistant.chat.screen import Screen, Style
    from outlast.assistant.pending_task import PendingPlanTask
    from outlast.language import Language

_QUIET_SECONDS: Final = 0.5  # before the status line appears
_STYLES: Final[dict[str, Style]] = {
    "answer": "answer",
    "question": "question",
    "error": "error",
    "unavailable": "error",
}
_GOAL_CHARACTERS: Final = 100
_SET_APART: Final = ("answer", "question", "limit")


class ChatDisplay(Protocol):
    """Shows a chat to a person or a program."""

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


class TextDisplay:
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


class JsonDisplay:
    """Shows a chat as JSON objects: the events of each turn, the last of which is its reply."""

    def __init__(self, print_json: Callable[[dict[str, Any]], object]) -> None:
        """Print by a function."""
        self._print = print_json

    def greet(
        self, model: str, tasks: Sequence[PendingPlanTask], answers: Sequence[str] = ()
    ) -> None:
        """Show nothing: a program asks for what it wants to know."""

    def show_question(self, task: PendingPlanTask) -> None:
        """Show nothing: a question is a reply."""

    def begin_turn(self, line: str) -> None:
        """Show nothing: the program knows what it sent."""

    def show_event(self, event: v.Event) -> None:
        """Print an event; not what the model itself writes."""
        if not isinstance(event, v.Streamed | v.Said):
            self._print(v.to_json(event))

    def stop_turn(self) -> None:
        """Do nothing: the reply says so."""

    def tick(self) -> None:
        """Do nothing: time is no event."""

    def say(self, key: str, **details: object) -> None:
        """Do nothing: these texts are for people."""

    def show_reminders(self, reminders: Sequence[str]) -> None:
        """Do nothing: a reminder is for a person, and is given once."""


def _shorten(goal: str) -> str:
    """Return the beginning of a goal in one line."""
    line = " ".join(goal.split())
    return visible(line if len(line) <= _GOAL_CHARACTERS else f"{line[:_GOAL_CHARACTERS]}…")
