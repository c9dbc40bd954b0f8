"""R3.14: whatever a model answers and a person types, the assistant replies and keeps its rules."""

import json
import os
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from outlast import Assistant
from outlast.assistant import PendingPlanTask, ReplyKind
from outlast.context.chat_model import Reply, Usage
from tests.agent.loops.replan_loop.replies import ask, done, planned, replanned, use
from tests.fake_model import FakeModel, ModelRequest

CONVERSATIONS = int(os.environ.get("OUTLAST_R3_ASSISTANT", "20"))
LIMIT = 6
LINES = (
    "Buy milk",
    "Plan a trip",
    "oat",
    "继续",
    "continue",
    "not done yet",
    "approve",
    "reject: not so",
    "取消当前任务",
    "/cancel",
    "/plan",
    "/todo list",
    "/todo add milk",
    "/todo add",
    "/schedule list",
    "",
    "\x1b[2J\ud800",
)
ANSWERS = (
    planned("a", "b"),
    planned(),
    use("/todo add milk"),
    use("/todo nonsense"),
    use("rm -rf /", "bash"),
    ask("Which?"),
    ask("Which one?"),
    done(),
    done("Fine."),
    replanned("b"),
    replanned("b", "c"),
    replanned(),
    "what?",
    "{",
    RuntimeError("no network"),
)


class RandomModel(FakeModel):
    """Answers at random."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self.random = random

    async def reply(self, _request: ModelRequest) -> Reply:
        answer = self.random.choice(ANSWERS)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer if isinstance(answer, str) else json.dumps(answer), (), Usage(1, 1))


def start(path: Path, random: Random) -> Assistant:
    is_reviewed = random.random() < 0.5
    return Assistant(RandomModel(random), path, max_steps=LIMIT, review=is_reviewed)


def check(tasks: list[PendingPlanTask], steps: dict[str, int]) -> None:
    for task in tasks:
        assert 0 <= task.current_plan_index <= len(task.plan_items)
        assert not (task.awaiting_clarification and task.needs_replan)
        assert steps.get(task.key, 0) <= task.step_count <= task.step_limit
        assert task.state != "working", "nobody works between two inputs"
        steps[task.key] = task.step_count


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(CONVERSATIONS))
def test_r3_14_every_conversation_keeps_the_rules(tmp_path: Path, seed: int) -> None:
    random, steps, seen = Random(seed), dict[str, int](), set[str]()  # noqa: S311 - no secret
    assistant = start(tmp_path, random)
    for _ in range(12):
        if random.random() < 0.3:  # a restart
            assistant = start(tmp_path, random)
        before = assistant.pending_task()
        line = random.choice(LINES)
        reply = assistant.handle(line)
        assert reply.kind in get_args(ReplyKind)
        assert reply.text
        seen.add(reply.kind)
        steps = {task.key: steps.get(task.key, 0) for task in assistant.tasks()}
        check(assistant.tasks(), steps)
        if line.startswith(("/todo", "/schedule")):
            assert assistant.pending_task() == before, "a slash command leaves the task alone"
        if reply.kind == "question":
            task = assistant.pending_task()
            assert task is not None
            assert task.question_shown == reply.text
    assert seen
