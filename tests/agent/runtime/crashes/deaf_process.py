"""A process whose model ignores what it is told, and which is killed after some seconds.

Each task is to append its number to a file. The model repeats the call for its current task in
every conversation, until a result of the call stands in that conversation itself.
"""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path
from threading import Timer
from typing import Any

from outlast import AgentLoop, Plan
from outlast.config.settings import LoopSettings, Rules, Settings
from outlast.context.chat_model import Call, Reply
from outlast.model.model import Question
from outlast.plan.core import PlanCore
from outlast.system.disk import Disk
from outlast.tools import as_tool
from tests.agent.runtime.scene import ClockFile
from tests.fake_model import FakeModel, ModelRequest
from tests.store.opening import open_views

LINES, OPENING = "lines.txt", "[Resuming task]"
_PAUSE = 0.01  # so that a kill may hit any moment
_STEP = re.compile(r"- Current step: (\d+)\.")


class DeafModel(FakeModel):
    """Does the current step, whatever it is told about the past; its first request sets a bomb."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    async def reply(self, request: ModelRequest) -> Reply:
        seconds, self._seconds = self._seconds, 0.0
        if seconds:
            Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL)).start()
        await asyncio.sleep(_PAUSE)
        step = _STEP.search(request.messages[-1].text)
        if step is None:
            return Reply("All is done.")
        number = int(step[1])
        openings = (i for i, message in enumerate(request.messages) if OPENING in message.text)
        own = request.messages[max(openings, default=0) :]
        if any(message.call_id == f"append {number}" for message in own):
            result = {"task": number, "result": "appended"}
            return Reply("", (Call("complete_task", result, f"complete {number}"),))
        return Reply("", (Call("append", {"number": number}, f"append {number}"),))


class TruthfulPerson:
    """Says of a call that was running whether its line is there."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def answer(self, question: Question) -> str:
        task = question.about.partition("#")[0]
        lines = self._path.read_text().split() if self._path.exists() else []
        return "done" if task in lines else "not done"


def work(where: Path, seconds: float) -> None:
    """Work on the plan until it is done, or the process is killed."""
    path, clock = where / LINES, ClockFile(where / "clock")
    store = open_views(str(where / "plan"), Disk(), clock())
    plan = Plan(PlanCore(store, clock, lambda: "plan_next", "agent"))

    async def append(number: int) -> str:
        """Append a number."""
        await asyncio.sleep(_PAUSE)
        with path.open("a") as file:
            file.write(f"{number}\n")
        await asyncio.sleep(_PAUSE)
        return f"appended {number}"

    most = 4 * plan.progress.total
    options: dict[str, Any] = {"max_iterations": most, "person": TruthfulPerson(path)}
    rules = Settings(loop=LoopSettings(policy="explicit"), rules=Rules(stop_limit=0))
    agent = AgentLoop(
        model=DeafModel(seconds), tools=[as_tool(append)], plan=plan, settings=rules, **options
    )
    asyncio.run(agent.run("continue", resume=True))
    plan.close()
    os._exit(0)  # the timer may still wait


if __name__ == "__main__":
    work(Path(sys.argv[1]), float(sys.argv[2]))
