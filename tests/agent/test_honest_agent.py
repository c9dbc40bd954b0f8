"""R0.03, R0.05, R4.08, M4 through `AgentLoop`: what a model says, on plans in files."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, NewTask, create_plan, open_plan
from outlast.agent.agent_loop import RunResult
from outlast.agent.events import Asked, Event
from outlast.config.settings import LoopSettings, Settings
from outlast.context.chat_model import Call, Reply
from outlast.model.model import Question
from tests.agent.runtime.poke_tool import Poke
from tests.fake_model import FakeModel

GOAL = "Sort the reports"
PROPOSAL = Reply("My plan:\n1. [Step] Fetch\n2. [Step] Sort\nShall I begin?")
POKE = (Call("poke", {}, "p"),)
WORK = (Reply("[Done]", POKE), Reply("[Done] All sorted."))


class Present:
    """A person who answers."""

    def __init__(self, *answers: str) -> None:
        self._answers, self.asked = iter(answers), list[str]()

    async def answer(self, question: Question) -> str | None:
        self.asked.append(question.text)
        return next(self._answers, None)


class Office:
    """Runs agents on the plan of one key."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.path, self.options, self.events = path, options, list[Event]()

    def agent(self, *replies: Reply, **options: Any) -> AgentLoop:
        self.model = FakeModel(replies)
        return AgentLoop(
            model=self.model,
            tools=[Poke()],
            workdir=self.path,
            key="k",
            on_event=self.events.append,
            **self.options,
            **options,
        )

    def run(self, message: str, *replies: Reply, **options: Any) -> RunResult:
        return asyncio.run(self.agent(*replies, **options).run(message))


def test_r0_03_with_nobody_to_ask_declared_steps_begin(tmp_path: Path) -> None:
    office = Office(tmp_path)
    assert office.run(GOAL, PROPOSAL, *WORK).status == "completed"
    assert not any(isinstance(event, Asked) for event in office.events)


@pytest.mark.parametrize("is_restarted", [False, True])
def test_r0_03_a_yes_in_the_next_run_begins_the_plan(tmp_path: Path, *, is_restarted: bool) -> None:
    office = Office(tmp_path, ask=True)
    agent = office.agent(PROPOSAL, *(() if is_restarted else WORK))
    first = asyncio.run(agent.run(GOAL))
    assert (first.status, first.why, first.answer) == ("paused", "waiting", PROPOSAL.text)
    with open_plan(tmp_path, "k") as plan:
        assert [task.status for task in plan.tasks()] == ["pending", "pending"]
        assert [question.text for question in plan.questions.open()] == ["Begin?"]
    second = office.run("yes", *WORK) if is_restarted else asyncio.run(agent.run("yes"))
    assert (second.status, second.answer) == ("completed", "All sorted.")
    with open_plan(tmp_path, "k") as plan:
        assert (plan.goal, len(plan.tasks())) == (GOAL, 2)


def test_r0_03_questions_can_be_allowed_by_a_setting(tmp_path: Path) -> None:
    settings = Settings(loop=LoopSettings(ask_unattended=True))
    assert Office(tmp_path).run(GOAL, PROPOSAL, settings=settings).why == "waiting"


def test_r0_03_a_person_who_is_there_agrees_at_once(tmp_path: Path) -> None:
    person = Present("好的，开始吧")
    result = Office(tmp_path, person=person, language="zh").run(GOAL, PROPOSAL, *WORK)
    assert (result.status, person.asked) == ("completed", ["开始吗？"])


def test_r0_05_a_marker_names_any_task_of_a_large_plan(tmp_path: Path) -> None:
    with create_plan(tmp_path, GOAL, "k", order="graph") as plan:
        plan.add_all([NewTask(f"Task {number}") for number in range(1, 61)])
    office = Office(tmp_path)
    result = office.run("Go on", Reply("[Done] Task 50", POKE), max_iterations=1)
    assert result.why == "limit"
    with open_plan(tmp_path, "k") as plan:
        assert [task.id for task in plan.tasks("completed")] == [50]


def test_r4_08_a_plain_question_goes_to_a_person_who_is_there(tmp_path: Path) -> None:
    person, asked = Present("The first"), Reply("There are two lists.\n\nWhich one?")
    office = Office(tmp_path, person=person)
    result = office.run(GOAL, Reply("[Step] Sort", POKE), asked, Reply("[Done] Sorted."))
    assert (result.status, person.asked) == ("completed", ["Which one?"])
    assert office.model.requests[-1].messages[-2].text == "The first"


def test_r4_08_unattended_a_plain_question_is_held_once_and_then_waits(tmp_path: Path) -> None:
    office, asked = Office(tmp_path), Reply("Which one?")
    result = office.run(GOAL, Reply("[Step] Sort", POKE), asked, asked)
    assert (result.status, result.why) == ("paused", "waiting")
    assert "Nobody can answer now." in office.model.requests[-1].messages[-2].text
    assert office.run("The first", Reply("[Done] Sorted.")).status == "completed"


def test_r4_08_every_run_holds_a_model_up_three_times(tmp_path: Path) -> None:
    office, early = Office(tmp_path), [Reply(f"Enough {n}") for n in range(4)]
    first = office.run(GOAL, Reply("[Step] Sort", POKE), *early)
    assert (first.answer, len(office.model.requests)) == ("Enough 3", 5)
    again = office.run("Please go on with it", *early)
    assert (again.answer, len(office.model.requests)) == ("Enough 3", 4)


def test_m4_an_assumed_end_is_confirmed_before_the_plan_ends(tmp_path: Path) -> None:
    talk = (Reply("[Step] Sort", POKE), Reply("I look.", POKE), Reply("Now the rest.", POKE))
    result = Office(tmp_path).run(GOAL, *talk, Reply("Sorted."), max_iterations=4)
    assert (result.status, result.why) == ("paused", "limit")
    office = Office(tmp_path)
    assert office.run("continue", Reply("All is sorted."), Reply("Yes.")).status == "completed"
    assert "only assumed to be done" in office.model.requests[0].messages[-2].text


@pytest.mark.parametrize(
    ("language", "phrase", "told"),
    [
        ("en", "ok, please continue", "The plan has ended (1/1 steps done): Sort the reports."),
        ("zh", "好的，继续吧", "计划已结束（1/1 步已完成）：Sort the reports。"),
    ],
)
def test_r0_09_after_a_plan_has_ended_continue_begins_nothing(
    tmp_path: Path, language: Any, phrase: str, told: str
) -> None:
    office = Office(tmp_path, language=language)
    office.run(GOAL, Reply("[Step] Sort", POKE), Reply("[Done] Sorted."))
    result = office.run(phrase)
    assert (result.why, office.model.requests) == ("answered", [])
    assert result.text.startswith(told)
    with open_plan(tmp_path, "k") as plan:
        assert (plan.goal, plan.status) == (GOAL, "completed")


def test_r0_12_not_done_yet_after_the_end_reopens_the_last_task(tmp_path: Path) -> None:
    office = Office(tmp_path)
    office.run(GOAL, Reply("[Step] Sort", POKE), Reply("[Done] Sorted."))
    undone = "it's not done yet, two reports are missing"
    assert office.run(undone, Reply("[Done] Now it is.")).status == "completed"
    assert undone in office.model.requests[0].messages[-2].text
    with open_plan(tmp_path, "k") as plan:
        assert (plan.goal, plan.task(1).result) == (GOAL, "Now it is.")


def test_r0_12_not_done_yet_is_heard_while_the_model_works(tmp_path: Path) -> None:
    office = Office(tmp_path)
    agent = office.agent(
        Reply("[Step] Sort\n[Step] Print", POKE),
        Reply("[Done]", POKE),
        Reply("", POKE),
        max_iterations=3,
    )
    office.model.on_request = lambda _: (
        agent.say("還沒完成，少了兩份") if len(office.model.requests) == 3 else None
    )
    asyncio.run(agent.run(GOAL))
    with open_plan(tmp_path, "k") as plan:
        assert [task.status for task in plan.tasks()] == ["in_progress", "pending"]
