"""A loop at work on a terminal: the plan as a tree, what is being done, and what it has cost."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from outlast.errors import OutlastError
from outlast.interfaces.cli.live.event_lines import Narrator, called, cut, ends_speech, problem
from outlast.interfaces.cli.render.amounts import amounts, duration, limited, part_of_limit
from outlast.interfaces.cli.render.tree import frame
from outlast.ports import events as v
from outlast.texts import text, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.render.outline import Labels
    from outlast.interfaces.cli.render.tree import Size
    from outlast.texts import Language

_BAR: Final = 24  # columns, if there are enough
_MARK: Final = 2  # columns of a line that tell what it is about
_NOTES: Final = 2  # of findings and of errors
_SPOKEN: Final = 3  # lines of what is being said
_TAIL: Final = 2_000  # characters of it that are kept
_PAUSE: Final = 0.1  # seconds between two drawings
_STYLES: Final = {"✔": "dim", "✖": "red", "!": "yellow", "?": "bold yellow", "◐": "cyan"}
_NEARLY: Final = 0.8


class Scene:
    """What is to be seen of a loop at one moment."""

    def __init__(self, goal: str, language: Language) -> None:
        """Begin where only the goal is known."""
        self._goal = goal
        self._language = language
        self._running: dict[str, tuple[v.CallStarted, float]] = {}
        self._spoken = ""
        self._spent: v.Spent | None = None

    def tell(self, event: v.Event, now: float) -> None:
        """Take in what has happened."""
        if isinstance(event, v.CallStarted):
            self._running[event.call.id] = event, now
        elif isinstance(event, v.CallEnded):
            self._running.pop(event.call.id, None)
        elif isinstance(event, v.Streamed):
            self._spoken = (self._spoken + event.text)[-_TAIL:]
        elif isinstance(event, v.Spent):
            self._spent = event
        if ends_speech(event):
            self._spoken = ""

    def drawn(self, plan: Plan | None, labels: Labels, size: Size, now: float) -> Group:
        """Return all of it, in no more lines than there is room for."""
        width, height = size
        below = [*self._doing(now), *self._speaking(), *self._costs(min(_BAR, width // 3))]
        if plan is None:
            head = Text(cut(visible(self._goal)), "bold", no_wrap=True, overflow="ellipsis")
            return Group(head, "", *below[-max(1, height - 2) :])
        below[:0] = self._notes(plan)
        return frame(plan, self._language, below[-max(1, height // 2) :], size, labels)

    def _doing(self, now: float) -> Iterator[Text]:
        for started, at in self._running.values():
            seconds = duration(now - at, self._language)
            yield _row(f"▸ {seconds}  {called(started.call)}", "bold cyan")

    def _speaking(self) -> Iterator[Text]:
        lines = [line for line in self._spoken.splitlines() if line.strip()]
        return (_row(f"  {visible(line)}", "italic") for line in lines[-_SPOKEN:])

    def _notes(self, plan: Plan) -> Iterator[Text]:
        for finding in plan.findings()[-_NOTES:]:
            yield _row(f"✎ {visible(finding.title)}", "dim green")
        for error in plan.errors(limit=_NOTES):
            times = text("say_times", self._language, count=error.count)
            said = f"✖ {visible(error.tool)}: {problem(error.message)}"
            yield _row(f"{said} ({times})" if error.count > 1 else said, "dim red")

    def _costs(self, width: int) -> Iterator[Text]:
        if self._spent is None:
            return
        used, budget = self._spent.used, self._spent.budget
        limits = list(limited(budget))
        for what, limit in limits:
            words = part_of_limit(what, getattr(used, what), limit, self._language)
            bar = _bar(getattr(used, what) / limit if limit else 1.0, width)
            yield bar.append(f"  {words}", "default")
        if not limits and (costs := amounts(used, self._language)):
            yield _row("  ".join(costs), "dim")


def _hanging(line: str, console: Console) -> Iterator[Text]:
    """Yield a line in as many rows as it needs, all but its mark to the right of that."""
    style, mark = style_of(line), line[:_MARK]
    for row in Text(line[_MARK:], style).wrap(console, max(1, console.width - _MARK)):
        yield Text(mark.ljust(_MARK), style).append_text(row)
        mark = ""


def style_of(line: str) -> str:
    """Return how a line is shown that tells what has happened."""
    return _STYLES.get(line[:1], "default")


def _bar(share: float, width: int) -> Text:
    full = round(min(share, 1.0) * width)
    row = _row("━" * full, "red" if share >= _NEARLY else "green")
    return row.append("━" * (width - full), "dim")


def _row(line: str, style: str) -> Text:
    return Text(line, style, no_wrap=True, overflow="ellipsis")


class LiveView:
    """Keeps the scene at the bottom of the terminal; above it stands what has happened."""

    def __init__(
        self, scene: Scene, plan: Callable[[], Plan | None], console: Console, narrator: Narrator
    ) -> None:
        """Begin to draw; `plan` says which one is worked on, once there is one."""
        self._scene = scene
        self._plan = plan
        self._console = console
        self._labels: Labels = {}
        self._narrator = narrator
        self._drawn_at = 0.0
        self._rests = 0  # Ctrl-C may come while somebody is asked
        self._live = self._begun()

    def tell(self, event: v.Event) -> None:
        """Print what is worth a line above the scene, and bring that up to date."""
        self._scene.tell(event, time.monotonic())
        if isinstance(event, v.PlanMoved):
            self._labels = labels_of(self._plan())
        for line in self._narrator.told(event):
            self._console.print(*_hanging(line, self._console), sep="\n")
        if time.monotonic() - self._drawn_at >= _PAUSE or isinstance(event, v.CallStarted):
            self._refresh()

    def tick(self) -> None:
        """Draw anew."""
        self._refresh()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Take the scene away for a while."""
        self._live.stop()
        self._rests += 1
        try:
            yield
        finally:
            self._rests -= 1
            if not self._rests:
                self._live = self._begun()  # the old one would draw over what was said meanwhile

    def close(self) -> None:
        """Take the scene away."""
        with suppress(OSError):  # the terminal may be gone
            self._live.stop()

    def _begun(self) -> Live:
        live = Live(
            get_renderable=self._draw,
            console=self._console,
            auto_refresh=False,
            transient=True,
            vertical_overflow="crop",
        )
        live.start()
        return live

    def _refresh(self) -> None:
        self._drawn_at = time.monotonic()
        with suppress(OSError):
            self._live.refresh()

    def _draw(self) -> Group:
        return self._scene.drawn(self._plan(), self._labels, self._console.size, time.monotonic())


def labels_of(plan: Plan | None) -> Labels:
    """Return by what tasks are known to be done, as far as that can be told now."""
    try:
        return {} if plan is None else {task: one.label for task, one in plan.proofs().items()}
    except OutlastError:
        return {}
