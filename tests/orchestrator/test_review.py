"""X7: a person looks at a replan before it is made, in this run or in a later one."""

import asyncio
import json
from typing import Any

import pytest

from outlast import NewTask, Plan
from outlast.agent import effects as e
from outlast.agent.effects import PatchPreview
from outlast.agent.events import Stopped
from outlast.agent.loops.review import parse_ruling, review_question
from outlast.agent.runtime.driver import run
from outlast.context.chat_model import Reply, Usage
from outlast.documents.proposals import ReplanProposal
from outlast.model.commands import AnswerQuestion, EditTask
from outlast.model.execute import return_commit
from outlast.model.model import Question
from tests.agent.runtime.lanes import open_lane
from tests.fake_model import FakeModel
from tests.orchestrator.fake_agents import FakeAgent
from tests.orchestrator.test_scheduler import (
    NEXT,
    Planner,
    diamond,
    empty_plan,
    orchestrated,
    statuses,
)

CHANGE = json.dumps({"decision": "replan", "reason": "it is a tent", "advice": "no roof"})
TENT: list[dict[str, Any]] = [
    {"name": "right", "needs": ["ground"], "files": ["r"]},
    {"name": "canvas", "needs": [1], "reason": "is dry"},
]


class Reviewer:
    """A person who answers as told, and remembers what they were asked."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def answer(self, question: Question) -> str | None:
        self.asked.append(question.text)
        return self._answers.pop(0)


def model(*changes: list[dict[str, Any]], evaluations: tuple[str, ...] = (CHANGE, NEXT)) -> Planner:
    planner = Planner(diamond(), {"3 right": list(evaluations)})
    planner.tasks.extend(changes)
    return planner


def reviewed(
    plan: Plan, planner: Planner, person: Reviewer | None, agent: FakeAgent | None = None
) -> Stopped:
    agent = agent or FakeAgent()
    return orchestrated(plan, agent, planner, 1, person=person, review=True)


def requests_about(planner: Planner, words: str) -> list[str]:
    said = [request.messages[1].text for request in planner.requests]
    return [each for each in said if f"## Task\n> {words}" in each]


def decisions(plan: Plan) -> list[tuple[str, str]]:
    made = plan.core.read(lambda state: state.ledger.decisions)
    return [(each.decision, each.by) for each in made if each.task == 3]


def test_x7_the_change_is_shown_as_a_diff_with_ids_and_reasons_and_made_when_approved() -> None:
    plan, person = empty_plan(), Reviewer("approve")
    assert reviewed(plan, model(TENT), person).why == "finished"
    assert person.asked[0].splitlines()[:3] == [
        "The plan should change: it is a tent",
        "- 4 roof",
        "+ 5 canvas (needs 3): is dry",
    ]
    assert statuses(plan) == dict.fromkeys(("ground", "left", "right", "canvas"), "completed")
    assert decisions(plan) == [("replan", "agent/3"), ("replan", "human"), ("next", "agent/3")]


def test_x7_a_change_of_a_task_names_what_changes() -> None:
    changed: list[dict[str, Any]] = [
        {"name": "right", "needs": ["ground"], "files": ["r"], "description": "of wood"},
        {"name": "roof", "needs": [1], "files": ["t"]},
    ]
    plan, person = empty_plan(), Reviewer("yes")
    assert reviewed(plan, model(changed), person).why == "finished"
    assert "~ 3 right (changed: description)\n~ 4 roof (changed: needs)" in person.asked[0]


def test_x7_a_rejected_change_is_not_made_and_the_reason_is_told_to_the_agent() -> None:
    plan, agent, person = empty_plan(), FakeAgent(), Reviewer("reject: we want a house")
    planner = model(TENT)
    assert reviewed(plan, planner, person, agent).why == "finished"
    assert set(statuses(plan)) == {"ground", "left", "right", "roof"}
    rights = [order.advice for order in agent.orders if order.name == "right"]
    assert rights == ["", "we want a house"]
    judged = [said for said in requests_about(planner, "3 right") if "we want a house" in said]
    assert len(judged) == 1, "the evaluator knows what the person said"


def test_x7_words_ask_for_another_change() -> None:
    planner, person = model(TENT, [*TENT, {"name": "pegs"}]), Reviewer("also pegs", "批准")
    plan = empty_plan()
    assert reviewed(plan, planner, person).why == "finished"
    assert "pegs" in statuses(plan)
    assert "also pegs" in planner.requests[-1 - planner.kinds[::-1].index("plan")].messages[1].text
    assert "+ 6 pegs" in person.asked[1]


def test_x7_a_person_may_change_the_plan_themselves_instead() -> None:
    plan = empty_plan()

    class Editor(Reviewer):
        async def answer(self, question: Question) -> str | None:
            human = plan.core.acting_as("human")
            human.commit((EditTask(4, name="gable"),), return_commit)
            return await super().answer(question)

    assert reviewed(plan, model(TENT), Editor("edit")).why == "finished"
    assert set(statuses(plan)) == {"ground", "left", "right", "gable"}


@pytest.mark.parametrize(("answer", "canvas"), [("approve", True), ("拒绝", False)])
def test_x7_nobody_there_lets_the_change_wait_and_the_answer_counts_later(
    answer: str, *, canvas: bool
) -> None:
    plan, planner, agent = empty_plan(), model(TENT), FakeAgent()
    end = reviewed(plan, planner, None, agent)
    assert (end.why, plan.status) == ("waiting", "paused")
    assert "roof" not in [order.name for order in agent.orders], "it may be replaced"
    [question] = plan.questions.open()
    assert question.kind == "replan"
    again = reviewed(plan, planner, None, agent)
    assert (again.why, planner.kinds.count("plan")) == ("waiting", 2), (
        "the model is not asked again"
    )
    human = plan.core.acting_as("human")
    human.commit((AnswerQuestion(answer, "human", question.id),), return_commit)
    assert reviewed(plan, planner, None, agent).why == "finished"
    assert ("canvas" in statuses(plan)) is canvas


def test_x7_an_approved_change_that_no_longer_fits_is_planned_again() -> None:
    plan, planner = empty_plan(), model(TENT, [{"name": "right"}, {"name": "canvas"}])

    class Late(Reviewer):
        async def answer(self, question: Question) -> str | None:
            if not self.asked:  # task 2, which the proposal needs, is gone when the answer comes
                human = plan.core.acting_as("human")
                human.commit((EditTask(4, name="canvas"),), return_commit)
            return await super().answer(question)

    assert reviewed(plan, planner, Late("approve", "approve")).why == "finished"
    assert "canvas" in statuses(plan)


def test_r1_05_a_plan_that_cannot_be_is_asked_for_again() -> None:
    bad: list[dict[str, Any]] = [{"name": "canvas", "needs": ["nowhere"]}, {"name": "canvas"}]
    plan, planner = empty_plan(), model(bad, TENT)
    assert orchestrated(plan, FakeAgent(), planner, 1).why == "finished"
    repair = next(r.messages[-1].text for r in planner.requests if len(r.messages) == 4)
    assert "'nowhere' is no task" in repair
    assert "a second task is named 'canvas'" in repair


def test_x4_replans_are_counted_and_limited() -> None:
    planner = model(TENT, evaluations=(CHANGE, CHANGE))
    plan = empty_plan()
    end = orchestrated(plan, FakeAgent(), planner, 1, most_replans=1)
    assert end.why == "limit"
    assert plan.core.read(lambda state: state.ledger.counters.spent or {})[0].replans == 1


def test_r1_05_a_model_that_never_answers_with_a_plan_stops_the_run() -> None:
    mute = FakeModel([Reply("I would rather not.", (), Usage(1, 1))] * 3)
    end = orchestrated(empty_plan(), FakeAgent(), mute, 1)
    assert (end.why, len(mute.requests)) == ("model_failed", 3)
    assert end.text == "The model did not answer with a plan, in three tries"


def test_r1_07_a_model_that_never_answers_with_a_change_stops_the_run() -> None:
    bad = [{"name": "a", "needs": [9]}]
    end = orchestrated(empty_plan(), FakeAgent(), model(bad, bad, bad), 1)
    assert (end.why, end.status) == ("model_failed", "paused")


@pytest.mark.parametrize(
    ("answer", "ruling", "words"),
    [
        ("approve", "approve", ""),
        ("Yes, please", "approve", ""),
        ("好的", "approve", ""),
        ("no, never", "reject", "no, never"),
        ("reject - too much", "reject", "- too much"),
        ("拒绝，太多了", "reject", "太多了"),
        ("修改", "edit", ""),
        ("editorial work first", "change", "editorial work first"),
    ],
)
def test_x7_what_a_person_says_to_a_change(answer: str, ruling: str, words: str) -> None:
    assert (parse_ruling(answer).ruling, parse_ruling(answer).words) == (ruling, words)


def test_x7_a_long_change_is_cut_and_says_so() -> None:
    patch = "\n".join(f"+ {number} a task with a long name" for number in range(200))
    question = review_question(ReplanProposal("1#7"), 1, patch, "it is big", "en")
    assert len(question.text) <= 1_900
    assert question.text.splitlines()[-2] == "(and 140 more)"


def test_x7_a_change_that_cannot_be_has_no_preview() -> None:
    def preview() -> e.Loop[PatchPreview]:
        return (yield from e.PreviewReplan((NewTask("a", peers=(1,)),), 0)).outcome

    async def look() -> PatchPreview:
        return await run(preview(), open_lane(empty_plan(), FakeModel()))

    assert asyncio.run(look()).error
