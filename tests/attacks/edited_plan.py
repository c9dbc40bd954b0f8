"""A plan with what only a person may do, and an agent whose tools edit its files.

Run as a program, the agent runs one command on the plan of a directory.
"""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outlast import AgentLoop, Check, Plan, create_plan, open_plan
from outlast.agent.tools.choice import built_in_tools
from outlast.config.settings import LoopSettings, Rules, Settings
from outlast.context.chat_model import Reply, Usage
from outlast.model.model import PERSON
from outlast.models import Call
from tests.fake_model import FakeModel

if TYPE_CHECKING:
    from outlast.model.changes import Commit
    from outlast.model.model import Question

FOLDER = ".outlast/plans/k"
FILE = f"{FOLDER}/task_plan.md"
SETTINGS = Settings(loop=LoopSettings(policy="explicit"), rules=Rules(stop_limit=0))
PYTHON = shlex.quote(sys.executable)
OUTLAST = f"{PYTHON} -m outlast"
TICK = f"sed -i 's/- .*Review/- [x] ● **2** Review/' {FILE}"
PERSON_CHECK = Check("person", "it looks right")
COMMAND_CHECK = Check("command", "test -f made.txt")


def make_plan(root: Path) -> int:
    """Create the plan as a person; return its last revision."""
    with create_plan(root, "Ship", "k", actor=PERSON) as plan:
        plan.add("Build")
        plan.add("Review", checks=[PERSON_CHECK])
        plan.add("Audit", checks=[COMMAND_CHECK], protect=["rules.txt"])
        plan.complete(plan.add("Decide").id, "we do it")
        plan.add("Rest")
        return plan.revision


def bash(command: str) -> Call:
    return Call("bash", {"command": command})


def run_agent(
    root: Path, *calls: Call, tools: Any = (), seconds: float | None = None, **options: Any
) -> list[Any]:
    """Let an agent make calls, one after the other; return the events of the run."""
    replies = [Reply("", (call,), Usage(9, 1)) for call in calls]
    events: list[Any] = []
    agent = AgentLoop(
        model=options.pop("model", None) or FakeModel([*replies, Reply("Done.", (), Usage(9, 1))]),
        tools=tools or built_in_tools(str(root), allow_outside=True),
        workdir=root,
        key="k",
        settings=SETTINGS,
        max_iterations=len(calls) + 1,
        on_event=events.append,
        yes=True,
        **options,
    )
    asyncio.run(asyncio.wait_for(agent.run("Ship"), seconds))
    return events


def history(root: Path) -> list[Commit]:
    """Return all commits, the oldest first."""
    with open_plan(root, "k", actor=PERSON) as plan:
        return plan.history.commits(1_000)[::-1]


def edit_questions(plan: Plan) -> list[Question]:
    """Return the open questions about edits."""
    return [question for question in plan.questions.open() if question.kind == "edit"]


if __name__ == "__main__":
    run_agent(Path(sys.argv[1]), bash(sys.argv[2]), lease_seconds=int(sys.argv[3]))
