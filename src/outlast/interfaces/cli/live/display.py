"""Displays of an agent at work: the protocol, plain lines, a JSON stream, and which one fits."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from outlast.interfaces.cli.render.output import encode_json, has_colours, write
from outlast.ports.events import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.live.event_lines import Narrator
    from outlast.ports.events import Event


@contextmanager
def open_display(
    call: Call, goal: str, plan: Callable[[], Plan | None], *, asking: bool = False
) -> Iterator[Display]:
    """Open the display that fits the call: JSON stream, live terminal display, or plain lines.

    `asking` means that a terminal prompt asks the person the questions.
    """
    display = _create_display(call, goal, plan, asking=asking)
    try:
        yield display
    finally:
        display.close()


def _create_display(
    call: Call, goal: str, plan: Callable[[], Plan | None], *, asking: bool
) -> Display:
    if call.wants_json:
        return JsonStreamDisplay()
    from outlast.interfaces.cli.live.event_lines import Narrator

    narrator = Narrator(asking=asking)
    if has_colours():
        from rich.console import Console

        from outlast.interfaces.cli.live.terminal import Scene, TerminalDisplay

        console = Console(highlight=False, emoji=False)
        return TerminalDisplay(Scene(goal, call.language), plan, console, narrator)

    return LineDisplay(narrator)


class Display(Protocol):
    """Shows what an agent does, as it does it."""

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

    def __init__(self, narrator: Narrator) -> None:
        """Print the narrator's lines."""
        self._narrator = narrator

    def show_event(self, event: Event) -> None:
        """Print the lines of an event."""
        lines = self._narrator.lines_for(event)
        if lines:
            write("\n".join(lines), sys.stdout)

    def tick(self) -> None:
        """Do nothing: printed lines do not change."""

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Do nothing: nothing is drawn in between."""
        yield

    def close(self) -> None:
        """Do nothing: everything is printed already."""


class JsonStreamDisplay:
    """Prints one event a line, as JSON with its `type`."""

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
