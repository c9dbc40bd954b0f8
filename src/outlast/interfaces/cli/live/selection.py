"""Which view fits who is looking."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from outlast.interfaces.cli.render.output import on_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.live.port import View


@contextmanager
def view_for(
    call: Call, goal: str, plan: Callable[[], Plan | None], *, asking: bool = False
) -> Iterator[View]:
    """Show a loop at work: to programs, on a terminal, or in plain lines.

    `asking` is that whoever looks is asked the questions too.
    """
    view = _made(call, goal, plan, asking=asking)
    try:
        yield view
    finally:
        view.close()


def _made(call: Call, goal: str, plan: Callable[[], Plan | None], *, asking: bool) -> View:
    if call.as_json:
        from outlast.interfaces.cli.live.stream import Stream

        return Stream()
    from outlast.interfaces.cli.live.event_lines import Narrator

    narrator = Narrator(asking=asking)
    if on_terminal():
        from rich.console import Console

        from outlast.interfaces.cli.live.view import LiveView, Scene

        console = Console(highlight=False, emoji=False)
        return LiveView(Scene(goal, call.language), plan, console, narrator)
    from outlast.interfaces.cli.live.lines import Lines

    return Lines(narrator)
