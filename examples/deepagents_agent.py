"""A deep agent with a plan that outlasts it: one line, marked `plan`.

Given a model, such as `anthropic:NAME`, it asks that one; else a script on this machine answers.
"""

import sys
import tempfile
from typing import Any

from deepagents import create_deep_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import BaseChatModel

from outlast import Plan, create_plan, open_plan
from outlast.integrations.langgraph import PlanMiddleware
from outlast.models import Call
from outlast.testing import ModelServer, ScriptedModel, Turn

GOAL = "Add the revenue of the last two years"
REVENUE = {"2024": 310, "2025": 365}


def look_up(year: str) -> int:
    """Look up the revenue of a year."""
    return REVENUE[year]


def run(model: BaseChatModel | str, plan: Plan) -> str:
    agent = create_deep_agent(model, [look_up], middleware=[PlanMiddleware(plan)])  # plan
    ended = agent.invoke({"messages": [{"role": "user", "content": GOAL}]})
    return str(ended["messages"][-1].text)


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
        keys: dict[str, Any] = {"base_url": server.url, "api_key": "none"}
        scripted = ChatAnthropic(model_name="script", timeout=60, stop=None, **keys)
        print(run(sys.argv[1] if sys.argv[1:] else scripted, new))
    with open_plan(where, "revenue") as kept:  # as any other process would
        print(*(f"{task.id}. {task.name}: {task.result}" for task in kept.tasks()), sep="\n")
