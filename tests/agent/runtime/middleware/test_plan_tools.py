"""R4.10, X3: the plan tools in a loop: their commit is their outcome; the list in memory."""

import asyncio
import json
from typing import Any

from outlast.agent import effects as e
from outlast.agent.effects import Acted
from outlast.agent.events import Event, TodoUpdated
from outlast.agent.runtime.pipeline import main_lane
from outlast.agent.runtime.run import Run, is_plan_tool
from outlast.context.chat_model import Call
from outlast.language import Language
from outlast.model.changes import Charged
from outlast.plan.tools.calls import Todo
from outlast.plan.tools.tool_sets import plan_tool_specs
from tests.agent.runtime.poke_tool import recorded
from tests.agent.runtime.scene import parts
from tests.fake_model import FakeModel
from tests.making import make_plan


class Table:
    """A plan and a run on it, which calls the plan's tools."""

    def __init__(self, *names: str, language: Language = "en") -> None:
        self.plan = make_plan(*names, actor="agent")
        self.events: list[Event] = []
        self.needs = parts(self.plan, FakeModel(), listener=self.events.append, language=language)
        self.lease = self.plan.core.claim_plan(60).lease

    def call(self, name: str, **params: Any) -> e.Reply[Acted]:
        """Call a tool and commit what waits in the lane then."""

        async def perform() -> e.Reply[Acted]:
            lane = main_lane(Run(self.plan, self.lease, *self.needs))
            await lane.perform(e.Record())
            reply = await lane.perform(e.PlanTool(Call(name, params)))
            await lane.finish()
            return reply

        return asyncio.run(perform())

    def act(self, name: str, **params: Any) -> Acted:
        return self.call(name, **params).outcome


def test_a_call_is_answered_in_a_line_with_the_plan_as_it_is_then() -> None:
    table = Table("a", "b")
    reply = table.call("complete_task", task=1, result="made")
    assert (reply.outcome.output, reply.outcome.error) == ("1/2 done. Now 2.", "")
    assert reply.plan.current is not None
    assert reply.plan.current.id == 2


def test_a_refusal_has_its_code() -> None:
    acted = Table("a").act("complete_task", task=9, result="")
    assert (acted.output, acted.code) == ("", "TASK_NOT_FOUND")
    assert acted.error == "TASK_NOT_FOUND: Task with ID 9 not found"


def test_x8_a_refusal_is_in_the_language_of_the_run() -> None:
    acted = Table("a", language="zh").act("complete_task", task=9, result="")
    assert acted.error == "TASK_NOT_FOUND: 找不到编号为 9 的任务"


def test_the_full_set_is_executed_too() -> None:
    table = Table("a")
    assert json.loads(table.act("startNextTask").output)["data"]["task"]["id"] == 1
    refused = table.act("completeTask", task_id=1)
    assert refused.code == "INVALID_ARGUMENT"
    assert json.loads(refused.error)["success"] is False


def test_asking_a_person_is_left_to_the_loop() -> None:
    assert "ask_user" in {spec.name for spec in plan_tool_specs()}
    assert not is_plan_tool("ask_user")
    assert (
        Table("a").act("ask_user", question="Which?").error
        == "The tool ask_user is not available here"
    )


def test_x3_a_call_is_no_attempt_its_commit_is_its_outcome() -> None:
    table = Table("a", "b")
    table.act("complete_task", task=1, result="made")
    assert recorded(table.plan) == []
    assert [task.status for task in table.plan.tasks()] == ["completed", "in_progress"]


def test_x4_a_call_is_charged_as_planning() -> None:
    table = Table("a", "b")
    table.act("complete_task", task=1, result="made")
    assert (table.plan.budget.cost().tool_calls, table.plan.budget.cost().replans) == (1, 0)
    assert table.plan.budget.planning_cost().tool_calls == 1
    changes = [change for commit in table.plan.history.commits() for change in commit.changes]
    assert len([change for change in changes if isinstance(change, Charged)]) == 1


def test_x3_a_list_can_safely_be_applied_again() -> None:
    table = Table("a")
    todos = [{"content": c, "status": "completed", "activeForm": ""} for c in ("a", "b")]
    for _ in range(2):
        table.act("todo_write", todos=todos, persist=True)
    assert [(task.name, task.status) for task in table.plan.tasks()] == [
        ("a", "completed"),
        ("b", "completed"),
    ]


def test_r4_10_the_list_in_memory_is_emitted() -> None:
    table = Table("a")
    tasks = table.plan.tasks()
    todos = [{"content": "x", "status": "in_progress", "activeForm": "xing"}]
    assert table.act("todo_write", todos=todos).output.startswith("Todo list updated (0/1")
    expected = TodoUpdated((Todo("x", "in_progress", "xing"),))
    assert [event for event in table.events if isinstance(event, TodoUpdated)] == [expected]
    assert table.plan.tasks() == tasks
    table.act("todo_write", todos="x")
    assert len([event for event in table.events if isinstance(event, TodoUpdated)]) == 1


def test_a5_secrets_in_a_call_do_not_reach_the_plan() -> None:
    table = Table("a")
    key = "sk-ant-" + "a1B2" * 8
    table.act("complete_task", task=1, result=f"with {key}")
    assert table.plan.task(1).result == "with [redacted]"
