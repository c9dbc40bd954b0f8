"""R4.10, X3: the plan's own tools in a loop: changes known by a key, the list in memory told."""

import asyncio
import json
from typing import Any

from outlast.application.runtime.middleware.plan_tools import PlanTools, owns
from outlast.application.runtime.run import Desk
from outlast.application.tools.sets import plan_tool_specs
from outlast.domain.commands import BeginAttempt
from outlast.domain.model import Attempt
from outlast.ports import effects as e
from outlast.ports.events import Todo, TodoUpdated
from outlast.ports.model import Call
from tests.making import make_plan


class Inner:
    """Remembers what was let through to it."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.seen = desk, list[e.Effect]()

    async def handle(self, effect: e.Effect) -> e.Reply:
        self.seen.append(effect)
        if isinstance(effect, e.Tell):
            return e.Told(self.desk.now())
        return e.Acted(self.desk.now(), self.desk.look(), "let through")


class Table:
    """A plan, somebody who works on it, and the wrapper that is looked at."""

    def __init__(self, *names: str) -> None:
        self.plan = make_plan(*names, actor="agent")
        self.desk = Desk(self.plan, self.plan.hold_plan(60).lease)
        self.inner = Inner(self.desk)
        self.tools = PlanTools(self.inner, self.desk)

    def begin(self, name: str) -> Attempt:
        """Begin an attempt as the loop does before it acts."""
        command = BeginAttempt(None, "act", f"{name} {{}}", token=self.desk.token)
        self.desk.commit((command,), self.desk.view_after)
        return self.desk.look().attempts[-1]

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
    assert (acted.output, acted.failed) == ("1/2 done. Now 2.", "")
    assert acted.plan.current is not None
    assert acted.plan.current.id == 2


def test_a_refusal_has_its_code() -> None:
    acted = Table("a").act("complete_task", task=9, result="")
    assert (acted.output, acted.code) == ("", "TASK_NOT_FOUND")
    assert acted.failed == "TASK_NOT_FOUND: Task with ID 9 not found"


def test_x8_a_refusal_is_in_the_language_of_the_run() -> None:
    table = Table("a")
    table.desk.language = "zh"
    acted = table.act("complete_task", task=9, result="")
    assert acted.failed == "TASK_NOT_FOUND: 找不到编号为 9 的任务"


def test_the_full_set_is_carried_out_too() -> None:
    table = Table("a")
    assert json.loads(table.act("startNextTask").output)["data"]["task"]["id"] == 1
    refused = table.act("completeTask", task_id=1)
    assert refused.code == "INVALID_ARGUMENT"
    assert json.loads(refused.failed)["success"] is False


def test_asking_a_person_and_other_tools_are_let_through() -> None:
    table = Table("a")
    assert "ask_user" in {spec.name for spec in plan_tool_specs()}
    assert not owns("ask_user")
    assert table.act("ask_user", question="Which?").output == "let through"
    assert table.act("read_file", path="a").output == "let through"


def test_x3_a_call_that_was_made_is_settled_by_its_key() -> None:
    table = Table("a", "b")
    attempt = table.begin("complete_task")
    table.act("complete_task", attempt.id, task=1, result="made")
    settled = table.settle(attempt)
    assert (settled.found, settled.by) == ("done", "key")


def test_x3_a_call_that_was_not_made_never_will_be() -> None:
    table = Table("a", "b")
    attempt = table.begin("complete_task")
    assert table.settle(attempt).found == "not_done"
    late = table.act("complete_task", attempt.id, task=1, result="made")
    assert late.code == "INVALID_ARGUMENT"
    assert table.plan.task(1).status == "pending"


def test_x3_a_list_that_was_followed_half_way_is_followed_again_to_no_harm() -> None:
    table = Table("a")
    attempt = table.begin("todo_write")
    todos = [{"content": c, "status": "completed", "activeForm": ""} for c in ("a", "b")]
    table.act("todo_write", attempt.id, todos=todos, persist=True)
    assert table.settle(attempt).found == "not_done"
    table.act("todo_write", table.begin("todo_write").id, todos=todos, persist=True)
    assert [(task.name, task.status) for task in table.plan.tasks()] == [
        ("a", "completed"),
        ("b", "completed"),
    ]


def test_r4_10_the_list_in_memory_is_kept_and_told() -> None:
    table = Table("a")
    before = table.plan.revision
    todos = [{"content": "x", "status": "in_progress", "activeForm": "xing"}]
    assert table.act("todo_write", todos=todos).output.startswith("Todo list updated (0/1")
    assert table.tools.todos == (Todo("x", "in_progress", "xing"),)
    assert table.inner.seen == [e.Tell(TodoUpdated(table.tools.todos))]
    assert table.plan.revision == before
    table.act("todo_write", todos="x")
    assert len(table.inner.seen) == 1


def test_a5_secrets_in_a_call_do_not_reach_the_plan() -> None:
    table = Table("a")
    key = "sk-ant-" + "a1B2" * 8
    table.act("complete_task", task=1, result=f"with {key}")
    assert key not in str(table.plan.task(1).result)
