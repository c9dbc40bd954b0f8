"""`watch`: shows a plan and follows what others do to it."""

from __future__ import annotations

import gc
import sys
import time
from typing import TYPE_CHECKING, Final

from outlast.interfaces.cli.commands.show import labels_of, outlined, whole_shape
from outlast.interfaces.cli.render.json import commit_shape
from outlast.interfaces.cli.render.narration import narrated
from outlast.interfaces.cli.render.output import OK, Answer, on_terminal, rendered, sent
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Group

    from outlast.application.plan.plan import Plan
    from outlast.domain.changes import Commit
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json

_SECONDS: Final = 0.2  # between two looks at the plan
_RECENT: Final = 5


def watch(plan: Plan, call: Call, *, once: bool = False, seconds: int | None = None) -> Answer:
    """Show the plan until the time is up, nobody reads any more, or somebody presses Ctrl-C."""
    if once:
        return Answer(lambda: _beginning(plan, call), lambda: "\n".join(_first(plan, call)))
    gc.enable()  # unlike other commands this one may live for days
    ended = "over"
    try:
        looks = _looks(plan, seconds)
        drawable = not call.as_json and on_terminal()
        _draw(plan, call, looks) if drawable else _tell(plan, call, looks)
    except KeyboardInterrupt:
        ended = "interrupted"
    return Answer(lambda: {"ended": ended, "revision": plan.revision}, lambda: "")


def _looks(plan: Plan, seconds: int | None) -> Iterator[list[Commit]]:
    """Yield at each look what has happened since the last one, the oldest first."""
    until = None if seconds is None else time.monotonic() + seconds
    seen = plan.revision
    while until is None or time.monotonic() < until:
        time.sleep(_SECONDS)
        now = plan.revision
        yield plan.history(now - seen)[::-1] if now > seen else []
        seen = now  # somebody may have put an older plan back


def _tell(plan: Plan, call: Call, looks: Iterator[list[Commit]]) -> None:
    """Print the plan, then a line for everything that happens."""
    if call.as_json:
        going = _printed(rendered(_beginning(plan, call), OK, call))
    else:
        going = _printed("\n".join(_first(plan, call)))
    names = _names(plan)
    while going and (news := next(looks, None)) is not None:
        names |= _names(plan) if news else {}
        going = all(_printed(_line(call, commit, names)) for commit in news)


def _printed(lines: str) -> bool:
    return sent(lines, sys.stdout) is None


def _line(call: Call, commit: Commit, names: Mapping[int, str]) -> str:
    if call.as_json:
        return rendered({"commit": commit_shape(commit)}, OK, call)
    at = f"{commit.at.astimezone():%H:%M:%S}"
    return f"{at}  {visible(commit.author)}  {narrated(call, commit, names)}"


def _beginning(plan: Plan, call: Call) -> Json:
    recent = [commit_shape(one) for one in reversed(plan.history(_RECENT))]
    return {**whole_shape(plan, call), "commits": recent}


def _first(plan: Plan, call: Call) -> list[str]:
    return [outlined(plan, call, labels_of(plan, call)), *_recent(plan, call)]


def _recent(plan: Plan, call: Call) -> list[str]:
    """Return the last few things that happened, the oldest first."""
    made, names = plan.history(_RECENT), _names(plan)
    return [_line(call, commit, names) for commit in reversed(made)]


def _names(plan: Plan) -> dict[int, str]:
    return {task.id: task.name for task in plan.tasks()}


def _draw(plan: Plan, call: Call, looks: Iterator[list[Commit]]) -> None:
    """Keep the tree and the last few lines of the log on the terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from outlast.interfaces.cli.render.tree import frame

    console = Console(highlight=False, emoji=False)

    def drawn() -> Group:
        labels = labels_of(plan, call)
        lines = _recent(plan, call)
        below = [Text(line, "dim", no_wrap=True, overflow="ellipsis") for line in lines]
        return frame(plan, call.language, below, console.size, labels)

    with Live(drawn(), console=console, auto_refresh=False, vertical_overflow="crop") as live:
        size = console.size
        for news in looks:
            if news or size != console.size:
                size = console.size
                live.update(drawn(), refresh=True)
