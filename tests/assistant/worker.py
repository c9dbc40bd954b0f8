"""An assistant that works until it is killed: `python -m tests.assistant.worker STORE`.

It goes on with what others left behind, or begins a task that adds one todo.
"""

import json
import re
import sys
from uuid import uuid4

from outlast import Assistant
from outlast.context.chat_model import Reply, Usage
from tests.agent.loops.replan_loop.replies import done, planned, use
from tests.fake_model import FakeModel, ModelRequest


class Adder(FakeModel):
    """Adds the todo that the goal names, once, as far as it can know."""

    async def reply(self, request: ModelRequest) -> Reply:
        system, words = request.messages[0].text, request.messages[-1].text
        match = re.search("Add ([0-9a-f]{8})", words)
        assert match is not None
        line = f"/todo add {match[1]}"
        if "Decide what remains" in system:
            answer = done(f"Added {match[1]}.")
        elif "You carry out one item" in system:
            answer = done() if line in words else use(line)
        else:
            answer = planned("put it in")
        return Reply(json.dumps(answer), (), Usage(1, 1))


def work(assistant: Assistant) -> None:
    """Take one turn."""
    task = assistant.pending_task()
    is_left = task is not None and task.state in ("interrupted", "paused")
    assistant.handle("continue" if is_left else f"Add {uuid4().hex[:8]}")


if __name__ == "__main__":
    here = Assistant(Adder(), sys.argv[1])
    while True:
        work(here)
