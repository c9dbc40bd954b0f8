"""The timeline of a report: a row for each task, a bar for each attempt, a mark for each check.

Plain SVG, without a script. Colours are classes of the page; form and pattern say the same.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from html import escape
from math import ceil
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.documents.amount_words import duration
from outlast.language import visible, with_colon
from outlast.model.history.work_record import AttemptRecord, CheckRun, WorkRecord
from outlast.model.ledger import DELEGATE
from outlast.model.model import PLAN, RESULT_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.orchestrator.report.words import ReportWords

_SHORTEST: Final = 1.0  # seconds that the axis has at least
_IDLE_SHARE: Final = 0.15  # of the busy time; a longer pause is cut
_TICKS: Final = 6
_STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200)
_DAY: Final = 86_400
WIDTH: Final = 960
_LABELS: Final = 220  # the width of the names
_EDGE: Final = 16
_GAP: Final = 48
_ROW: Final = 26
_BAR: Final = 14
_THIN: Final = 6
_NARROWEST: Final = 3.0
_HEAD: Final = 28
_TICK_DISTANCE: Final = 64
_ROWS_DRAWN: Final = 150
_BARS_DRAWN: Final = 300  # of one row
_MARK: Final = 5
_WIDE: Final = "\u2e80"  # from here on, characters are twice as wide
_NAME_UNITS: Final = 30


class Span(Struct, frozen=True):
    """A time without a long pause, and its place on the axis."""

    begin: datetime
    end: datetime
    left: float
    right: float

    @property
    def seconds(self) -> float:
        """How long it is; never nothing, so that it has a scale."""
        return max((self.end - self.begin).total_seconds(), _SHORTEST)


class TimeAxis:
    """Places from 0 to `width` for the moments of some work; each cut takes `gap`."""

    def __init__(
        self, times: Iterable[tuple[datetime, datetime]], width: float, gap: float
    ) -> None:
        busy = _busy_times(times)
        total = sum(max((end - begin).total_seconds(), _SHORTEST) for begin, end in busy)
        scale = max(width - gap * (len(busy) - 1), width / 2) / total
        self.spans: list[Span] = []
        left = 0.0
        for begin, end in busy:
            right = left + max((end - begin).total_seconds(), _SHORTEST) * scale
            self.spans.append(Span(begin, end, left, right))
            left = right + gap

    def place(self, at: datetime) -> float:
        """Return the place of a moment; one in a cut is where the next span begins."""
        for span in self.spans:
            if at < span.begin:
                return span.left
            if at <= span.end:
                share = (at - span.begin).total_seconds() / span.seconds
                return span.left + share * (span.right - span.left)
        return self.spans[-1].right

    def pauses(self) -> list[tuple[float, float]]:
        """Return the place of each cut, and how many seconds were cut out."""
        pairs = zip(self.spans, self.spans[1:], strict=False)
        return [
            ((first.right + second.left) / 2, (second.begin - first.end).total_seconds())
            for first, second in pairs
        ]

    def ticks(self) -> list[datetime]:
        """Return round moments along the axis."""
        total = sum(span.seconds for span in self.spans)
        days = _DAY * ceil(total / _DAY / _TICKS)
        step = next((step for step in _STEPS if total / step <= _TICKS), days)
        return [tick for span in self.spans for tick in _round_moments(span, step)]


def _busy_times(times: Iterable[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    """Merge times that overlap or follow each other after a short pause."""
    merged = _merge(sorted(times), 0.0)
    busy = sum((end - begin).total_seconds() for begin, end in merged)
    return _merge(merged, max(busy * _IDLE_SHARE, _SHORTEST))


def _merge(
    times: Iterable[tuple[datetime, datetime]], pause: float
) -> list[tuple[datetime, datetime]]:
    merged: list[tuple[datetime, datetime]] = []
    for begin, end in times:
        if merged and (begin - merged[-1][1]).total_seconds() <= pause:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((begin, end))
    return merged


def _round_moments(span: Span, step: int) -> list[datetime]:
    midnight = span.begin.replace(hour=0, minute=0, second=0, microsecond=0)
    number = -int(-(span.begin - midnight).total_seconds() // step)
    moments = []
    while (tick := midnight + timedelta(seconds=number * step)) <= span.end:
        moments.append(tick)
        number += 1
    return moments or [span.begin]


class Row(Struct, frozen=True):
    """A row of the timeline: its name, its attempts and the runs of its checks."""

    name: str
    attempts: tuple[AttemptRecord, ...]
    checks: tuple[CheckRun, ...] = ()


def draw(words: ReportWords) -> str:
    """Return the timeline as SVG; empty if nothing was attempted."""
    rows = _rows(words)
    shown = rows[:_ROWS_DRAWN]
    if not shown:
        return ""
    times = [(a.began, max(a.began, a.until)) for row in shown for a in row.attempts]
    times += [(run.at, run.at) for row in shown for run in row.checks]
    axis = TimeAxis(times, WIDTH - _LABELS - 2 * _EDGE, _GAP)
    height = _HEAD + _ROW * len(shown) + _EDGE
    count = sum(len(row.attempts) for row in rows)
    says = escape(words.say("timeline_of", count=count, tasks=len(rows)))
    pieces = [
        f'<svg class="timeline" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{says}">',
        *_grid(words, axis, height),
        *(piece for number, row in enumerate(shown) for piece in _row(words, axis, number, row)),
        "</svg>",
    ]
    return "\n".join(pieces)


def rows_left_out(record: WorkRecord) -> int:
    """Return how many tasks the timeline has no room for."""
    return max(sum(bool(task.attempts) for task in record.tasks) - _ROWS_DRAWN, 0)


def bar_kind(attempt: AttemptRecord) -> str:
    """Return how an attempt is drawn."""
    if not attempt.outcome:
        return "running" if attempt.observed else "lost"
    if attempt.outcome != "done":
        return attempt.outcome
    if attempt.is_rejected:
        return "failed"
    return "done" if attempt.kind == DELEGATE else "calls"


def _rows(words: ReportWords) -> list[Row]:
    """Return the rows in the order in which the work on them began; planning is the first."""
    record = words.record
    rows = [
        Row(f"{task.task.id} {task.task.name}", task.attempts, task.check_runs)
        for task in record.tasks
        if task.attempts
    ]
    rows.sort(key=lambda row: row.attempts[0].began)
    planning = tuple(attempt for attempt in record.other_attempts if attempt.task == PLAN)
    return [Row(words.say("timeline_plan"), planning), *rows] if planning else rows


def _grid(words: ReportWords, axis: TimeAxis, height: int) -> Iterator[str]:
    """Draw the axis with round times, and a mark for each idle time that is cut out."""
    bottom, last = height - _EDGE, -_TICK_DISTANCE * 1.0
    days = {words.clock(span.begin, "%d") for span in axis.spans}
    form = "%m-%d %H:%M" if len(days) > 1 else "%H:%M:%S"
    for tick in axis.ticks():
        x = axis.place(tick)
        if x - last >= _TICK_DISTANCE:
            last = x
            yield f'<line class="grid" x1="{_x(x)}" y1="{_HEAD - 6}" x2="{_x(x)}" y2="{bottom}"/>'
            when = words.clock(tick, form)
            yield f'<text class="tick" x="{_x(x)}" y="{_HEAD - 12}">{when}</text>'
    for x, seconds in axis.pauses():
        says = escape(words.say("timeline_idle", time=duration(seconds, words.language)))
        left = _x(x - _GAP / 4)
        yield (
            f'<rect class="cut" x="{left}" y="{_HEAD - 6}" width="{_GAP / 2:g}" '
            f'height="{bottom - _HEAD + 6}"><title>{says}</title></rect>'
        )
        yield f'<text class="tick" x="{_x(x)}" y="{height - 3}">{says}</text>'


def _row(words: ReportWords, axis: TimeAxis, number: int, row: Row) -> Iterator[str]:
    middle = _HEAD + _ROW * number + _ROW / 2
    full = escape(visible(row.name))
    yield (
        f'<text class="name" x="{_EDGE}" y="{middle + 4:g}">{escape(_shorten(row.name))}'
        f"<title>{full}</title></text>"
    )
    for attempt in row.attempts[-_BARS_DRAWN:]:
        yield _bar(words, axis, middle, attempt)
    for run in row.checks[-_BARS_DRAWN:]:
        yield _check(words, axis, middle, run)


def _bar(words: ReportWords, axis: TimeAxis, middle: float, attempt: AttemptRecord) -> str:
    kind = bar_kind(attempt)
    left, right = axis.place(attempt.began), axis.place(max(attempt.began, attempt.until))
    thickness = _BAR if attempt.kind == DELEGATE else _THIN
    who = attempt.agent or attempt.kind
    time = duration(attempt.seconds, words.language)
    says = with_colon(visible(who), f"{words.outcome(attempt)}, {time}", words.language)
    return (
        f'<rect class="bar {kind}" x="{_x(left)}" y="{middle - thickness / 2:g}" '
        f'width="{max(right - left, _NARROWEST):.1f}" height="{thickness}" rx="2">'
        f"<title>{escape(says)}</title></rect>"
    )


def _check(words: ReportWords, axis: TimeAxis, middle: float, run: CheckRun) -> str:
    """Draw a check: a green circle, a grey one if it showed nothing, or a red cross."""
    x, kind = _LABELS + _EDGE + axis.place(run.at), RESULT_WORDS[run.ok]
    says = escape(f"{words.say(f'timeline_{kind}')}, {words.moment(run.at)}")
    if run.ok is not False:
        shape = f'<circle cx="{x:.1f}" cy="{middle:g}" r="{_MARK}"/>'
    else:
        a, b = f"{x - _MARK:.1f} {middle - _MARK:g}", f"{x + _MARK:.1f} {middle + _MARK:g}"
        c, d = f"{x - _MARK:.1f} {middle + _MARK:g}", f"{x + _MARK:.1f} {middle - _MARK:g}"
        shape = f'<path d="M{a} L{b} M{c} L{d}"/>'
    return f'<g class="check {kind}"><title>{says}</title>{shape}</g>'


def _x(place: float) -> str:
    return f"{_LABELS + _EDGE + place:.1f}"


def _shorten(name: str) -> str:
    """Return as much of a name as there is room for."""
    shown, room = "", _NAME_UNITS
    for character in visible(" ".join(name.split())):
        room -= 2 if character >= _WIDE else 1
        if room < 0:
            return f"{shown}…"
        shown += character
    return shown
