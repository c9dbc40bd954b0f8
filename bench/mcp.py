"""The MCP server: tokens of what a client lists, and how soon it answers: `./dev bench mcp`.

Hosts start their servers together and do without those that are late, so the time to the first
answers is measured from the start of the process, beside the import of the SDK that it is made of.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from bench.bookkeeping import spelled
from bench.measure import count, figure, in_turn, machine, milli, table, times, write
from bench.tokenizer import NAME, tokens
from bench.verdicts import at_most, judged
from outlast.plan.tools.server_sets import SERVER_SETS, tool_listing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.measure import Sample
    from bench.verdicts import Row

ROUNDS: Final = 15
_SCHEMA_LIMIT: Final = 1_500
_SHOWN: Final = ("name", "description", "inputSchema")  # what hosts pass on to a model
_SERVER: Final = (sys.executable, "-m", "outlast", "mcp")
_SDK: Final = (sys.executable, "-c", "import mcp; print()")
_HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
_INITIALIZE: Final = "answer to initialize"
_LIST: Final = "answer to tools/list"
_CALL: Final = "answer to the first tools/call"
_IMPORT: Final = "`python -c 'import mcp'`"


@dataclass(frozen=True)
class Found:
    """Tokens of each set, shown to a model and listed in all, and seconds to each answer."""

    schemas: dict[str, tuple[int, int]]
    answers: dict[str, Sample]


def count_tokens() -> dict[str, tuple[int, int]]:
    """Return the tokens of each set of tools: what a model is shown, and the whole list."""
    return {which: _set_tokens(tool_listing(which)) for which in SERVER_SETS}


def _set_tokens(listing: list[dict[str, Any]]) -> tuple[int, int]:
    shown = [{name: tool[name] for name in _SHOWN} for tool in listing]
    return tokens(spelled(shown)), tokens(spelled(listing))


def measure(rounds: int = ROUNDS) -> Found:
    with TemporaryDirectory() as place:
        answers = {
            name: partial(_seconds, place, _SERVER, last)
            for last, name in enumerate((_INITIALIZE, _LIST, _CALL))
        }
        answers[_IMPORT] = partial(_seconds, place, _SDK, 0)
        in_turn(answers, 1)  # writes the bytecode
        return Found(count_tokens(), in_turn(answers, rounds))


def _seconds(place: str | Path, command: Sequence[str], last: int) -> float:
    """Return the seconds from the start of a process to its answer to the last of the requests."""
    requests = [("initialize", _HELLO), ("tools/list", {}), ("tools/call", {"name": "plan_read"})]
    environ = {name: value for name, value in os.environ.items() if name != "OUTLAST_PLAN"}
    begun = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - our own program
        command,
        cwd=place,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin  # noqa: S101 - it was asked for
        assert process.stdout  # noqa: S101 - it was asked for
        for number, (method, params) in enumerate(requests[: last + 1]):
            asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            process.stdin.flush()
            process.stdout.readline()
        passed = time.perf_counter() - begun
        process.kill()
    return passed


def report(found: Found) -> str:
    sets = [[which, count(shown), count(every)] for which, (shown, every) in found.schemas.items()]
    imported = found.answers[_IMPORT].best
    seconds = [
        [name, milli(sample.best), milli(sample.median), times(sample.best / imported)]
        for name, sample in found.answers.items()
    ]
    parts = [
        f"{machine()} Tokenizer {NAME}.",
        table(["tools", "tokens shown to a model", "tokens listed"], sets),
        table(["from the start of the process", "ms, best", "median", "of the import"], seconds),
        judged(["", "listed"], goals(found)),
    ]
    return "\n\n".join(parts)


def goals(found: Found) -> list[Row]:
    ratio = found.answers[_INITIALIZE].best / found.answers[_IMPORT].best
    sizes = [at_most(size, _SCHEMA_LIMIT, figure) for size in found.schemas["default"]]
    return [
        ["schemas of the default set", f"≤ {count(_SCHEMA_LIMIT)}", *sizes],
        ["answer to initialize against the import", f"≤ {times(1)}", at_most(ratio, 1, times)],
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench mcp")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each is run")
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    options = parser.parse_args()
    text = report(measure(options.rounds))
    print(text)
    if options.write:
        write("mcp", text)


if __name__ == "__main__":
    main()
