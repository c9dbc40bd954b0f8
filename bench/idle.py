"""What subscriptions cost while nothing happens: the share of a core, by where the plans are."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from bench.durable import scratch
from bench.measure import count, table
from bench.verdicts import at_most, judged
from outlast import create_plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.verdicts import Row

SUBSCRIPTIONS: Final = 1_000
SECONDS: Final = 11.0  # two of the looks that are taken although nothing was told
_SETTLED: Final = 3.0  # seconds after the last commit
_LIMIT: Final = 0.01

PLACES: Final[dict[str, Callable[[Path], str]]] = {
    "files": str,
    "SQLite": lambda place: f"sqlite:///{place}/plans.db",
    "memory": lambda _: "memory:",
}


def share(where: str, subscriptions: int = SUBSCRIPTIONS, seconds: float = SECONDS) -> float:
    """Return which part of a core this process uses while nobody commits."""
    with scratch() as place, ExitStack() as plans:
        workdir = PLACES[where](place)
        for number in range(subscriptions):
            plan = plans.enter_context(create_plan(workdir, "Ship it", f"plan-{number}"))
            plan.history.subscribe(lambda _: None)
        time.sleep(min(_SETTLED, seconds))
        begun, used = time.monotonic(), time.process_time()
        time.sleep(seconds)
        return (time.process_time() - used) / (time.monotonic() - begun)


def measure(subscriptions: int = SUBSCRIPTIONS, seconds: float = SECONDS) -> dict[str, float]:
    return {where: share(where, subscriptions, seconds) for where in PLACES}


def idle_goals(found: dict[str, float], subscriptions: int = SUBSCRIPTIONS) -> list[Row]:
    """Return the row of the goal."""
    shares = (at_most(found[where], _LIMIT, "{:.2%}".format) for where in PLACES)
    return [[f"{count(subscriptions)} idle subscriptions, of a core", f"≤ {_LIMIT:.0%}", *shares]]


def report() -> str:
    found = measure()
    rows = [[where, f"{part:.2%}"] for where, part in found.items()]
    shown = table([f"{count(SUBSCRIPTIONS)} idle subscriptions", "of a core"], rows)
    return f"{shown}\n\n{judged(list(PLACES), idle_goals(found))}"


if __name__ == "__main__":
    print(report())
