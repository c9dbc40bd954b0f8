"""The same work by other programs that keep their plans, where they are installed.

Each gets a layered plan with half of it done and is timed in its cheapest form: LangGraph inside a
process, Taskwarrior without the cost of its start-up, the others as servers that keep running.
"""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import chdir
from statistics import median
from typing import TYPE_CHECKING, Final

from bench.durable import CountingDisk, durable, scratch
from bench.mcp_client import McpClient, PeerFailed
from bench.measure import Sample, count, cpu, machine, milli, table, times
from bench.peer_programs import HOME, PROGRAMS, Program, Server
from bench.plans import RESULT, layered
from bench.startup import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast import Plan

    Costs = dict[int, Sample]

LARGEST: Final = 10_000
_LANGGRAPH: Final = "LangGraph, SqliteSaver"
_PAIRS: Final = 5
_ROUNDS: Final = 5
_OUR_PAIRS: Final = 200
_STARTS: Final = 5


def report(sizes: Sequence[int]) -> str:
    """Return the table of CPU milliseconds a pair, ours first."""
    before, measured = machine(), [n for n in sizes if n <= LARGEST]
    ours = {n: _ours(n) for n in measured}
    found: dict[str, Costs] = {"outlast": ours}
    said = []
    runs: dict[str, Callable[[], Costs | str]] = {_LANGGRAPH: lambda: _langgraph(measured)}
    runs |= {program.name: _pairs_of(program, measured) for program in PROGRAMS}
    for name, run in runs.items():
        costs = run()
        if isinstance(costs, str):
            said.append(f"{name}: not measured: {costs}.")
        else:
            found[name] = costs
    rows = [_row(name, costs, ours) for name, costs in found.items()]
    head = ["ms of CPU a pair: median"]
    for n in measured:
        head += [count(n), "of ours"]
    return "\n\n".join([before, table(head, rows), *said])


def _row(name: str, costs: Costs, ours: Costs) -> list[str]:
    row = [name]
    for n, sample in costs.items():
        row += [milli(sample.median), times(sample.median / ours[n].median)]
    return row


def _ours(n: int) -> Sample:
    """Return the CPU of our pairs with their syncs, which the others' figures have too."""
    sample = Sample()
    for _ in range(_ROUNDS):
        with durable(layered(n), CountingDisk()) as made:
            plan, pairs = made.plan, min(n, _OUR_PAIRS)
            sample.values.append(cpu(lambda: _work(plan, pairs)) / pairs)  # noqa: B023 - called now
    return sample


def _work(plan: Plan, pairs: int) -> None:
    for task in range(1, pairs + 1):
        plan.complete(task, RESULT)
        plan.next()


# --- LangGraph ----------------------------------------------------------------------------------


def _langgraph(sizes: Sequence[int]) -> Costs | str:
    python = HOME / "bin/python"
    if not (HOME / ".environment").exists():
        return "not installed"
    with scratch() as place:
        done = subprocess.run(  # noqa: S603 - our own script
            [python, "-m", "bench.langgraph_steps", str(place), *map(str, sizes)],
            env={**os.environ, "LANGSMITH_TRACING": "false"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        return done.stderr.strip().rpartition("\n")[2]
    return {int(n): Sample(values) for n, values in json.loads(done.stdout).items()}


# --- programs -----------------------------------------------------------------------------------


def _pairs_of(program: type[Program], sizes: Sequence[int]) -> Callable[[], Costs | str]:
    def run() -> Costs | str:
        if missing := program.missing():
            return missing
        try:
            return {n: _pairs(program, n) for n in sizes}
        except (PeerFailed, subprocess.CalledProcessError) as failed:
            return str(failed)

    return run


def _pairs(program: type[Program], n: int) -> Sample:
    with scratch() as place, chdir(place):
        one = program(place)
        one.lay(n)
        return _served(one, n) if isinstance(one, Server) else _called(one, n)


def _served(server: Server, n: int) -> Sample:
    pairs = min(_PAIRS, n // 2 - 1)
    with McpClient(server.serve(), server.place, server.environ()) as client:
        client.call(*server.done_tool(n // 2 + 1))  # reads what it has never read
        client.call(*server.next_tool())
        begun = client.cpu()
        for task in range(n // 2 + 2, n // 2 + 2 + pairs):
            client.call(*server.done_tool(task))
            client.call(*server.next_tool())
        return Sample([(client.cpu() - begun) / pairs])


def _called(program: Program, n: int) -> Sample:
    command, environ = program.command() or (), {**os.environ, **program.environ()}
    start = median(timed((*command, "--version"), environ)() for _ in range(_STARTS))
    sample = Sample()
    for task in range(n // 2 + 1, n // 2 + 1 + min(_PAIRS, n // 2 - 1)):
        pair = timed((*command, *program.done(task)), environ)()
        pair += timed((*command, *program.next()), environ)()
        sample.values.append(max(0.0, pair - 2 * start))
    return sample


def commands(n: int) -> str:
    """Return what other programs need for the same commands, from start to end."""
    rows, said = [], []
    for program in PROGRAMS:
        name = program.name.partition(",")[0]
        if missing := program.missing():
            said.append(f"{name}: not measured: {missing}.")
            continue
        with scratch() as place, chdir(place):
            one = program(place)
            one.lay(n)
            rows.append([name, *_starts(one, n)])
    shown = table(["ms of CPU, median", "--version", "next", "done"], rows)
    return "\n\n".join([shown, *said])


def _starts(program: Program, n: int) -> list[str]:
    command, environ = program.command() or (), {**os.environ, **program.environ()}
    samples: dict[str, Sample] = {name: Sample() for name in ("--version", "next", "done")}
    for turn in range(_STARTS):
        calls = (("--version",), program.next(), program.done(n // 2 + 1 + turn))
        for sample, arguments in zip(samples.values(), calls, strict=True):
            sample.values.append(timed((*command, *arguments), environ)())
    return [milli(sample.median) for sample in samples.values()]
