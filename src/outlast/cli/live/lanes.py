"""The tasks that agents work on at this moment, a row each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from rich.text import Text

from outlast.agent import events as v
from outlast.cli.live.event_lines import describe_call
from outlast.language import text, visible
from outlast.model.amounts import duration
from outlast.model.ledger import DELEGATE
from outlast.model.model import PLAN
from outlast.plan.core import has_ended

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from datetime import datetime

    from outlast.language import Language
    from outlast.model.state import PlanState

Stage = Literal["works", "reported", "checks", "judges", "asks", "again"]

_TAIL: Final = 2_000  # characters of an agent's output that are kept
_ALONE: Final = 3  # lines of output, if only one agent works
_STAGES: Final[dict[Stage, str]] = {
    "checks": "lane_checks",
    "judges": "lane_judges",
    "asks": "lane_asks",
    "again": "lane_again",
}
_ENDS: Final = ("next", "skip", "replan", "abort")


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
        if state.ledger.live_lease(PLAN, moment, has_ended) is None:
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
