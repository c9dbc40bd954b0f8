"""A shopping trip as a plan: worked off step by step, with a surprise on the way.

Run it with `.venv/bin/python`. The plan is printed as a tree after every step.
"""

from __future__ import annotations

from rich.console import Console

from outlast import PlanManager, plan_tree

SITE = "在京东网站上搜索'机械键盘'，并将价格低于500元的第一款产品加入购物车"

console = Console(highlight=False)
manager = PlanManager(goal=SITE)


def show(what: str) -> None:
    console.rule(f"[bold]{what}", align="left")
    console.print(plan_tree(manager.plan), "")


manager.initializePlan(
    SITE,
    [
        {"name": "Navigate to JD homepage", "reasoning": "Need to open the website first"},
        {"name": "Search for mechanical keyboard", "dependencies": [1]},
        {"name": "Filter results by price under 500", "dependencies": [2]},
        {"name": "Add first item to cart", "dependencies": [3]},
    ],
)
show("The plan")

manager.startNextTask()
manager.completeTask(1, "Homepage loaded")
show("The homepage is open")

popup = manager.addTask("Close popup dialog", [1], "A popup covers the search box", after_task_id=1)
popup_id = popup["data"]["new_task"]["id"]
manager.updateTask(2, {"dependencies": [1, popup_id]})
show(f"A popup is in the way: task {popup_id} goes in behind task 1, and task 2 waits for it")

answer = manager.completeTask(4, "In the cart")
console.print(f"[red]An agent that runs ahead is told: {answer['error']['message']}[/]\n")

manager.startNextTask()
answer = manager.failTask(popup_id, "The close button does not react")
console.print(f"[yellow]{answer['data']['message']} ({answer['data']['retry_count']} of 3)[/]\n")

for result in ("Popup closed", "214 keyboards found", "31 left", "In the cart: 379 yuan"):
    started = manager.startNextTask()
    manager.completeTask(started["data"]["task"]["id"], result)
    show(started["data"]["message"])

console.print(manager.getPlanStatus()["data"])
