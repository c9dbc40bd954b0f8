"""R4.11: functions of users that raise, exit, hang or return anything: the agent goes on."""

import asyncio
import gc
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest

from outlast import AgentLoop, RunResult
from outlast.agent import events as v
from outlast.config.settings import Limits, Settings
from outlast.context.tool import PermissionRequest
from outlast.errors import ToolFailed
from outlast.model.model import Question
from outlast.models import Call
from outlast.testing import ScriptedModel, Turn
from outlast.tools import as_tool

HURRIED = Settings(limits=Limits(tool_seconds=0.05))  # for what never ends by itself


def fail() -> str:
    raise ValueError("bad \ud800")  # noqa: TRY003 - as people write it


def fail_in_words() -> str:
    raise ToolFailed("The printer is on fire")  # noqa: TRY003 - as people write it


def fail_without_details() -> str:
    raise ToolFailed("not_a_file", paths=3)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError


def fail_silently() -> str:
    raise Unspeakable


def leave() -> str:
    sys.exit(3)


async def leave_slowly() -> str:
    sys.exit(3)


def run_dry() -> str:
    raise StopIteration("dry")


async def give_up() -> str:
    raise asyncio.CancelledError


async def hang() -> str:
    await asyncio.sleep(100)
    return ""


def promise() -> Coroutine[Any, Any, str]:
    async def kept() -> str:
        return "kept"

    return kept()


def halve() -> str:
    return "half \ud800"


def nothing() -> None:
    return None


def riddle() -> object:
    return {"where": Path("a/b"), "much": complex(1, 2)}


def knot() -> object:
    tied: list[object] = []
    tied.append(tied)
    return tied


def ended(tool: Callable[..., Any]) -> v.CallEnded:
    """Let an agent call a function, and return what it was told of that."""
    events: list[Any] = []
    agent = AgentLoop(
        model=ScriptedModel([Turn(calls=(Call(tool.__name__),))]),
        tools=[tool],
        settings=HURRIED if tool is hang else Settings(),
        enable_planning=False,
        max_iterations=1,
        on_event=events.append,
    )
    assert asyncio.run(agent.run("Call it")).why == "limit"
    [told] = [event for event in events if isinstance(event, v.CallEnded)]
    return told


@pytest.mark.parametrize(
    ("tool", "output", "failed"),
    [
        (fail, "", "ValueError: bad \\ud800"),
        (fail_in_words, "", "The printer is on fire"),
        (fail_without_details, "", "not_a_file"),
        (fail_silently, "", "Unspeakable"),
        (leave, "", "RuntimeError: SystemExit(3)"),
        (leave_slowly, "", "RuntimeError: SystemExit(3)"),
        (run_dry, "", "RuntimeError: StopIteration: dry"),
        (give_up, "", "RuntimeError: CancelledError()"),
        (hang, "", "The tool took longer than 0.05 s"),
        (promise, "kept", ""),
        (halve, "half \\ud800", ""),
        (nothing, "null", ""),
        (riddle, '{"where":"a/b","much":"(1+2j)"}', ""),
        (knot, "[[...]]", ""),
    ],
)
def test_r4_11_whatever_a_function_does_the_agent_goes_on(
    tool: Callable[..., Any], output: str, failed: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = ended(tool)
        gc.collect()
    assert told.output == output
    assert told.error.startswith(failed)
    assert bool(told.error) == bool(failed)


def test_r4_11_who_cancels_an_agent_while_a_tool_runs_is_heard() -> None:
    async def cancelled() -> RunResult:
        agent: AgentLoop

        async def last() -> str:
            agent.cancel()
            await asyncio.sleep(100)
            return ""

        turns = [Turn(calls=(Call("last"),))]
        agent = AgentLoop(model=ScriptedModel(turns), tools=[last], enable_planning=False)
        return await agent.run("Call it")

    assert asyncio.run(cancelled()).why == "cancelled"


@pytest.mark.parametrize("by", ["agent", "task"])
def test_r4_11_a_tool_that_does_not_pass_it_on_keeps_no_agent_from_being_cancelled(by: str) -> None:
    async def cancelled() -> RunResult:
        agent: AgentLoop
        cancels: dict[str, Callable[[], object]] = {}

        async def deaf() -> str:
            cancels[by]()
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(100)
            return "I go on"

        model = ScriptedModel([Turn("I go on", "So do I"), Turn(calls=(Call("deaf"),))])
        agent = AgentLoop(model=model, tools=[deaf], enable_planning=False)
        running = asyncio.create_task(agent.run("Call it"))
        cancels |= {"agent": agent.cancel, "task": running.cancel}
        return await running

    if by == "agent":
        assert asyncio.run(cancelled()).why == "cancelled"
    else:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled())


@pytest.mark.parametrize("raised", [asyncio.CancelledError(), SystemExit(3), None])
def test_r4_11_whatever_a_person_does_the_agent_goes_on(raised: BaseException | None) -> None:
    class Odd:
        async def answer(self, question: Question) -> str | None:  # noqa: ARG002 - whatever it is
            if raised is not None:
                raise raised
            return cast("str", 5)

    tool = as_tool(permission_request=lambda _params: PermissionRequest("destructive", "all"))(
        nothing
    )
    model = ScriptedModel([Turn(calls=(Call("nothing"),))])
    agent = AgentLoop(
        model=model, tools=[tool], person=Odd(), enable_planning=False, max_iterations=1
    )
    assert asyncio.run(agent.run("Call it")).why == "limit"


RUNS = 20


def test_r4_11_nothing_is_left_open_by_many_runs(tmp_path: Path) -> None:
    def count(kind: str) -> int:
        gc.collect()
        return len(os.listdir(f"/proc/self/{kind}"))  # noqa: PTH208

    turns = [
        Turn("- Progress: 1/1", "Done"),
        Turn("- Current step: 1.", calls=(Call("complete_task", {"task": 1, "result": "x"}),)),
        Turn(calls=(Call("add_tasks", {"tasks": ["One"]}),)),
    ]

    def work(number: int) -> None:
        agent = AgentLoop(
            model=ScriptedModel(turns), tools=[nothing], workdir=tmp_path, key=f"k{number}"
        )
        assert asyncio.run(agent.run("Do one thing")).why == "finished"

    work(0)
    files, threads = count("fd"), count("task")
    for number in range(1, RUNS + 1):
        work(number)
    assert count("fd") <= files, "what other tests left may end meanwhile"
    assert count("task") < threads + RUNS, "the pools may grow to their limits, 16 threads"


HANGING = """
import asyncio, threading
from outlast import AgentLoop, RunResult
from outlast.config.settings import Limits, Settings
from outlast.models import Call
from outlast.testing import ScriptedModel, Turn
def hang() -> str:
    threading.Event().wait()
agent = AgentLoop(model=ScriptedModel([Turn("Failed", "Too slow"), Turn(calls=(Call("hang"),))]),
    tools=[hang], settings=Settings(limits=Limits(tool_seconds=0.05)), enable_planning=False)
print(asyncio.run(agent.run("Hang")).text)
"""


@pytest.mark.slow
def test_r4_11_a_function_that_never_returns_does_not_keep_the_process() -> None:
    shown = subprocess.run(  # noqa: S603 - our own lines
        [sys.executable, "-c", HANGING], capture_output=True, check=True, text=True, timeout=60
    )
    assert (shown.stdout, shown.stderr) == ("Too slow\n", "")
