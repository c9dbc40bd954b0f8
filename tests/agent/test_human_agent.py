"""R1.11: the agent `human`: a person carries out the tasks, now or days later."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from outlast import NewTask, create_plan, open_plan
from outlast.agent.agent_loop import RunResult
from outlast.agent.work import AgentSetup, WorkOrder, WorkProgress
from outlast.errors import AgentUnavailable
from outlast.model.model import Check, Question
from outlast.orchestrator.known_agents import find_agent
from outlast.orchestrator.orchestrator_loop import OrchestratorLoop

DOOR = NewTask(
    "Paint the door",
    description="Green, two coats.",
    expected="a green door",
    checks=(Check("file", "door.txt"),),
)


class Painter:
    """A person who is present, and answers from a list."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked = [*answers], list[str]()

    async def answer(self, question: Question) -> str | None:
        self.asked.append(question.text)
        return self.answers.pop(0) if self.answers else None


def work(tmp_path: Path, person: Any = None) -> RunResult:
    agent = find_agent("human", AgentSetup(str(tmp_path)))
    loop = OrchestratorLoop(agent=agent, workdir=tmp_path, key="k", person=person, yes=True)
    return asyncio.run(asyncio.wait_for(loop.run("continue", resume=True), 30))


def plan(tmp_path: Path, *tasks: NewTask) -> None:
    with create_plan(tmp_path, "A house", "k") as created:
        created.add_all(tasks)


def test_r1_11_a_person_who_is_there_is_shown_the_task_and_says_how_it_ended(
    tmp_path: Path,
) -> None:
    plan(tmp_path, DOOR)
    (tmp_path / "door.txt").write_text("green")
    person = Painter("done with a new brush")
    assert work(tmp_path, person).status == "completed"
    (asked,) = person.asked
    for part in ("Task 1 'Paint the door' is yours", "two coats", "a green door", "door.txt"):
        assert part in asked
    with open_plan(tmp_path, "k") as opened:
        (task,) = opened.tasks()
        assert (task.result, task.how) == ("with a new brush", "proved")


def test_r1_11_without_a_person_the_plan_waits_and_any_answer_later_counts(tmp_path: Path) -> None:
    plan(tmp_path, NewTask("Paint"), NewTask("Hang", peers=(1,)))
    assert work(tmp_path).why == "waiting"
    assert work(tmp_path).why == "waiting", "nothing is asked twice"
    with open_plan(tmp_path, "k") as opened:
        (question,) = opened.questions.open()
        opened.questions.answer("done", question.id)
    assert work(tmp_path).why == "waiting"
    with open_plan(tmp_path, "k") as opened:
        assert [task.status for task in opened.tasks()] == ["completed", "in_progress"]
        (question,) = opened.questions.open()
        assert "Hang" in question.text
        opened.questions.answer("skip it hangs already", question.id)
    assert work(tmp_path).status == "completed"
    with open_plan(tmp_path, "k") as opened:
        assert [task.status for task in opened.tasks()] == ["completed", "skipped"]


def test_x2_a_person_who_is_wrong_is_asked_again(tmp_path: Path) -> None:
    plan(tmp_path, DOOR)

    class Forgetful(Painter):
        async def answer(self, question: Question) -> str | None:
            if self.asked:
                await asyncio.to_thread((tmp_path / "door.txt").write_text, "green")
            return await super().answer(question)

    person = Forgetful("done", "done")
    assert work(tmp_path, person).status == "completed"
    assert "door.txt" in person.asked[1].partition("differently")[2], "what is missing"


def test_r1_11_outside_of_a_run_nobody_could_be_asked(tmp_path: Path) -> None:
    agent = find_agent("human", AgentSetup(str(tmp_path)))
    with pytest.raises(AgentUnavailable, match="inside a run"):
        asyncio.run(agent.work(WorkOrder("task-1", 1, "a"), WorkProgress()))


def test_x3_an_order_that_nobody_was_asked_about_is_not_done(tmp_path: Path) -> None:
    agent = find_agent("human", AgentSetup(str(tmp_path)))
    result = asyncio.run(agent.settle("task-1", ""))
    assert result is not None
    assert result.report is None
    asyncio.run(agent.end_session(""))
