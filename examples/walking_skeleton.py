"""A loop that stops in the middle of its work, and goes on from the plan alone.

The model is a script, so that the example runs anywhere. Everything else is real: the plan is
kept in files, the tools write files, and the second run knows only what the first has left there.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from outlast import create_plan, open_plan
from outlast.ports.effects import CallEnded
from outlast.testing import Call, ScriptedModel, Turn
from outlast.wiring.running import file_tools, run_loop

if TYPE_CHECKING:
    from outlast.ports.effects import Event, Stopped

GOAL = "Write a greeting and its translation"
TASKS = [{"name": "Write hello.txt"}, {"name": "Write hallo.txt", "dependencies": [1]}]


def write(path: str, content: str) -> Call:
    return Call("write_file", {"path": path, "content": content})


def done(task: int) -> Call:
    return Call("completeTask", {"task_id": task, "result": "written"})


START = Call("startNextTask")
MODEL = ScriptedModel(
    (
        Turn(
            "- Progress: 0/0", calls=(Call("initializePlan", {"goal": GOAL, "tasks": TASKS}), START)
        ),
        Turn("- Current step: 1.", calls=(write("hello.txt", "Hello, world\n"), done(1), START)),
        Turn("- Current step: 2.", calls=(write("hallo.txt", "Hallo, Welt\n"), done(2))),
    )
)


def say(event: Event) -> None:
    if isinstance(event, CallEnded):
        print(f"  {event.call.name} {event.call.params.get('path', '')}")


def work(where: str, max_iterations: int) -> Stopped:
    """Open the plan as a new process would, and let the model work on it."""
    with open_plan(where) as plan:
        if plan.status == "paused":
            plan.resume()
        loop = run_loop(
            GOAL, plan, MODEL, file_tools(where), max_iterations=max_iterations, on_event=say
        )
        return asyncio.run(loop)


def main() -> None:
    with tempfile.TemporaryDirectory() as where:
        create_plan(where, GOAL).close()
        for iterations in (2, 20):
            stopped = work(where, iterations)
            print(f"{stopped.why}: {stopped.text}")
        for path in sorted(Path(where).glob("*.txt")):
            print(f"{path.name}: {path.read_text().strip()}")


if __name__ == "__main__":
    main()
