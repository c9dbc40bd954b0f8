"""What the benchmarks share: CPU timing in rounds, Markdown tables, and the page they go into."""

from __future__ import annotations

import gc
import os
import platform
import re
import statistics
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

PAGE: Final = Path(__file__).parent.parent / "docs" / "reference" / "benchmarks.md"
MICRO: Final = 1e6
MILLI: Final = 1e3
TIMES: Final = "\N{MULTIPLICATION SIGN}"

_WHOLE: Final = 100
_TENTHS: Final = 10
_LABEL_COLUMNS: Final = 1

Key = TypeVar("Key", bound="Hashable")


# --- timing -------------------------------------------------------------------------------------


@dataclass
class Sample:
    """Repeated measurements of one thing."""

    values: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        """The least disturbed one."""
        return min(self.values)

    @property
    def median(self) -> float:
        return statistics.median(self.values)


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds that this process spends on `work`, begun with no garbage around."""
    gc.collect()
    begun = time.process_time()
    work()
    return time.process_time() - begun


def cpu_each(works: Sequence[Callable[[], object]]) -> float:
    """Return the CPU seconds of one of several equal works, timed together."""

    def all_of_them() -> None:
        for work in works:
            work()

    return cpu(all_of_them) / len(works)


def in_turn(runs: Mapping[Key, Callable[[], float]], rounds: int) -> dict[Key, Sample]:
    """Measure each in every round, one after the other, so that noise meets all alike."""
    samples: dict[Key, Sample] = {key: Sample() for key in runs}
    for _ in range(rounds):
        for key, run in runs.items():
            samples[key].values.append(run())
    return samples


# --- tables -------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Iterable[Sequence[str]], labels: int = _LABEL_COLUMNS) -> str:
    """Return a Markdown table; columns behind the first `labels` hold figures."""
    cells = [list(head), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    rule = [
        "-" * width if column < labels else f"{'-' * (width - 1)}:"
        for column, width in enumerate(widths)
    ]
    lines = [
        [
            cell.ljust(width) if column < labels else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in (cells[0], rule, *cells[1:])
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def words(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table of texts."""
    return table(head, rows, labels=len(head))


def figure(value: float) -> str:
    """Return a number with about three digits, thousands set apart."""
    if value >= _WHOLE:
        return count(round(value))
    return f"{value:.1f}" if value >= _TENTHS else f"{value:.2f}"


def times(ratio: float) -> str:
    return f"{figure(ratio)} {TIMES}"


def count(value: int) -> str:
    return f"{value:,}".replace(",", " ")


def micro(seconds: float) -> str:
    return figure(seconds * MICRO)


def milli(seconds: float) -> str:
    return figure(seconds * MILLI)


# --- where and when -----------------------------------------------------------------------------


def machine() -> str:
    """Say on what and when this runs: no names, no paths."""
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    today = datetime.now(UTC).date()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{today}, {_processor()}, {os.cpu_count()} cores, {python}, load average {load}."


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8") if cpuinfo.exists() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1] if found else platform.machine()


# --- the page -----------------------------------------------------------------------------------


def write(name: str, text: str) -> None:
    """Put the text between the marks of this name on the page."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    page = PAGE.read_text(encoding="utf-8")
    before, found_begin, rest = page.partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found_begin and found_end):
        raise LookupError(begin)
    PAGE.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
