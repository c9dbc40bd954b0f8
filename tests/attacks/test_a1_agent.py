"""A1 and A2: an agent fed with the whole corpus keeps data apart from instructions."""

import asyncio
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from outlast import AgentLoop, Plan
from outlast.config.settings import LoopSettings, Settings
from outlast.context.chat_model import Message, Reply
from outlast.context.plan_view import PlanView
from outlast.context.tool import Level, PermissionRequest, Settlement
from outlast.hooks.port import HookContext, HookResult
from outlast.language import text
from outlast.model.model import Question
from outlast.models import Call
from tests.agent.runtime.scene import memory_plan
from tests.fake_model import FakeModel, ModelRequest
from tests.payloads import CANARY, PAYLOADS, blocks

BLOCK = re.compile(r"<([a-z-]+)>\n.*?\n</\1>(?:\n\n|\Z)", re.DOTALL)

# How the lines of a brief begin outside of its block; what goes on from another line is indented.
STOP_NOTE = re.compile(
    re.escape(text("stop_held", done=0, total=0, step=0, skip="skip_task")).replace("0", r"\d+")
)
OPENING = re.compile(
    r"\[Resuming task\] Current task: |Progress: |Current step: |Iterations used: |Steps:"
    r"|\(\d+ more|What people have said|\d+\. |  |User instruction: |$"
)


class EchoTool:
    """A tool that says what it is told to say, or fails with it."""

    name, description = "echo", "Echo."
    parameters: dict[str, Any] = {"type": "object"}  # noqa: RUF012 - nobody changes it
    level: Level = "read"

    def permission_request(self, params: dict[str, Any]) -> PermissionRequest | None:
        return PermissionRequest("outside", params["says"]) if params.get("asks") else None

    async def run(self, params: dict[str, Any]) -> str:
        if params.get("fails"):
            raise RuntimeError(params["says"])
        return str(params["says"])

    def settle(self, params: dict[str, Any]) -> Settlement:
        del params
        return "not_done"


class ParrotModel(FakeModel):
    """A model that puts one payload after the other into everything, and looks what comes back."""

    def __init__(self, payloads: Sequence[str]) -> None:
        super().__init__()
        self._left = list(payloads)

    async def reply(self, request: ModelRequest) -> Reply:
        if not self._left or not request.tools:
            return Reply("That was all.")
        payload = self._left.pop()
        task = re.search(r"Current step: (\d+)\.", request.messages[-1].text)
        return Reply(f"[Step] {payload}", tuple(calls(payload, int(task[1]) if task else 0)))


def calls(payload: str, task: int) -> list[Call]:
    name = " ".join(payload.split())
    note = {"category": "issue", "title": name, "content": payload, "source": name}
    ended = ("complete_task", {"task": task, "result": payload})
    wanted: list[tuple[str, dict[str, Any]]] = [
        ("echo", {"says": payload}),
        ("echo", {"says": payload, "fails": True}),
        ("echo", {"says": payload, "asks": True}),
        ("findings_write", note),
        ("ask_user", {"question": payload}),
        ("no_such_tool" + payload, {}),
        *([ended] if task else []),
        ("add_tasks", {"tasks": [name]}),
        ("plan_read", {}),
    ]
    return [Call(tool, params, f"c{at}") for at, (tool, params) in enumerate(wanted)]


def check(messages: Sequence[Message]) -> None:
    """See that every message has the shape that we gave it, whatever is in it."""
    assert [message.role for message in messages].count("system") == 1
    assert (messages[0].role, CANARY in messages[0].text) == ("system", False)
    for message in messages[1:]:
        tags = [tag for tag in blocks(message.text) if tag.strip("/") != "system"]
        if message.role == "tool":
            assert tags == [], message
        elif message.role == "user":
            assert len(tags) % 2 == 0, message
            assert all(two == f"/{one}" for one, two in list(pairwise(tags))[::2]), message
            if tags:
                own = ("", text("block_next"))
                rest = STOP_NOTE.sub("", BLOCK.sub("", message.text)).strip()
                lines = rest.splitlines() if tags == ["brief", "/brief"] else [rest]
                assert all(line in own or OPENING.match(line) for line in lines), message


class RepeatingPerson:
    """A person who pastes what they are shown."""

    async def answer(self, question: Question) -> str:
        return "yes" if question.kind == "permit" else question.text


def repeating_hook(context: HookContext, plan: PlanView | None) -> HookResult:
    said = f"{context.prompt}{context.tool_result}{plan.goal if plan else ''}"
    return HookResult(inject_context=said, notification=said)


def run_agent(payloads: Sequence[str], goal: str) -> tuple[ParrotModel, Plan]:
    parrot, plan = ParrotModel(payloads), memory_plan()
    loop = LoopSettings(max_iterations=len(payloads) + 5, context_characters=30_000)
    agent = AgentLoop(
        model=parrot,
        tools=(EchoTool(),),
        plan=plan,
        settings=Settings(loop=loop),
        person=RepeatingPerson(),
        hooks=(repeating_hook,),
    )
    agent.say(payloads[0])
    asyncio.run(agent.run(goal))
    return parrot, plan


def roles(parrot: ParrotModel) -> set[str]:
    """Look at all requests; return the roles in which the canary came."""
    for request in parrot.requests:
        check(request.messages)
    shown = (message for request in parrot.requests for message in request.messages)
    return {message.role for message in shown if CANARY in message.text}


def test_a1_some_of_the_corpus_through_a_whole_agent() -> None:
    parrot, _ = run_agent(PAYLOADS[::25], PAYLOADS[7])
    assert len(parrot.requests) > len(PAYLOADS[::25])
    assert roles(parrot) == {"user", "assistant", "tool"}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_a1_all_of_the_corpus_through_a_whole_agent(part: int) -> None:
    parrot, plan = run_agent(PAYLOADS[part::8], PAYLOADS[part])
    assert len(parrot.requests) > len(PAYLOADS) // 8
    assert roles(parrot) == {"user", "assistant", "tool"}
    assert any(CANARY in task.name for task in plan.tasks())
