"""One page: every goal of speed and size, what was measured, and whether it is reached.

`./dev bench [--quick] [--peers] [--write]` takes seven to nine minutes. All figures of a row come
from one run, in which the reference took turns: `python -I -S -c pass` (py), graphlib, a bare
append. How long the tests take is measured by running them.
"""

from __future__ import annotations

import argparse
import gc
import time
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from bench import (
    acknowledged,
    cli_start,
    durable_ops,
    hooks,
    idle,
    loops,
    makespan,
    mcp,
    open_plan,
    pairs,
    peers,
    recall,
    short_commands,
    startup,
    writers,
)
from bench import tokens as tokens_bench
from bench.bookkeeping import OURS
from bench.contenders import DECIDE_APPLY, GRAPHLIB, PLAN_MANAGER, race
from bench.measure import machine, words, write
from bench.memory_goals import SIZE, pair_goals, peer_goal, start_goals
from bench.plans import SHAPES
from bench.verdicts import one_line, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bench.verdicts import Row

_REACHED: Final = verdict(kept=True)
_MISSED: Final = verdict(kept=False)
_ELSEWHERE: Final = "not measured here"
_HEAD: Final = ("goal", "limit", "measured", "")
_PEER_SIZE: Final = 1_000


@dataclass(frozen=True)
class Effort:
    """How large the plans are, and how often each measurement is repeated."""

    size: int = SIZE
    sizes: tuple[int, ...] = (10, 10_000, 100_000)
    largest: int = 100_000
    rounds: int = 3
    operations: int = 500
    each: int = 30
    each_process: int = 100
    starts: int = 15
    command_tasks: int = cli_start.SIZE
    steps: tuple[int, ...] = (5, 500, 5_000)
    recall_sizes: tuple[int, ...] = recall.SIZES
    graphs: int = 2
    graph_sizes: tuple[int, ...] = makespan.SIZES
    overhead_sizes: tuple[int, ...] = makespan.OVERHEAD_SIZES
    commands: int = short_commands.ROUNDS
    subscriptions: int = idle.SUBSCRIPTIONS
    idle_seconds: float = idle.SECONDS
    peers: bool = False


QUICK: Final = Effort(
    size=100,
    sizes=(10, 100),
    largest=1_000,
    rounds=1,
    operations=20,
    each=2,
    each_process=5,
    starts=2,
    command_tasks=100,
    steps=(5, 20),
    recall_sizes=recall.SIZES[:1],
    graphs=1,
    graph_sizes=(10,),
    overhead_sizes=(5, 10),
    commands=2,
    subscriptions=3,
    idle_seconds=0.1,
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench")
    parser.add_argument("--quick", action="store_true", help="small plans; says little")
    parser.add_argument("--peers", action="store_true", help="measure other programs as well")
    parser.add_argument("--write", action="store_true", help="put the page into the docs")
    options = parser.parse_args()
    effort = QUICK if options.quick else Effort(peers=options.peers)
    tables = {"goals": page(effort)}
    if options.peers:
        tables["peers"] = peers.report(effort.sizes)
    for name, text in tables.items():
        print(text, end="\n\n")
        if options.write:
            write(name, text)


def page(effort: Effort) -> str:
    where, began = machine(), time.monotonic()
    gc.freeze()  # what is imported is no garbage that a plan should be charged for
    rows = [row for goals in GOALS.values() for row in goals(effort)]
    seconds = time.monotonic() - began
    ends = [row[-1] for row in rows]
    counts = [f"{ends.count(end)} {end.strip('*')}" for end in (_REACHED, _MISSED)]
    return f"{where}\n\n{words(_HEAD, rows)}\n\n{', '.join(counts)}. It took {seconds:.0f} seconds."


def _durable(effort: Effort) -> Iterable[Row]:
    found = pairs.measure(effort.sizes, effort.rounds)
    return _lines(durable_ops.pair_goals(found, effort.sizes, (pairs.ASK,)), pairs.ON_DISK)


def _acknowledged(effort: Effort) -> Iterable[Row]:
    return _lines(durable_ops.sync_goals(acknowledged.measure(effort.operations)))


def _writers(effort: Effort) -> Iterable[Row]:
    many = writers.measure(effort.rounds, effort.each, effort.each_process)
    return _lines(durable_ops.writer_goals(many))


def _in_memory(effort: Effort) -> Iterable[Row]:
    contenders = [DECIDE_APPLY, PLAN_MANAGER, GRAPHLIB]
    samples = race((effort.size,), effort.rounds, contenders)
    yield from _lines(pair_goals(samples, effort.size), SHAPES)
    if effort.peers:
        peer = import_module("bench.peer_contenders").MCPLANMANAGER
        samples = race((_PEER_SIZE,), effort.rounds, [PLAN_MANAGER, peer])
        yield from _lines([peer_goal(samples, peer)], SHAPES)


def _hooks(effort: Effort) -> Iterable[Row]:
    return _lines(hooks.measure(effort.starts, effort.command_tasks).goals())


def _commands(effort: Effort) -> Iterable[Row]:
    found = cli_start.measure(effort.starts, effort.command_tasks)
    return _lines(cli_start.command_goals(found, effort.command_tasks))


def _imports(effort: Effort) -> Iterable[Row]:
    return _lines(start_goals(startup.measure(effort.starts)))


def _opening(effort: Effort) -> Iterable[Row]:
    found = {effort.largest: open_plan.measure(effort.largest, effort.rounds)}
    return _lines(open_plan.open_goals(found))


def _tokens(effort: Effort) -> Iterable[Row]:
    found = tokens_bench.measure(effort.steps, (OURS,))
    return _lines(tokens_bench.token_goals(found), [f"{n} steps" for n in effort.steps])


def _agent_loop(_: Effort) -> Iterable[Row]:
    return _lines(loops.loop_goals())


def _short_commands(effort: Effort) -> Iterable[Row]:
    found = short_commands.measure(effort.commands)
    return _lines(short_commands.command_goals(found))


def _idle(effort: Effort) -> Iterable[Row]:
    found = idle.measure(effort.subscriptions, effort.idle_seconds)
    return _lines(idle.idle_goals(found, effort.subscriptions), idle.PLACES)


def _recall(effort: Effort) -> Iterable[Row]:
    found = [recall.measure(size) for size in effort.recall_sizes]
    goals = recall.recall_goals(found)
    ended = {end: recall.measure(recall.SIZES[0], end) for end in recall.ENDS}
    sizes = [f"{size} tasks" for size in effort.recall_sizes]
    return (*_lines(goals, sizes), *_lines(recall.said_goals(ended), sizes[:1]))


def _server(effort: Effort) -> Iterable[Row]:
    if find_spec("mcp_types") is None:  # programs to compare with need an older SDK
        return [
            [
                "MCP call over HTTP on a kept connection",
                "≤ 2.5 ms above the transport's own",
                "`./dev bench mcp`",
                _ELSEWHERE,
            ]
        ]
    return _lines(mcp.http_goals(mcp.measure_http(effort.starts)))


def _tests(_: Effort) -> Iterable[Row]:
    return [["`./dev test --fast`, `./dev test`", "≤ 3 min, ≤ 20 min", "run them", _ELSEWHERE]]


def _schedule(effort: Effort) -> Iterable[Row]:
    found = makespan.measure(effort.graphs, effort.graph_sizes)
    overhead = makespan.measure_overhead(effort.overhead_sizes, effort.rounds)
    return _lines(makespan.makespan_goals(found, overhead))


GOALS: Final[dict[str, Callable[[Effort], Iterable[Row]]]] = {
    "plans on disk": _durable,
    "acknowledged operation": _acknowledged,
    "many writers": _writers,
    "in memory": _in_memory,
    "hooks": _hooks,
    "commands": _commands,
    "import": _imports,
    "opening a plan, memory": _opening,
    "tokens, schemas": _tokens,
    "agent loop": _agent_loop,
    "short commands": _short_commands,
    "idle subscriptions": _idle,
    "recall": _recall,
    "MCP server": _server,
    "test suite": _tests,
    "parallel execution": _schedule,
}


def _lines(rows: Iterable[Row], columns: Iterable[str] = ()) -> list[Row]:
    names = [*columns]
    return [one_line(row, names) for row in rows]


if __name__ == "__main__":
    main()
