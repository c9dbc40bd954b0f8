"""A graph of LangGraph with a plan that outlasts it: two lines, marked `plan`.

Given a model, such as `anthropic:NAME`, it asks that one; else a script on this machine answers.
"""

import sys
import tempfile
from typing import Any

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from outlast import Plan, create_plan, open_plan
from outlast.integrations.langgraph import plan_message, plan_tools
from outlast.models import Call
from outlast.testing import ModelServer, ScriptedModel, Turn

GOAL = "Add the revenue of the last two years"
REVENUE = {"2024": 310, "2025": 365}


def look_up(year: str) -> int:
    """Look up the revenue of a year."""
    return REVENUE[year]


def run(model: BaseChatModel, plan: Plan) -> str:
    tools: list[Any] = [look_up, *plan_tools(plan)]  # plan
    chat = model.bind_tools(tools)

    def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [chat.invoke([*state["messages"], plan_message(plan)])]}  # plan

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition)
    graph.add_edge("tools", "think")
    ended = graph.compile().invoke({"messages": [HumanMessage(GOAL)]})
    return str(ended["messages"][-1].text)


LOOKING = tuple(Call("look_up", {"year": year}) for year in REVENUE)
FOUND = Call("complete_task", {"task": 1, "result": "310 and 365"})
ADDED = Call("complete_task", {"task": 2, "result": "675"})
TASKS = [{"name": "Look up both years"}, {"name": "Add them", "needs": [1]}]
SCRIPT = ScriptedModel(
    [
        Turn("0/0", calls=(Call("add_tasks", {"tasks": TASKS}),)),
        Turn("Current step: 1.", calls=(*LOOKING, FOUND)),
        Turn("Current step: 2.", calls=(ADDED,)),
        Turn(say="It is 675."),
    ]
)

if __name__ == "__main__":
    where = tempfile.mkdtemp()
    with ModelServer(SCRIPT) as server, create_plan(where, GOAL, "revenue") as new:
        scripted = init_chat_model("anthropic:script", base_url=server.url, api_key="none")
        print(run(init_chat_model(sys.argv[1]) if sys.argv[1:] else scripted, new))
    with open_plan(where, "revenue") as kept:  # as any other process would
        print(*(f"{task.id}. {task.name}: {task.result}" for task in kept.tasks()), sep="\n")
