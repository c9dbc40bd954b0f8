"""`watch`: show a plan, then each new commit of any process."""

from __future__ import annotations

import gc
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from outlast.console.call import OK, Answer, Call, Json
from outlast.console.plan_context import live_lease
from outlast.console.render.json import commit_json
from outlast.console.render.output import format_content, has_colours, try_write
from outlast.console.render.overview import load_proof_labels, outline_plan, overview_json
from outlast.documents.change_words import author_name, describe_commit
from outlast.errors import HistoryDiverged, PlanNotFound
from outlast.plan.home.find import require_workspace
from outlast.plan.plans import Plans
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Group
    from rich.text import Text

    from outlast.model.changes import Commit
    from outlast.plan.plan import Plan

_SECONDS: Final = 0.2  # between two polls
_RECENT: Final = 5
_REDRAW_SECONDS: Final = 1.0
_WIDTH, _MOST_ROWS = 100, 64  # of agents at work, in plain lines


def watch(plan: Plan, call: Call, *, once: bool = False, seconds: int | None = None) -> Answer:
    """Follow the plan until the time is up, the reader is gone, or Ctrl-C is pressed."""
    if once:
        return Answer(
            lambda: _first_json(plan, call), lambda: "\n".join(_first_lines(plan, call)), bare=True
        )
    gc.enable()  # unlike other commands this one may run for days
    ended = "over"
    with ExitStack() as opened:
        watched = Watched(plan, call, opened)
        try:
            polls = _poll(watched, seconds)
            drawable = not call.wants_json and has_colours()
            _draw_live(watched, call, polls) if drawable else _follow(watched, call, polls)
        except KeyboardInterrupt:
            ended = "interrupted"
        revision = watched.plan.revision
    return Answer(lambda: {"ended": ended, "revision": revision}, lambda: "")


def _poll(watched: Watched, seconds: int | None) -> Iterator[list[Commit]]:
    """Yield the commits since the last poll, oldest first; an empty list if there are none."""
    until = None if seconds is None else time.monotonic() + seconds
    last = watched.plan.revision
    while until is None or time.monotonic() < until:
        time.sleep(_SECONDS)
        try:
            newest = watched.plan.revision
        except PlanNotFound:  # archived; it may be restored
            newest = last
        except HistoryDiverged as error:
            if error.text != "history_foreign":
                raise
            watched.open_next()
            last, newest = 0, watched.plan.revision
        yield watched.plan.history.commits(newest - last)[::-1] if newest > last else []
        last = newest


class Watched:
    """The plan on the screen: the opened one, later perhaps the next one of its key."""

    def __init__(self, plan: Plan, call: Call, opened: ExitStack) -> None:
        self.plan, self._call, self._opened = plan, call, opened

    def open_next(self) -> None:
        """Open the plan that has the key now."""
        plans = Plans(require_workspace(current_directory()), self._call.actor)
        self.plan = self._opened.enter_context(plans.open(self._call.context.key))


def _follow(watched: Watched, call: Call, polls: Iterator[list[Commit]]) -> None:
    """Print the plan, then a line for each commit."""
    if call.wants_json:
        is_readable = _print(format_content(_first_json(watched.plan, call), OK, call))
    else:
        is_readable = _print("\n".join(_first_lines(watched.plan, call)))
    while is_readable and (news := next(polls, None)) is not None:
        is_readable = all(map(_print, _commit_lines(watched.plan, call, news)))


def _print(lines: str) -> bool:
    return try_write(lines, sys.stdout) is None


def _commit_lines(plan: Plan, call: Call, commits: list[Commit]) -> list[str]:
    """Return a line for each of some commits, given oldest first."""
    if call.wants_json:
        return [format_content({"commit": commit_json(commit)}, OK, call) for commit in commits]
    if not commits:
        return []
    state, language = plan.core.store.state_before(commits[0].revision), call.language
    return [
        f"{commit.at.astimezone():%H:%M:%S}  {author_name(commit, language)}"
        f"  {describe_commit(commit, state, language)}"
        for commit in commits
    ]


def _first_json(plan: Plan, call: Call) -> Json:
    recent = [commit_json(commit) for commit in reversed(plan.history.commits(_RECENT))]
    return {**overview_json(plan, call), "commits": recent}


def _first_lines(plan: Plan, call: Call) -> list[str]:
    tree = outline_plan(plan, call, load_proof_labels(plan, call))
    rows = _work_rows(plan, call, _WIDTH, _MOST_ROWS) if live_lease(plan) else []
    return [tree, *(row.plain for row in rows), *_recent_lines(plan, call)]


def _recent_lines(plan: Plan, call: Call) -> list[str]:
    """Return the last few commits, oldest first."""
    return _commit_lines(plan, call, plan.history.commits(_RECENT)[::-1])


def _draw_live(watched: Watched, call: Call, polls: Iterator[list[Commit]]) -> None:
    """Keep the tree, the agents at work and the last few commits on the terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from outlast.console.render.tree import fit_to_terminal

    console = Console(highlight=False, emoji=False)

    def render() -> Group:
        plan = watched.plan
        labels = load_proof_labels(plan, call)
        lines = _recent_lines(plan, call)
        below = [Text(line, "dim", no_wrap=True, overflow="ellipsis") for line in lines]
        if rows := _work_rows(plan, call, console.width, max(1, console.height // 3)):
            below[:0] = [*rows, Text()]
        return fit_to_terminal(plan, call.language, below, console.size, labels)

    with Live(render(), console=console, auto_refresh=False, vertical_overflow="crop") as live:
        size, drawn_at = console.size, time.monotonic()
        for news in polls:
            is_late = time.monotonic() - drawn_at >= _REDRAW_SECONDS  # who works shows a time
            if news or size != console.size or is_late:
                size, drawn_at = console.size, time.monotonic()
                live.update(render(), refresh=True)


def _work_rows(plan: Plan, call: Call, width: int, room: int) -> list[Text]:
    """Return the tasks that the agents of a run work on now, a row each."""
    from outlast.cli.live.terminal import Lanes

    moment = plan.core.now()
    lanes = plan.core.read(lambda state: Lanes.at_work(state, moment, call.language))
    return lanes.rows(0.0, width, room, {task.id for task in plan.tasks("in_progress")})
