"""An agent of pydantic-ai with a plan that outlasts it: one line, marked `plan`.

Given a model, such as `anthropic:NAME`, it asks that one; else a script on this machine answers.
"""

import sys
import tempfile

from pydantic_ai import Agent
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from outlast import Plan, create_plan, open_plan
from outlast.integrations.pydantic_ai import PlanCapability
from outlast.models import Call
from outlast.testing import ModelServer, ScriptedModel, Turn

GOAL = "Add the revenue of the last two years"
REVENUE = {"2024": 310, "2025": 365}


def run(model: Model | str, plan: Plan) -> str:
    agent = Agent(model, capabilities=[PlanCapability(plan)])  # plan

    @agent.tool_plain
    def look_up(year: str) -> int:
        """Look up the revenue of a year."""
        return REVENUE[year]

    return agent.run_sync(GOAL).output


def step(number: int, result: str, *calls: Call) -> Turn:
    done = Call("complete_task", {"task": number, "result": result})
    return Turn(f"Current step: {number}.", calls=(*calls, done))


STEPS = [{"name": "Look up both years"}, {"name": "Add them", "needs": [1]}]
PLANNING = Turn("0/0", calls=(Call("add_tasks", {"tasks": STEPS}),))
LOOKING = [Call("look_up", {"year": year}) for year in REVENUE]
TURNS = [PLANNING, step(1, "310 and 365", *LOOKING), step(2, "675"), Turn(say="It is 675.")]

if __name__ == "__main__":
    where = tempfile.mkdtemp()
    with ModelServer(ScriptedModel(TURNS)) as server, create_plan(where, GOAL, "revenue") as new:
        provider = OpenAIProvider(base_url=f"{server.url}/v1", api_key="none")
        scripted = OpenAIChatModel("script", provider=provider)
        print(run(sys.argv[1] if sys.argv[1:] else scripted, new))
    with open_plan(where, "revenue") as kept:  # as any other process would
        print(*(f"{task.id}. {task.name}: {task.result}" for task in kept.tasks()), sep="\n")
