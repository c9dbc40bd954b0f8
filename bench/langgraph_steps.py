"""LangGraph with its SQLite checkpoints completes a list; runs in the environment of the peers.

Called with sizes; prints a JSON object from size to the CPU seconds of each round's step.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

_ROUNDS: Final = 5
_STEPS: Final = 20


class Todos(TypedDict):
    """The state that every step writes."""

    todos: list[dict[str, str]]
    at: int


def _step(state: Todos) -> dict[str, Any]:
    todos, at = list(state["todos"]), state["at"]
    todos[at] = {**todos[at], "status": "completed"}
    following = next((i for i, todo in enumerate(todos) if todo["status"] == "pending"), -1)
    return {"todos": todos, "at": following}


def _seconds(n: int, database: Path) -> float:
    """Return the CPU of one step: a task completed, the next one found, a checkpoint written."""
    first, steps = n // 2, min(_STEPS, n // 2 - 1)
    todos = [
        {"content": f"Task number {i + 1}", "status": "completed" if i < first else "pending"}
        for i in range(n)
    ]
    graph = StateGraph(Todos)
    graph.add_node("step", _step)
    graph.add_edge(START, "step")
    graph.add_conditional_edges(
        "step", lambda state: "step" if state["at"] < first + steps else END, ["step", END]
    )
    with closing(sqlite3.connect(database, check_same_thread=False)) as connection:
        saver = SqliteSaver(connection)
        saver.setup()
        work = graph.compile(checkpointer=saver)
        config: Any = {"recursion_limit": n + 10, "configurable": {"thread_id": "bench"}}
        state: Todos = {"todos": todos, "at": first}
        begun = time.process_time()
        work.invoke(state, config, durability="sync")
        return (time.process_time() - begun) / steps


def main() -> None:
    found: dict[str, list[float]] = {}
    with TemporaryDirectory(dir=sys.argv[1]) as place:
        for n in map(int, sys.argv[2:]):
            files = [Path(place) / f"{n}-{turn}.db" for turn in range(_ROUNDS)]
            found[str(n)] = [_seconds(n, file) for file in files]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
