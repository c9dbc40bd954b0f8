"""The axis of a timeline: moments become places; long idle times are cut out."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORTEST: Final = 1.0  # seconds that the axis has at least
_IDLE_SHARE: Final = 0.15  # of the busy time; a longer pause is cut
_TICKS: Final = 6
_STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200)
_DAY: Final = 86_400


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
