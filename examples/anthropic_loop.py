"""A bare loop with the Anthropic SDK and a plan that outlasts it: three lines, marked `plan`.

Given the name of a model it asks that one (ANTHROPIC_API_KEY), else a script on this machine.
"""

import sys
import tempfile
from typing import Any

from anthropic import Anthropic

from outlast import Plan, create_plan, open_plan
from outlast.models import Call
from outlast.testing import ModelServer, ScriptedModel, Turn

GOAL = "Add the revenue of the last two years"
REVENUE = {"2024": 310, "2025": 365}
LOOK_UP: Any = {
    "name": "look_up",
    "description": "Look up the revenue of a year.",
    "input_schema": {"type": "object", "properties": {"year": {"type": "string"}}},
}


def loop(client: Anthropic, model: str, plan: Plan) -> str:
    tools: Any = [LOOK_UP, *plan.tools("anthropic")]  # plan
    messages: list[Any] = [{"role": "user", "content": GOAL}]
    for _ in range(50):
        shown: Any = [*messages, {"role": "user", "content": plan.context()}]  # plan
        reply = client.messages.create(model=model, max_tokens=1_000, tools=tools, messages=shown)
        if not (calls := [block for block in reply.content if block.type == "tool_use"]):
            return "".join(block.text for block in reply.content if block.type == "text")
        answers: Any = [plan.handle(c) if plan.owns(c) else look_up(c) for c in calls]  # plan
        messages += [{"role": "assistant", "content": reply.content}]
        messages += [{"role": "user", "content": answers}]
    return "The turns are used up."


def look_up(call: Any) -> dict[str, Any]:  # noqa: ANN401 - as the model gives it
    found = str(REVENUE.get(call.input.get("year"), "unknown"))
    return {"type": "tool_result", "tool_use_id": call.id, "content": found}


def step(number: int, result: str, *calls: Call) -> Turn:
    done = Call("complete_task", {"task": number, "result": result})
    return Turn(f"Current step: {number}.", calls=(*calls, done))


STEPS = [{"name": "Look up both years"}, {"name": "Add them", "needs": [1]}]
PLANNING = Turn("0/0", calls=(Call("add_tasks", {"tasks": STEPS}),))
LOOKING = step(1, "310 and 365", *(Call("look_up", {"year": year}) for year in REVENUE))
SCRIPT = ScriptedModel([PLANNING, LOOKING, step(2, "675"), Turn(say="It is 675.")])

if __name__ == "__main__":
    where = tempfile.mkdtemp()
    with ModelServer(SCRIPT) as server, create_plan(where, GOAL, "revenue") as new:
        scripted = Anthropic(base_url=server.url, api_key="none")
        print(loop(Anthropic() if sys.argv[1:] else scripted, [*sys.argv, "script"][1], new))
    with open_plan(where, "revenue") as kept:  # as any other process would
        print(*(f"{task.id}. {task.name}: {task.result}" for task in kept.tasks()), sep="\n")
