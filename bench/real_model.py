"""Small goals for a small real model, three ways: `./dev bench real_model [--write]`.

Each goal is pursued with the tool loop on a plan, with the replan loop, and without a plan, in a
directory of its own and within the same limits. The table tells what was reached and at what cost.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from bench.measure import count, machine, table, write
from bench.small_goals import GOALS, Goal
from bench.small_model import NAME, small_model
from outlast import AgentLoop, Budget
from outlast.config.settings import Limits, Settings
from outlast.events import CallEnded, Notified, Said
from outlast.tools import built_in_tools

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast import RunResult
    from outlast.context.chat_model import Model
    from outlast.events import Event

SECONDS: Final = 60.0
CALLS: Final = 15
TOOLS: Final = ("read_file", "write_file", "list_directory")  # each costs a small model its time
WAYS: Final[dict[str, dict[str, Any]]] = {
    "tool loop": {},
    "replan loop": {"loop": "replan"},
    "no plan": {"enable_planning": False},
}
_SHOWN: Final = 160  # characters of an event


class Allowance(Struct, frozen=True):
    """What one goal may cost, one way."""

    seconds: float = SECONDS
    calls: int = CALLS


class Trial(Struct, frozen=True):
    """One goal, pursued one way: what came of it and what it cost."""

    goal: str
    way: str
    is_reached: bool
    why: str
    calls: int
    tokens: int
    seconds: float


def main() -> None:
    """Pursue the goals and print the table."""
    parser = argparse.ArgumentParser(prog="./dev bench real_model")
    parser.add_argument("--write", action="store_true", help="put the table into the docs")
    parser.add_argument("--model", help="another one, as `outlast run --model` takes it")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each goal, each way")
    parser.add_argument("--calls", type=int, default=CALLS, help="of the model, likewise")
    parser.add_argument("--way", choices=[*WAYS], action="append", help="only this one")
    parser.add_argument("--goal", type=int, action="append", help="only the one of this number")
    options = parser.parse_args()
    goals = [GOALS[number - 1] for number in options.goal or range(1, len(GOALS) + 1)]
    allowance = Allowance(options.seconds, options.calls)
    served = nullcontext(options.model) if options.model else small_model()
    with served as model, TemporaryDirectory() as scratch:
        trials = run(model, goals, options.way or [*WAYS], Path(scratch), allowance)
    text = f"{report(trials)}\n\n{options.model or NAME}; {explain(allowance)} {machine()}"
    print(text)
    if options.write:
        write("real_model", text)
    sys.exit(0 if all(trial.calls <= allowance.calls for trial in trials) else 1)


def run(
    model: Model | str,
    goals: Iterable[Goal],
    ways: Iterable[str],
    scratch: Path,
    allowance: Allowance,
) -> list[Trial]:
    """Pursue each goal each way: one way after the other, as servers cache how requests begin."""
    trials: list[Trial] = []
    for way, goal in product(ways, sorted(goals, key=lambda goal: goal.language)):
        workspace = scratch / str(len(trials))
        workspace.mkdir()
        print(f"\n=== {goal.text} ({way})", flush=True)
        trials.append(asyncio.run(pursue(model, goal, way, workspace, allowance)))
        print(f"  {trials[-1]}", flush=True)
    return trials


async def pursue(
    model: Model | str, goal: Goal, way: str, workspace: Path, allowance: Allowance
) -> Trial:
    """Let the model work on a goal one way, no longer than allowed."""
    goal.prepare(workspace)
    limits = Limits(model_seconds=allowance.seconds, tries=1, max_tokens=400)
    agent = AgentLoop(
        model=model,
        tools=[tool for tool in built_in_tools(str(workspace)) if tool.name in TOOLS],
        workdir=workspace,
        key="goal",
        max_iterations=allowance.calls,
        budget=Budget(model_calls=allowance.calls),
        settings=Settings(limits=limits),
        on_event=print_event,
        language=goal.language,
        **WAYS[way],
    )
    begun = time.monotonic()
    timer = asyncio.get_running_loop().call_later(allowance.seconds, agent.cancel)
    result = await agent.run(goal.text)
    timer.cancel()
    seconds = time.monotonic() - begun
    return _trial(goal, way, result, seconds, is_reached=goal.is_reached(workspace, result.answer))


def _trial(goal: Goal, way: str, result: RunResult, seconds: float, *, is_reached: bool) -> Trial:
    spent = result.spent
    return Trial(goal.name, way, is_reached, result.why, spent.model_calls, spent.tokens, seconds)


def print_event(event: Event) -> None:
    """Print what happens, in a line."""
    match event:
        case CallEnded():
            outcome = f"failed: {event.error}" if event.error else event.output
            print(f"  {event.call.name} {event.call.params} -> {outcome[:_SHOWN]!r}", flush=True)
        case Said() | Notified():
            print(f"  {type(event).__name__}: {event.text[:_SHOWN]!r}", flush=True)


# --- report ------------------------------------------------------------------------------------


def report(trials: list[Trial]) -> str:
    """Return a table: a row for each goal and one for all, a column for each way."""
    ways = list(dict.fromkeys(trial.way for trial in trials))
    rows = [
        [goal, *(_cell(trial) for trial in trials if trial.goal == goal)]
        for goal in dict.fromkeys(trial.goal for trial in trials)
    ]
    rows.append(["all", *(_sum(trials, way) for way in ways)])
    return table(["goal", *ways], rows)


def explain(allowance: Allowance) -> str:
    """Return what the figures in the table are."""
    return (
        "each cell: reached or why it ended, model calls, tokens, seconds; at most "
        f"{allowance.calls} calls and {allowance.seconds:.0f} seconds."
    )


def _cell(trial: Trial) -> str:
    ended = "**reached**" if trial.is_reached else trial.why
    return f"{ended}, {trial.calls}, {count(trial.tokens)}, {trial.seconds:.0f}"


def _sum(trials: list[Trial], way: str) -> str:
    own = [trial for trial in trials if trial.way == way]
    reached = sum(trial.is_reached for trial in own)
    calls, tokens = (sum(getattr(trial, of) for trial in own) for of in ("calls", "tokens"))
    seconds = sum(trial.seconds for trial in own)
    return f"{reached} of {len(own)}, {calls}, {count(tokens)}, {seconds:.0f}"


if __name__ == "__main__":
    main()
