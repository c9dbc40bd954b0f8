"""An agent loop of thirty lines that works through the tools of a plan.

The model here is a few lines of Python, so that the example runs anywhere; put a call to a real
one in its place and hand it `tool_schemas("openai")` or `tool_schemas("anthropic")`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from outlast import PlanManager

if TYPE_CHECKING:
    from collections.abc import Iterator

Call = tuple[str, dict[str, Any]]


def model() -> Iterator[Call]:
    """Stand in for a language model: yield tool calls, be sent their answers."""
    steps = ["Read the report", "Extract the figures", "Draw the chart"]
    tasks = [{"name": name, "dependencies": [i] if i else []} for i, name in enumerate(steps)]
    yield "initializePlan", {"goal": "Chart five years of revenue", "tasks": tasks}
    yield "completeTask", {"task_id": 3, "result": "drawn"}  # too early: the plan refuses
    for number, name in enumerate(steps, 1):
        yield "startNextTask", {}
        yield "completeTask", {"task_id": number, "result": f"{name}: done"}


def run(calls: Iterator[Call]) -> PlanManager:
    manager = PlanManager()
    print(f"{len(manager.tool_schemas('openai'))} tools offered to the model")
    for name, arguments in calls:
        answer = manager.call(name, arguments)
        print(f"{name} {json.dumps(arguments)}")
        print(f"  -> {json.dumps(answer)[:120]}")
    return manager


if __name__ == "__main__":
    print(run(model()).plan.graph("ascii"))
