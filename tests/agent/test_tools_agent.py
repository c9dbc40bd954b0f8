"""R1.11: the agent `tools`: the model of the run carries out tasks itself, in real files."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from outlast import Budget, NewTask, create_plan, open_plan
from outlast.agent.agent_loop import RunResult
from outlast.agent.tools.choice import built_in_tools
from outlast.agent.work import AgentSetup
from outlast.context.chat_model import Call, Price, Reply, Usage
from outlast.errors import ModelFailed, WrongUsage
from outlast.model.commands import AddTasks
from outlast.model.execute import return_commit
from outlast.model.model import Question
from outlast.orchestrator.known_agents import find_agent
from outlast.orchestrator.orchestrator_loop import OrchestratorLoop
from tests.fake_model import FakeModel, ModelRequest

NEXT = json.dumps({"decision": "next", "reason": "the file is there"})
RETRY = json.dumps({"decision": "retry", "reason": "not so", "advice": "write it in capitals"})


def report(status: str = "SUCCESS", results: str = "wrote it") -> Call:
    answer = {"status": status, "results": results, "pitfalls": "", "next_steps": ""}
    return Call("submit_report", answer, "r1")


class Worker(FakeModel):
    """A model that answers each order from a script of its own, and judges every report."""

    def __init__(self, work: dict[str, list[Any]], verdicts: tuple[str, ...] = ()) -> None:
        super().__init__(price=Price(1.0, 1.0))
        self.work, self.verdicts = work, list(verdicts)
        self.orders: list[ModelRequest] = []

    async def reply(self, request: ModelRequest) -> Reply:
        system, user = request.messages[0].text, request.messages[1].text
        await asyncio.sleep(0.01)
        if system.startswith("You carry out one task"):
            self.orders.append(request)
            said = self.work[next(name for name in self.work if name in user)].pop(0)
            words, calls = (said, ()) if isinstance(said, str) else ("", said)
            return Reply(words, tuple(calls), Usage(10, 5))
        if system.startswith("You evaluate"):
            return Reply(self.verdicts.pop(0) if self.verdicts else NEXT, (), Usage(10, 5))
        return Reply("All is done.", (), Usage(10, 5))


def write(path: str, content: str = "x") -> Call:
    return Call("write_file", {"path": path, "content": content}, f"w-{path}")


def run(tmp_path: Path, model: FakeModel, *tasks: NewTask, **options: Any) -> RunResult:
    with create_plan(tmp_path, "Write files", "k") as plan:
        plan.core.commit((AddTasks(tasks),), return_commit)
    return again(tmp_path, model, **options)


def again(tmp_path: Path, model: FakeModel, **options: Any) -> RunResult:
    options = {"tools": built_in_tools(str(tmp_path)), **options}
    loop = OrchestratorLoop(
        agent=find_agent("tools", AgentSetup(str(tmp_path))),
        model=model,
        workdir=tmp_path,
        key="k",
        **options,
    )
    return asyncio.run(asyncio.wait_for(loop.run("continue", resume=True), 30))


def test_r1_11_the_model_of_the_run_carries_out_tasks_side_by_side(tmp_path: Path) -> None:
    model = Worker(
        {"alpha": [[write("a.txt")], [report()]], "beta": [[write("b.txt")], [report()]]}
    )
    tasks = (NewTask("alpha", files=("a.txt",)), NewTask("beta", files=("b.txt",)))
    ended = run(tmp_path, model, *tasks, parallel=2)
    assert (ended.status, ended.answer) == ("completed", "All is done.")
    assert (tmp_path / "a.txt").read_text() == (tmp_path / "b.txt").read_text() == "x"
    with open_plan(tmp_path, "k") as plan:
        assert [task.result for task in plan.tasks()] == ["wrote it", "wrote it"]
    assert ended.spent.tokens == len(model.requests) * 15, "each call once"
    assert ended.spent.tool_calls == 2


def test_r1_06_a_second_attempt_knows_the_advice_and_what_the_first_has_done(
    tmp_path: Path,
) -> None:
    work = [[write("a.txt")], [report()], [write("a.txt", "X")], [report()]]
    model = Worker({"alpha": work}, (RETRY, NEXT))
    assert run(tmp_path, model, NewTask("alpha")).status == "completed"
    conversation = model.orders[2].messages
    assert "write it in capitals" in conversation[-1].text
    assert any(call.name == "write_file" for message in conversation for call in message.calls)
    assert (tmp_path / "a.txt").read_text() == "X"


def test_r1_10_with_the_permission_to_read_it_gets_no_other_tools(tmp_path: Path) -> None:
    model = Worker({"alpha": [[write("a.txt")], [report("FAILED", "may not write")]]})
    model.verdicts = [json.dumps({"decision": "abort", "reason": "it may not write"})]
    run(tmp_path, model, NewTask("alpha"), permissions="read")
    offered = {tool.name for tool in model.orders[0].tools}
    assert {"read_file", "submit_report"} <= offered
    assert offered.isdisjoint({"write_file", "edit_file", "bash"})
    assert "Unknown tool" in model.orders[1].messages[-1].text
    assert not (tmp_path / "a.txt").exists()


@pytest.mark.parametrize("permissions", ["edit", "full"])
def test_r1_10_what_may_destroy_needs_a_person_or_full_permissions(
    tmp_path: Path, permissions: Any
) -> None:
    (tmp_path / "old").mkdir()
    remove = Call("bash", {"command": "rm -rf old"}, "c1")
    is_allowed = permissions == "full"
    ending = report() if is_allowed else report("FAILED", "may not remove")
    ended = run(
        tmp_path, Worker({"alpha": [[remove], [ending]]}), NewTask("alpha"), permissions=permissions
    )
    assert (tmp_path / "old").exists() is not is_allowed
    assert (ended.status == "completed") is is_allowed
    with open_plan(tmp_path, "k") as plan:
        asked = [question.text for question in plan.questions.open()]
    assert any("bash" in question for question in asked) is not is_allowed, "a denial is a question"


def test_r1_11_the_budget_of_the_plan_holds_for_its_work(tmp_path: Path) -> None:
    model = Worker({"alpha": [[write(f"{n}.txt")] for n in range(9)]})
    ended = run(tmp_path, model, NewTask("alpha"), budget=Budget(tool_calls=3))
    assert ended.why == "budget"
    assert sorted(path.name for path in tmp_path.glob("*.txt")) == ["0.txt", "1.txt", "2.txt"]
    more = Worker({"alpha": [[report()]]})
    assert again(tmp_path, more, budget=Budget(tool_calls=9)).status == "completed"


def test_f13_a_model_that_fails_stops_the_run_and_not_the_task(tmp_path: Path) -> None:
    class Broken(Worker):
        async def reply(self, request: ModelRequest) -> Reply:
            del request
            raise ModelFailed("reply_wrong", problem="down", usage=None)

    ended = run(tmp_path, Broken({}), NewTask("alpha"))
    assert (ended.why, ended.status) == ("model_failed", "paused")
    assert again(tmp_path, Worker({"alpha": [[report()]]})).status == "completed"


def test_r1_06_who_waits_for_a_person_leaves_the_slot_to_others(tmp_path: Path) -> None:
    answered = asyncio.Event()

    class Slow:
        async def answer(self, question: Question) -> str | None:
            del question
            await answered.wait()
            return "yes"

    class Second(Worker):
        async def reply(self, request: ModelRequest) -> Reply:
            if "# Task\nbeta" in request.messages[1].text:
                answered.set()
            return await super().reply(request)

    (tmp_path / "old").mkdir()
    remove = Call("bash", {"command": "rm -rf old"}, "c1")
    model = Second({"alpha": [[remove], [report()]], "beta": [[report()]]})
    tasks = (NewTask("alpha", files=("a",)), NewTask("beta", files=("b",)))
    assert run(tmp_path, model, *tasks, parallel=1, person=Slow()).status == "completed"
    assert not (tmp_path / "old").exists()


def test_r1_11_it_needs_a_model(tmp_path: Path) -> None:
    agent = find_agent("tools", AgentSetup(str(tmp_path)))
    with pytest.raises(WrongUsage, match="--model"):
        OrchestratorLoop(agent=agent, workdir=tmp_path)
