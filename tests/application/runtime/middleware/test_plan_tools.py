"""R4.10, X3: the plan tools in a loop: commits with a key, and the to-do list in memory."""

import asyncio
import json
from typing import Any

from outlast.application.runtime.middleware.plan_tools import PlanTools, is_plan_tool
from outlast.application.runtime.run import Run
from outlast.application.tools.tool_sets import plan_tool_specs
from outlast.domain.commands import BeginAttempt
from outlast.domain.model import Attempt
from outlast.ports import effects as e
from outlast.ports.events import Todo, TodoUpdated
from outlast.ports.model import Call
from tests.making import make_plan


class Inner:
    """Records the effects that were passed on to it."""

    def __init__(self, run: Run) -> None:
        self.run, self.seen = run, list[e.Effect]()

    async def handle(self, effect: e.Effect) -> e.Reply:
        self.seen.append(effect)
        if isinstance(effect, e.Emit):
            return e.Emitted(self.run.now())
        return e.Acted(self.run.now(), self.run.view(), "let through")


class Table:
    """A plan, a run on it, and the middleware under test."""

    def __init__(self, *names: str) -> None:
        self.plan = make_plan(*names, actor="agent")
        self.run = Run(self.plan, self.plan.claim_plan(60).lease)
        self.inner = Inner(self.run)
        self.tools = PlanTools(self.inner, self.run)

    def begin(self, name: str) -> Attempt:
        """Begin an attempt as the loop does before it acts."""
        command = BeginAttempt(None, "act", f"{name} {{}}", token=self.run.token)
        self.run.commit((command,), self.run.view_after)
        return self.run.view().attempts[-1]

    def act(self, name: str, attempt: str = "", **params: Any) -> e.Acted:
        reply = asyncio.run(self.tools.handle(e.Act(Call(name, params), attempt=attempt)))
        assert isinstance(reply, e.Acted)
        return reply

    def settle(self, attempt: Attempt) -> e.Settled:
        reply = asyncio.run(self.tools.handle(e.Settle(attempt)))
        assert isinstance(reply, e.Settled)
        return reply


def test_a_call_is_answered_in_a_line_with_the_plan_as_it_is_then() -> None:
    table = Table("a", "b")
    acted = table.act("complete_task", task=1, result="made")
    assert (acted.output, acted.error) == ("1/2 done. Now 2.", "")
    assert acted.plan.current is not None
    assert acted.plan.current.id == 2


def test_a_refusal_has_its_code() -> None:
    acted = Table("a").act("complete_task", task=9, result="")
    assert (acted.output, acted.code) == ("", "TASK_NOT_FOUND")
    assert acted.error == "TASK_NOT_FOUND: Task with ID 9 not found"


def test_x8_a_refusal_is_in_the_language_of_the_run() -> None:
    table = Table("a")
    table.run.language = "zh"
    acted = table.act("complete_task", task=9, result="")
    assert acted.error == "TASK_NOT_FOUND: 找不到编号为 9 的任务"


def test_the_full_set_is_executed_too() -> None:
    table = Table("a")
    assert json.loads(table.act("startNextTask").output)["data"]["task"]["id"] == 1
    refused = table.act("completeTask", task_id=1)
    assert refused.code == "INVALID_ARGUMENT"
    assert json.loads(refused.error)["success"] is False


def test_asking_a_person_and_other_tools_pass() -> None:
    table = Table("a")
    assert "ask_user" in {spec.name for spec in plan_tool_specs()}
    assert not is_plan_tool("ask_user")
    assert table.act("ask_user", question="Which?").output == "let through"
    assert table.act("read_file", path="a").output == "let through"


def test_x3_a_call_that_was_made_is_settled_by_its_key() -> None:
    table = Table("a", "b")
    attempt = table.begin("complete_task")
    table.act("complete_task", attempt.id, task=1, result="made")
    settled = table.settle(attempt)
    assert (settled.settlement, settled.by) == ("done", "key")


def test_x3_a_call_that_was_not_made_never_will_be() -> None:
    table = Table("a", "b")
    attempt = table.begin("complete_task")
    assert table.settle(attempt).settlement == "not_done"
    late = table.act("complete_task", attempt.id, task=1, result="made")
    assert late.code == "INVALID_ARGUMENT"
    assert table.plan.task(1).status == "pending"


def test_x3_a_list_applied_half_way_can_safely_be_applied_again() -> None:
    table = Table("a")
    attempt = table.begin("todo_write")
    todos = [{"content": c, "status": "completed", "activeForm": ""} for c in ("a", "b")]
    table.act("todo_write", attempt.id, todos=todos, persist=True)
    assert table.settle(attempt).settlement == "not_done"
    table.act("todo_write", table.begin("todo_write").id, todos=todos, persist=True)
    assert [(task.name, task.status) for task in table.plan.tasks()] == [
        ("a", "completed"),
        ("b", "completed"),
    ]


def test_r4_10_the_list_in_memory_is_stored_and_emitted() -> None:
    table = Table("a")
    before = table.plan.revision
    todos = [{"content": "x", "status": "in_progress", "activeForm": "xing"}]
    assert table.act("todo_write", todos=todos).output.startswith("Todo list updated (0/1")
    assert table.tools.todos == (Todo("x", "in_progress", "xing"),)
    assert table.inner.seen == [e.Emit(TodoUpdated(table.tools.todos))]
    assert table.plan.revision == before
    table.act("todo_write", todos="x")
    assert len(table.inner.seen) == 1


def test_a5_secrets_in_a_call_do_not_reach_the_plan() -> None:
    table = Table("a")
    key = "sk-ant-" + "a1B2" * 8
    table.act("complete_task", task=1, result=f"with {key}")
    assert key not in str(table.plan.task(1).result)
