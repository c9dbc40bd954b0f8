"""R1.14: the names of the Plan Agent document as thin faces."""

import asyncio
import json
import threading
from pathlib import Path

import pytest

from outlast import LLM, CodingBridge, Orchestrator
from outlast.context.chat_model import Reply
from outlast.errors import InvalidArgument, InvalidDocument, InvalidSetting, ModelFailed
from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
from outlast.orchestrator.agents.mailbox.worker import Worker
from outlast.system.clock import new_uuid
from tests.fake_model import FakeModel
from tests.orchestrator.fake_agents import FakeAgent

TASKS = json.dumps({"tasks": [{"name": "first"}, {"name": "second", "needs": [1]}]})
NEXT = json.dumps({"decision": "next", "reason": "it is done", "advice": None})
REPORT = """---
status: SUCCESS
session_id: s-9
---
## 核心成果
写好了
## 填坑记录
无
"""


def planner(*answers: str) -> FakeModel:
    return FakeModel(map(Reply, answers))


def test_r1_14_a_goal_is_planned_carried_out_and_summed_up(tmp_path: Path) -> None:
    model, agent = planner(TASKS, NEXT, NEXT, "All is done."), FakeAgent()
    orchestrator = Orchestrator(model, agent=agent, workdir=tmp_path)
    assert orchestrator.run("Do both") == "All is done."
    assert [order.name for order in agent.orders] == ["first", "second"]
    assert [step["status"] for step in orchestrator.steps] == ["completed", "completed"]
    assert (orchestrator.current_step, orchestrator.session_id) == (2, None)


def test_r1_14_plan_gives_the_steps_and_carries_out_none(tmp_path: Path) -> None:
    agent = FakeAgent()
    orchestrator = Orchestrator(planner(TASKS), agent=agent, workdir=tmp_path)
    steps = orchestrator.plan("Do both")
    assert [step["name"] for step in steps] == ["first", "second"]
    assert (orchestrator.current_step, orchestrator.retry_count, agent.orders) == (0, 0, [])
    again = Orchestrator(planner(), agent=agent, workdir=tmp_path)
    assert again.plan("Do both") == steps, "planned once"


def test_r1_14_a_verdict_is_equal_to_its_word_and_has_a_reason(tmp_path: Path) -> None:
    model = planner(TASKS, "no JSON at all", NEXT)
    orchestrator = Orchestrator(model, agent=FakeAgent(), workdir=tmp_path)
    orchestrator.plan("Do both")
    verdict = orchestrator.evaluate({"status": "SUCCESS", "results": "done", "session_id": None})
    assert verdict == "next"
    assert (verdict.reason, verdict.advice) == ("it is done", "")


def test_r1_14_a_model_that_never_answers_in_the_contract_has_failed(tmp_path: Path) -> None:
    model = planner(TASKS, "a", "b", "c")
    orchestrator = Orchestrator(model, agent=FakeAgent(), workdir=tmp_path)
    orchestrator.plan("Do both")
    with pytest.raises(ModelFailed):
        orchestrator.evaluate({"status": "SUCCESS"})
    with pytest.raises(ModelFailed):
        Orchestrator(planner("a", "b", "c"), agent=FakeAgent(), workdir=tmp_path).plan("Other")


def test_r1_14_an_orchestrator_needs_one_agent_and_a_goal(tmp_path: Path) -> None:
    bridge = CodingBridge(tmp_path / "volumes")
    for wrong in ({}, {"agent": FakeAgent(), "bridge": bridge}):
        with pytest.raises(InvalidArgument):
            Orchestrator(planner(), workdir=tmp_path, **wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument):
        Orchestrator(planner(), bridge=bridge, workdir=tmp_path).execute_loop()


def test_r1_14_the_bridge_writes_the_command_of_the_document(tmp_path: Path) -> None:
    bridge, command = CodingBridge(tmp_path / "volumes"), new_uuid()
    path = Path(bridge.send_task(command, "写一封信", None, "new"))
    assert path == tmp_path / "volumes" / "commands" / "pending" / f"task-{command}.md"
    lines = path.read_text().splitlines()
    assert lines[1] == f"id: task-{command}"
    assert [line.partition(":")[0] for line in lines[1:5]] == [
        "id",
        "created_at",
        "session_id",
        "command_type",
    ]
    assert [line for line in lines if line.startswith("## ")] == [
        "## 任务描述",
        "## 约束条件",
        "## 预期输出",
    ]
    with pytest.raises(InvalidArgument):
        bridge.send_task("../x", "no")


def test_r1_14_the_bridge_waits_for_the_report_and_reads_it(tmp_path: Path) -> None:
    bridge, command = CodingBridge(tmp_path / "volumes"), new_uuid()
    bridge.send_task(command, "写一封信")
    with pytest.raises(TimeoutError):
        bridge.wait_for_report(new_uuid(), 0.05)
    path = tmp_path / "volumes" / "reports" / "pending" / f"report-task-{command}.md"
    path.write_text(REPORT)
    assert bridge.parse_report(path)["results"] == "写好了"
    report = bridge.wait_for_report(command, 30)
    assert {name: report[name] for name in ("id", "status", "session_id")} == {
        "id": f"task-{command}",
        "status": "SUCCESS",
        "session_id": "s-9",
    }
    assert set(report) == {
        *("id", "status", "session_id", "results", "pitfalls", "next_steps", "content")
    }
    with pytest.raises(InvalidDocument):
        bridge.parse_report(tmp_path / "none.md")


def test_r1_14_a_bridge_can_be_configured_and_takes_nothing_odd(tmp_path: Path) -> None:
    bridge = CodingBridge(tmp_path / "v", commands="in/new", reports="out", poll=0.1)
    path = Path(bridge.send_task(new_uuid().upper(), "写一封信", "s-1", "continue"))
    assert path.parent == tmp_path / "v" / "in" / "new"
    assert "session_id: s-1\ncommand_type: continue\n" in path.read_text()
    with pytest.raises(InvalidArgument):
        bridge.send_task(new_uuid(), "写一封信", "s-1\ncommand_type: end")
    with pytest.raises(InvalidSetting):
        CodingBridge(tmp_path / "v", commands="../in")
    with pytest.raises(InvalidSetting):
        CodingBridge(tmp_path / "v", poll=0)
    (tmp_path / "r.md").symlink_to("/etc/passwd")
    with pytest.raises(InvalidDocument):
        bridge.parse_report(tmp_path / "r.md")
    with pytest.raises(InvalidDocument, match="cannot be used"):
        bridge.parse_report("/proc/none/r.md")


def test_r1_14_an_orchestrator_works_through_a_bridge(tmp_path: Path) -> None:
    bridge, agent = CodingBridge(tmp_path / "volumes", poll=0.05), FakeAgent()
    worker = Worker(Mailbox(str(tmp_path / "volumes")), agent)
    stop = threading.Event()

    async def serve() -> None:
        while not stop.is_set():
            if not await worker.work_once():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        model = planner(TASKS, NEXT, NEXT, "Done.")
        assert Orchestrator(model, bridge=bridge, workdir=tmp_path).run("Do both") == "Done."
    finally:
        stop.set()
        thread.join()
    assert len(agent.orders) == 2


def test_r1_14_a_model_answers_one_message_also_inside_a_running_loop() -> None:
    assert LLM(planner("hello")).call("Be brief", "Greet") == "hello"

    async def inside() -> str:
        return LLM(planner("hello")).call("Be brief", "Greet")

    assert asyncio.run(inside()) == "hello"
