"""Displays of an agent at work: the protocol, plain lines, a JSON stream, and which one fits."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

from outlast.agent.events import Event, to_json
from outlast.cli.live.event_lines import EventNarrator, Narrator, WorkNarrator
from outlast.console.render.output import encode_json, has_colours, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.console.call import Call
    from outlast.model.model import Question
    from outlast.plan.plan import Plan


@contextmanager
def open_display(
    call: Call,
    goal: str,
    plan: Callable[[], Plan | None],
    *,
    asking: bool = False,
    agents: bool = False,
) -> Iterator[Display]:
    """Open the display that fits the call: JSON stream, live terminal display, or plain lines.

    `asking` means that a terminal prompt asks the person the questions, `agents` that others carry
    out the tasks.
    """
    display = _create_display(call, goal, plan, asking=asking, agents=agents)
    try:
        yield display
    finally:
        display.close()


def _create_display(
    call: Call, goal: str, plan: Callable[[], Plan | None], *, asking: bool, agents: bool
) -> Display:
    if call.wants_json:
        return JsonStreamDisplay()
    is_drawn = has_colours()
    asking = asking and not (is_drawn and agents)  # then the scene only repeats a question
    narrator = _create_narrator(call, asking=asking, agents=agents, shows_output=not is_drawn)
    if not is_drawn:
        return LineDisplay(narrator)
    from rich.console import Console

    from outlast.cli.live.terminal import Scene, TerminalDisplay

    console = Console(highlight=False, emoji=False)
    return TerminalDisplay(Scene(goal, call.language, agents=agents), plan, console, narrator)


def _create_narrator(
    call: Call, *, asking: bool, agents: bool, shows_output: bool
) -> EventNarrator:
    if agents:
        return WorkNarrator(call.language, asking=asking, shows_output=shows_output)
    return Narrator(asking=asking)


class Display(Protocol):
    """Shows what an agent does, as it does it.

    One that `draws_questions` goes on while a person answers.
    """

    @property
    def draws_questions(self) -> bool:
        """Whether questions are drawn by `draw_question`, not by others during a pause."""

    def draw_question(self, question: Question, typed: str | None) -> None:
        """Show a question with what has been typed; with None, that it is no longer asked."""

    def show_event(self, event: Event) -> None:
        """Show an event."""

    def tick(self) -> None:
        """Redraw what changes with time, such as the duration of a call."""

    def pause(self) -> AbstractContextManager[None]:
        """Leave the terminal to others for a while."""

    def close(self) -> None:
        """Stop showing."""


class LineDisplay:
    """Prints plain lines, for pipes, logs and terminals without colours."""

    draws_questions = False

    def __init__(self, narrator: EventNarrator) -> None:
        """Print the narrator's lines."""
        self._narrator = narrator
        self._is_paused = False
        self._held: list[str] = []

    def show_event(self, event: Event) -> None:
        """Print the lines of an event; after the pause, if there is one."""
        self._held += self._narrator.lines_for(event)
        if not self._is_paused:
            self._print_held()

    def _print_held(self) -> None:
        held, self._held = self._held, []
        if held:
            write("\n".join(held), sys.stdout)

    def draw_question(self, question: Question, typed: str | None) -> None:
        """Do nothing: the caller prints the question."""

    def tick(self) -> None:
        """Do nothing: printed lines do not change."""

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Hold lines back: they would come between a question and its answer."""
        before, self._is_paused = self._is_paused, True
        try:
            yield
        finally:
            self._is_paused = before
            if not before:
                self._print_held()

    def close(self) -> None:
        """Print what was held back."""
        self._print_held()


class JsonStreamDisplay:
    """Prints one event a line, as JSON with its `type`."""

    draws_questions = False

    def draw_question(self, question: Question, typed: str | None) -> None:
        """Do nothing: a question is an event."""

    def show_event(self, event: Event) -> None:
        """Print an event."""
        write(encode_json(to_json(event)), sys.stdout)

    def tick(self) -> None:
        """Do nothing: time is no event."""

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Do nothing: nothing is drawn in between."""
        yield

    def close(self) -> None:
        """Do nothing: everything is printed already."""
