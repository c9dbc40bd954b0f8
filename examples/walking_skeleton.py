"""A loop that stops in the middle of its work, and goes on from the plan alone.

The model is a script, so that the example runs anywhere. Everything else is real: the plan is
kept in files, the tools write files, and the second run knows only what the first has left there.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from outlast import AgentLoop
from outlast.events import CallEnded
from outlast.models import Call
from outlast.testing import ScriptedModel, Turn
from outlast.tools import built_in_tools

if TYPE_CHECKING:
    from outlast import RunResult
    from outlast.events import Event

GOAL = "Write a greeting and its translation"
TASKS = ["Write hello.txt", "Write hallo.txt"]


def write(path: str, content: str) -> Call:
    return Call("write_file", {"path": path, "content": content})


def done(task: int) -> Call:
    return Call("complete_task", {"task": task, "result": "written"})


MODEL = ScriptedModel(
    (
        Turn("- Current step: 1.", calls=(write("hello.txt", "Hello, world\n"), done(1))),
        Turn("- Current step: 2.", calls=(write("hallo.txt", "Hallo, Welt\n"), done(2))),
        Turn("- Progress: 2/2", "Both are written."),
        Turn(calls=(Call("add_tasks", {"tasks": TASKS}),)),
    )
)


def say(event: Event) -> None:
    if isinstance(event, CallEnded):
        print(f"  {event.call.name} {event.call.params.get('path', '')}")


def work(where: str, message: str, max_iterations: int) -> RunResult:
    """Let the model work as a new process would, which knows only what is kept in files."""
    tools = built_in_tools(where)
    agent = AgentLoop(
        model=MODEL, tools=tools, workdir=where, max_iterations=max_iterations, on_event=say
    )
    return asyncio.run(agent.run(message))


def main() -> None:
    with tempfile.TemporaryDirectory() as where:
        for message, iterations in ((GOAL, 2), ("continue", 20)):
            result = work(where, message, iterations)
            print(f"{result.why}: {result.text}")
        for path in sorted(Path(where).glob("*.txt")):
            print(f"{path.name}: {path.read_text().strip()}")


if __name__ == "__main__":
    main()
