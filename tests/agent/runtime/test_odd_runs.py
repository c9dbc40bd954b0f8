"""Runs of an agent on files in which models, people and settings do odd things."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, Budget, Check, create_plan, open_plan
from outlast.agent.agent_loop import RunResult
from outlast.agent.events import Notified, Said
from outlast.config.settings import Settings
from outlast.context.chat_model import Call, Reply
from outlast.hooks.port import HookContext, HookResult
from outlast.model.model import PERSON
from tests.agent.runtime.poke_tool import Poke
from tests.fake_model import FakeModel, ModelRequest

GOAL = "Sort the reports"
STEPS = Reply("[Step] One\n[Step] Two", (Call("poke", {}, "p1"),))


def go(
    path: Path, message: str, *replies: Any, **options: Any
) -> tuple[RunResult, FakeModel, list[Any]]:
    model, events = FakeModel(replies), list[Any]()
    agent = AgentLoop(
        model=model, tools=[Poke()], workdir=path, key="k", on_event=events.append, **options
    )
    return asyncio.run(agent.run(message)), model, events


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "text",
        Reply(None),  # type: ignore[arg-type]
        Reply("x", None),  # type: ignore[arg-type]
        Reply("x", (Call("ask_user", ["question"], "1"),)),  # type: ignore[arg-type]
        Reply("x", (Call("poke", {"object": object()}, "1"),)),
        Reply("x", (Call(3, {}, "1"),)),  # type: ignore[arg-type]
        Reply("half \ud800"),
    ],
)
def test_r4_11_a_malformed_reply_is_a_failure_of_the_model(tmp_path: Path, reply: Any) -> None:
    stopped, _, _ = go(tmp_path, GOAL, STEPS, reply)
    assert (stopped.status, stopped.why) == ("paused", "model_failed")
    assert "The model's reply is malformed" in stopped.text


def test_r0_03_after_a_task_is_cancelled_in_the_middle_the_next_message_is_a_new_one(
    tmp_path: Path,
) -> None:
    go(tmp_path, GOAL, STEPS, max_iterations=1)
    assert go(tmp_path, "取消")[0].why == "cancelled"
    stopped, _, events = go(tmp_path, "Good day", Reply("Hello"))
    assert (stopped.status, stopped.why) == ("idle", "answered")
    assert stopped.text == stopped.answer == "Hello"
    assert Said("Hello") in events
    stopped, _, _ = go(tmp_path, "Another thing", STEPS, Reply("[Done]"), max_iterations=2)
    assert (stopped.status, stopped.why) == ("paused", "limit")
    with open_plan(tmp_path, "k") as plan:
        assert (plan.goal, plan.iteration_count) == ("Another thing", 2)
        assert [task.status for task in plan.tasks()] == ["completed", "in_progress"]


def test_r0_03_beside_a_paused_plan_the_model_is_not_asked_for_steps(tmp_path: Path) -> None:
    go(tmp_path, GOAL, STEPS, max_iterations=1)
    _, model, _ = go(tmp_path, "How far are you?", Reply("[Step] Three\n[Done]"))
    assert "[Step]" not in "".join(message.text for message in model.requests[0].messages)
    with open_plan(tmp_path, "k") as plan:
        assert [task.status for task in plan.tasks()] == ["in_progress", "pending"]


def test_m8_lone_surrogates_in_a_message_do_no_harm(tmp_path: Path) -> None:
    stopped, _, _ = go(tmp_path, "Sort \ud800 it", STEPS, Reply("[Done]"), max_iterations=2)
    assert stopped.why == "limit"
    with open_plan(tmp_path, "k") as plan:
        assert plan.goal == "Sort ? it"


def test_r4_12_without_automatic_plans_todo_write_creates_one(tmp_path: Path) -> None:
    todo = {"content": "One", "status": "pending", "activeForm": "Doing one"}
    untitled = Call("todo_write", {"todos": [todo], "persist": True}, "t1")
    titled = Call("todo_write", {**untitled.params, "planTitle": "Reports"}, "t2")
    replies = (Reply("", (untitled,)), Reply("", (titled,)), Reply("[Done]"))
    settings = Settings(auto_create_plan=False)
    stopped, model, _ = go(tmp_path, GOAL, *replies, settings=settings)
    assert (stopped.status, stopped.why) == ("completed", "finished")
    told = model.requests[1].messages[-1].text
    assert told == "Failed: planTitle is required when creating a new persistent plan"
    with open_plan(tmp_path, "k") as plan:
        assert (plan.goal, plan.core.read(lambda state: state.title)) == (GOAL, "Reports")


def test_r4_11_a_run_that_never_waits_can_be_cancelled(tmp_path: Path) -> None:
    agents: list[AgentLoop] = []

    class Hasty(FakeModel):
        async def reply(self, request: ModelRequest) -> Reply:
            reply = await super().reply(request)
            if len(self.requests) == 2:
                agents[0].cancel()
            return reply

    model = Hasty([STEPS] * 9)
    agents.append(AgentLoop(model=model, tools=[Poke()], workdir=tmp_path, key="k"))
    stopped = asyncio.run(agents[0].run(GOAL))
    assert (stopped.status, stopped.why) == ("paused", "cancelled")
    assert len(model.requests) == 2


def test_r4_08_a_limit_for_something_else_does_not_let_a_model_stop(tmp_path: Path) -> None:
    replies = (STEPS, *(Reply("I stop") for _ in range(4)))
    _, model, _ = go(tmp_path, GOAL, *replies, budget=Budget(replans=0))
    assert len(model.requests) == 5
    (tmp_path / "spent").mkdir()
    _, model, _ = go(tmp_path / "spent", GOAL, *replies, budget=Budget(model_calls=2))
    assert len(model.requests) == 2, "nobody is held up who has nothing left to go on with"


def test_x8_errors_are_reported_in_chinese(tmp_path: Path) -> None:
    with create_plan(tmp_path, GOAL, "k", order="sequential", actor=PERSON) as plan:
        plan.add("一", checks=[Check("file", "a.txt")])
    stopped, model, _ = go(tmp_path, GOAL, Reply("[完成]", STEPS.calls), None, language="zh")
    told = model.requests[1].messages[-2].text
    assert "步骤 1（一）还没有完成：\n任务 1 尚未完成：a.txt: 文件不存在" in told
    assert stopped.text == "模型失败：模型的回复格式有误（NoneType）"


def test_r4_04_a_hook_that_exits_is_ignored(tmp_path: Path) -> None:
    def leave(_context: HookContext, _plan: Any) -> HookResult:
        raise SystemExit(3)

    stopped, _, events = go(tmp_path, GOAL, Reply("Hello"), hooks=[leave])
    assert stopped.why == "answered"
    (said,) = (one.text for one in events if isinstance(one, Notified))
    assert said.startswith("The hook ")
    assert "(SystemExit)" in said
