"""A bare loop with the OpenAI SDK and a plan that outlasts it: three lines, marked `plan`.

Given the name of a model it asks that one (OPENAI_API_KEY), else a script on this machine.
"""

import json
import sys
import tempfile
from typing import Any

from openai import OpenAI

from outlast import Plan, create_plan, open_plan
from outlast.models import Call
from outlast.testing import ModelServer, ScriptedModel, Turn

GOAL = "Add the revenue of the last two years"
REVENUE = {"2024": 310, "2025": 365}
YEAR = {"type": "object", "properties": {"year": {"type": "string"}}}
FUNCTION = {"name": "look_up", "description": "Revenue of a year.", "parameters": YEAR}
LOOK_UP: Any = {"type": "function", "function": FUNCTION}


def loop(client: OpenAI, model: str, plan: Plan) -> str:
    tools: Any = [LOOK_UP, *plan.tools("openai")]  # plan
    messages: list[Any] = [{"role": "user", "content": GOAL}]
    for _ in range(50):
        shown: Any = [*messages, {"role": "user", "content": plan.context()}]  # plan
        reply = client.chat.completions.create(model=model, tools=tools, messages=shown)
        message = reply.choices[0].message
        if not (calls := message.tool_calls):
            return message.content or ""
        messages += [message]
        messages += [plan.handle(c) if plan.owns(c) else look_up(c) for c in calls]  # plan
    return "The turns are used up."


def look_up(call: Any) -> dict[str, Any]:  # noqa: ANN401 - as the model gives it
    found = str(REVENUE.get(json.loads(call.function.arguments).get("year"), "unknown"))
    return {"role": "tool", "tool_call_id": call.id, "content": found}


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
        scripted = OpenAI(base_url=f"{server.url}/v1", api_key="none")
        print(loop(OpenAI() if sys.argv[1:] else scripted, [*sys.argv, "script"][1], new))
    with open_plan(where, "revenue") as kept:  # as any other process would
        print(*(f"{task.id}. {task.name}: {task.result}" for task in kept.tasks()), sep="\n")
