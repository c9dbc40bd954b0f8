"""The live display on a terminal: plan tree, a row for each agent at work, running calls, costs."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from outlast.agent import events as v
from outlast.cli.live.event_lines import EventNarrator, describe_call, is_end_of_speech
from outlast.console.render.shorten import first_line, problem_line, shorten
from outlast.console.render.tree import Size, fit_to_terminal
from outlast.documents.amount_words import amount_texts, duration, limits_in, part_of_limit
from outlast.errors import OutlastError
from outlast.language import Language, text, visible
from outlast.model.ledger import DELEGATE
from outlast.model.model import PLAN, Question
from outlast.plan.core import holder_state

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator
    from datetime import datetime

    from outlast.console.render.outline import Labels
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

Stage = Literal["works", "reported", "checks", "judges", "asks", "again"]
_ALONE: Final = 3  # lines of output, if only one agent works
_STAGES: Final[dict[Stage, str]] = {
    "checks": "lane_checks",
    "judges": "lane_judges",
    "asks": "lane_asks",
    "again": "lane_again",
}
_ENDS: Final = ("next", "skip", "replan", "abort")
_BAR: Final = 24  # columns at most
_MARK: Final = 2  # columns of the mark before a line
_NOTES: Final = 2  # findings, and errors
_SPOKEN: Final = 3  # lines of what the model is saying
_TAIL: Final = 2_000  # characters of it that are kept
_LEAST_TYPED: Final = 8  # columns of an answer
_PAUSE: Final = 0.1  # seconds between two redraws
_STYLES: Final = {
    "✔": "dim",
    "✖": "red",
    "!": "yellow",
    "?": "bold yellow",
    "◐": "cyan",
    "▶": "cyan",
    "●": "green",
    "↻": "yellow",
    "⇄": "yellow",
}
_NEARLY: Final = 0.8


class _Work(Struct):
    """The work on one task: by whom, which attempt it is, and where it stands since when."""

    name: str
    since: float
    stage: Stage
    agent: str = ""
    attempt: int = 1
    output: str = ""

    def enter(self, stage: Stage, now: float) -> None:
        self.stage, self.since = stage, now


class Lanes:
    """Follows the events of several tasks at a time."""

    def __init__(self, language: Language) -> None:
        """Start without any work."""
        self._language: Language = language
        self._works: dict[int, _Work] = {}

    @classmethod
    def at_work(cls, state: PlanState, moment: datetime, language: Language) -> Lanes:
        """Return what a plan tells about the work of a run in another process, for the time 0.0.

        Its output is not in the plan. Without a living run nobody works.
        """
        lanes = cls(language)
        if state.ledger.live_lease(PLAN, moment, holder_state) is None:
            return lanes
        for attempt in state.ledger.attempts.values():
            task = state.tasks.get(attempt.task)
            if attempt.kind == DELEGATE and task is not None:
                since = min(0.0, (attempt.at - moment).total_seconds())
                agent, count = attempt.what.partition(" ")[0], task.retry_count + 1
                lanes._works[task.id] = _Work(task.name, since, "works", agent, count)
        for question in state.open_questions():
            task = state.tasks.get(question.task)
            if task is not None:
                since = min(0.0, (question.at - moment).total_seconds())
                lanes._works[task.id] = _Work(task.name, since, "asks")
        return lanes

    def update(self, event: v.Event, now: float) -> None:
        """Apply an event of a task; others change nothing."""
        match event:
            case v.WorkStarted():
                work = _Work(event.name, now, "works", event.agent, event.attempt)
                self._works[event.task] = work
            case v.WorkEnded():
                work = self._find(event, now)
                work.enter("reported", now)
                work.output = event.error or event.status
            case v.ChecksStarted():
                self._find(event, now).enter("checks", now)
            case v.ChecksEnded():
                self._find(event, now).enter("judges", now)
            case v.Decided():
                self._decide(event, now)
            case v.Asked() if event.task in self._works:
                self._works[event.task].enter("asks", now)
            case v.Streamed() | v.CallStarted() if event.task in self._works:
                self._add_output(self._works[event.task], event)

    def rows(self, now: float, width: int, room: int, busy: Container[int]) -> list[Text]:
        """Return at most `room` rows for the `busy` tasks; a single one with more of its output."""
        works = {task: work for task, work in sorted(self._works.items()) if task in busy}
        if len(works) > room:
            hidden = text("lanes_more", self._language, count=len(works) - room + 1)
            works = dict(list(works.items())[: room - 1])
            return [*self._task_rows(works, now, width), Text(hidden, "dim")]
        rows = list(self._task_rows(works, now, width))
        if len(works) == 1:
            rows += list(self._output_rows(*works.values()))[-(room - 1) :] if room > 1 else []
        return rows

    def _find(self, event: v.WorkEnded | v.ChecksStarted | v.ChecksEnded, now: float) -> _Work:
        """Return the work on a task; a run may begin with the report of an earlier one."""
        return self._works.setdefault(event.task, _Work(event.name, now, "reported"))

    def _decide(self, event: v.Decided, now: float) -> None:
        if event.decision in _ENDS:
            self._works.pop(event.task, None)
        elif event.task in self._works:
            self._works[event.task].enter("again", now)

    def _add_output(self, work: _Work, event: v.Streamed | v.CallStarted) -> None:
        if work.stage != "works":  # what the model says about the report is not the agent's
            return
        piece = event.text if isinstance(event, v.Streamed) else f"\n{describe_call(event.call)}\n"
        work.output = (work.output + piece)[-_TAIL:]

    def _task_rows(self, works: dict[int, _Work], now: float, width: int) -> Iterator[Text]:
        names = {task: Text(f"{task} {visible(work.name)}") for task, work in works.items()}
        widest = max((name.cell_len for name in names.values()), default=0)
        column = min(widest, max(width // 3, 12))
        for task, work in works.items():
            name = names[task]
            name.truncate(column, overflow="ellipsis", pad=True)
            style = "bold yellow" if work.stage == "asks" else "bold cyan"
            row = Text("▸ ", style, no_wrap=True, overflow="ellipsis").append_text(name)
            row.append(f"  {self._details(work, now)}", "not bold dim")
            is_below = len(works) == 1 and work.stage == "works"
            if not is_below and (said := _last_line(work)):
                row.append(f"  {said}", "not bold default")
            yield row

    def _details(self, work: _Work, now: float) -> str:
        parts = [duration(now - work.since, self._language)]
        if work.stage in _STAGES:
            parts.append(text(_STAGES[work.stage], self._language))
        else:
            parts.append(visible(work.agent))
        if work.attempt > 1:
            parts.append(text("lane_attempt", self._language, attempt=work.attempt))
        return " · ".join(filter(None, parts))

    def _output_rows(self, work: _Work) -> Iterator[Text]:
        if work.stage != "works":
            return
        lines = [line for line in work.output.splitlines() if line.strip()]
        for line in lines[-_ALONE:]:
            yield Text(f"  │ {visible(line.strip())}", "dim", no_wrap=True, overflow="ellipsis")


def _last_line(work: _Work) -> str:
    if work.stage not in ("works", "reported"):
        return ""
    lines = (line.strip() for line in reversed(work.output.splitlines()))
    return visible(next(filter(None, lines), ""))


class Scene:
    """What the live display shows at one moment."""

    def __init__(self, goal: str, language: Language, *, agents: bool = False) -> None:
        """Start with the goal alone; `agents` means that others carry out the tasks."""
        self._goal = goal
        self._language: Language = language
        self._lanes = Lanes(language) if agents else None
        self._running: dict[str, tuple[v.CallStarted, float]] = {}
        self._spoken = ""
        self._thinks_since: float | None = None
        self._spent: v.Spent | None = None
        self._question: tuple[Question, str] | None = None

    @property
    def draws_questions(self) -> bool:
        """Whether a question is part of the scene: others work on while it is asked."""
        return self._lanes is not None

    def ask(self, question: Question, typed: str | None) -> None:
        """Show a question and what has been typed; None ends it."""
        self._question = None if typed is None else (question, typed)

    def update(self, event: v.Event, now: float) -> None:
        """Apply an event."""
        if isinstance(event, v.Spent):
            self._spent = event
        if self._lanes is not None and getattr(event, "task", None):
            self._lanes.update(event, now)
            return
        if isinstance(event, v.CallStarted):
            self._running[event.call.id] = event, now
        elif isinstance(event, v.CallEnded):
            self._running.pop(event.call.id, None)
        elif isinstance(event, v.Streamed):
            self._spoken = (self._spoken + event.text)[-_TAIL:]
        if is_end_of_speech(event):
            self._spoken = ""

    def render(self, plan: Plan | None, labels: Labels, size: Size, now: float) -> Group:
        """Return the scene, no higher than the terminal."""
        width, height = size
        costs = list(self._cost_rows(min(_BAR, width // 3)))
        below = [
            *self._work_rows(plan, now, width, max(1, height // 2 - len(costs))),
            *self._call_rows(now),
            *self._speech_rows(),
            *costs,
            *self._question_rows(width),
        ]
        if plan is None:
            head = Text(shorten(visible(self._goal)), "bold", no_wrap=True, overflow="ellipsis")
            return Group(head, "", *below[-max(1, height - 2) :])
        below[:0] = self._note_rows(plan)
        return fit_to_terminal(plan, self._language, below[-max(1, height // 2) :], size, labels)

    def _work_rows(self, plan: Plan | None, now: float, width: int, room: int) -> list[Text]:
        """Return the tasks that agents work on; what the orchestrator does while there are none."""
        if self._lanes is None:
            return []
        progress = None if plan is None else plan.progress
        busy = {task.id for task in plan.tasks("in_progress")} if plan is not None else ()
        rows = self._lanes.rows(now, width, room, busy)
        if rows:
            self._thinks_since = None
            return rows
        if self._thinks_since is None:
            self._thinks_since = now
        if progress is None or not progress.total:
            key = "scene_plans"
        else:
            key = "scene_ends" if progress.current == progress.total else "scene_goes_on"
        seconds = duration(now - self._thinks_since, self._language)
        return [_row(f"▸ {seconds}  {text(key, self._language)}", "bold cyan")]

    def _question_rows(self, width: int) -> Iterator[Text]:
        """Yield the question that a person answers now, last: the cursor is there."""
        if self._question is None:
            return
        question, typed = self._question
        yield Text()
        yield _row(f"? {question.id}  {first_line(question.text)}", "bold yellow")
        prompt = Text(text("answer_prompt", self._language), "bold")
        room = max(_LEAST_TYPED, width - prompt.cell_len - 1)
        shown = Text(visible(typed))
        while shown.cell_len > room:
            shown = shown[1:]
        yield Text.assemble(prompt, shown)

    def _call_rows(self, now: float) -> Iterator[Text]:
        for started, at in self._running.values():
            seconds = duration(now - at, self._language)
            yield _row(f"▸ {seconds}  {describe_call(started.call)}", "bold cyan")

    def _speech_rows(self) -> Iterator[Text]:
        lines = [line for line in self._spoken.splitlines() if line.strip()]
        return (_row(f"  {visible(line)}", "italic") for line in lines[-_SPOKEN:])

    def _note_rows(self, plan: Plan) -> Iterator[Text]:
        for finding in plan.notes.findings()[-_NOTES:]:
            yield _row(f"✎ {visible(finding.title)}", "dim green")
        for error in plan.notes.errors(limit=_NOTES):
            times = text("say_times", self._language, count=error.count)
            line = f"✖ {visible(error.tool)}: {problem_line(error.message)}"
            yield _row(f"{line} ({times})" if error.count > 1 else line, "dim red")

    def _cost_rows(self, width: int) -> Iterator[Text]:
        if self._spent is None:
            return
        used, budget = self._spent.used, self._spent.budget
        limits = list(limits_in(budget))
        for what, limit in limits:
            words = part_of_limit(what, getattr(used, what), limit, self._language)
            bar = _bar(getattr(used, what) / limit if limit else 1.0, width)
            yield bar.append(f"  {words}", "default")
        if not limits and (costs := amount_texts(used, self._language)):
            yield _row("  ".join(costs), "dim")


def _wrap_line(line: str, console: Console) -> Iterator[Text]:
    """Yield a line in as many rows as it needs, indented below its text."""
    indent = max(_MARK, len(line) - len(line.lstrip()))
    style, mark = line_style(line), line[:indent]
    for row in Text(line[indent:], style).wrap(console, max(1, console.width - indent)):
        yield Text(mark.ljust(indent), style).append_text(row)
        mark = ""


def line_style(line: str) -> str:
    """Return the style of an event's line."""
    return _STYLES.get(line[:1], "default")


def _bar(share: float, width: int) -> Text:
    full = round(min(share, 1.0) * width)
    row = _row("━" * full, "red" if share >= _NEARLY else "green")
    return row.append("━" * (width - full), "dim")


def _row(line: str, style: str) -> Text:
    return Text(line, style, no_wrap=True, overflow="ellipsis")


class TerminalDisplay:
    """Keeps the scene at the bottom of the terminal, below the lines of past events."""

    def __init__(
        self,
        scene: Scene,
        plan: Callable[[], Plan | None],
        console: Console,
        narrator: EventNarrator,
    ) -> None:
        """Start to draw. `plan` returns the plan, or None while there is none."""
        self._scene = scene
        self._plan = plan
        self._console = console
        self._labels: Labels = {}
        self._narrator = narrator
        self._drawn_at = 0.0
        self._pauses = 0  # Ctrl-C may come during a question
        self._held: list[str] = []  # lines that would come between a question and its answer
        self._live = self._start_live()

    def show_event(self, event: v.Event) -> None:
        """Print the event's lines above the scene and redraw the scene."""
        self._scene.update(event, time.monotonic())
        if isinstance(event, v.PlanMoved):
            self._labels = _proof_labels(self._plan())
        self._held += self._narrator.lines_for(event)
        if self._pauses:
            return
        self._print_held()
        if time.monotonic() - self._drawn_at >= _PAUSE or isinstance(event, v.CallStarted):
            self._refresh()

    @property
    def draws_questions(self) -> bool:
        """Whether questions are drawn as part of the scene."""
        return self._scene.draws_questions

    def draw_question(self, question: Question, typed: str | None) -> None:
        """Show a question with what has been typed; with None, that it is no longer asked."""
        self._scene.ask(question, typed)
        self._refresh()

    def tick(self) -> None:
        """Redraw."""
        self._refresh()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Remove the scene for a while."""
        self._live.stop()
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            if not self._pauses:
                self._print_held()
                self._live = self._start_live()  # the old one would draw over new lines

    def close(self) -> None:
        """Remove the scene."""
        with suppress(OSError):  # the terminal may be gone
            self._live.stop()
            self._print_held()

    def _print_held(self) -> None:
        held, self._held = self._held, []
        for line in held:
            self._console.print(*_wrap_line(line, self._console), sep="\n")

    def _start_live(self) -> Live:
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
        return self._scene.render(self._plan(), self._labels, self._console.size, time.monotonic())


def _proof_labels(plan: Plan | None) -> Labels:
    """Return the labels of the tasks, or none if they cannot be read now."""
    try:
        proofs = {} if plan is None else plan.checks.proofs()
        return {task: status.label for task, status in proofs.items()}
    except OutlastError:
        return {}
