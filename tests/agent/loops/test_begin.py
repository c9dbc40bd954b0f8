"""R0.03: a first reply that declares steps and calls no tool; a person agrees before they begin."""

from typing import Any

import pytest

from outlast.agent import effects as e
from outlast.agent.agent_spec import ToolLoop
from outlast.agent.events import Asked
from outlast.agent.loops.session import History
from outlast.language import Language
from outlast.model.commands import AskQuestion, Return
from outlast.model.execute import return_commit
from tests.agent.loops.play import GOAL, Play, poke

PROPOSAL = "Here is my plan:\n[Step] Fetch\n[Step] Sort\nShall I begin?"
ALONE = ToolLoop(can_ask=False)


@pytest.mark.parametrize(
    ("language", "question", "yes"), [("en", "Begin?", "yes"), ("zh", "开始吗？", "好的，开始吧")]
)
def test_r0_03_a_plan_is_created_with_a_question_and_begins_on_yes(
    language: Language, question: str, yes: str
) -> None:
    play = Play([PROPOSAL, ("[Done]", poke()), "[Done] All sorted."], language=language)
    stopped = play.say(GOAL)
    assert (stopped.status, stopped.why, stopped.answer) == ("paused", "waiting", PROPOSAL)
    assert question in stopped.text
    assert play.said() == [PROPOSAL]
    assert (play.plan.goal, play.statuses()) == (GOAL, ["pending", "pending"])
    assert [one.text for one in play.plan.questions.open()] == [question]
    assert play.say(yes).status == "completed"
    assert play.plan.goal == GOAL, "the answer is no new goal"
    assert (play.acts(), play.plan.questions.open()) == (["poke"], ())


def test_r0_03_a_person_who_is_present_is_asked_at_once() -> None:
    play = Play([PROPOSAL, ("[Done]", poke()), "[Done] Sorted."], answers=["ok, go ahead"])
    assert play.say(GOAL).status == "completed"
    assert [event.question.text for event in play.events if isinstance(event, Asked)] == ["Begin?"]
    assert "ok, go ahead" in play.shown(1), "what the person said is in the conversation"


def test_r0_03_with_nobody_to_ask_it_begins() -> None:
    play = Play([PROPOSAL, ("[Done]", poke()), "[Done] All sorted."], options=ALONE)
    assert play.say(GOAL).status == "completed"
    assert play.said() == ["[Done] All sorted."]
    assert not any(isinstance(event, Asked) for event in play.events)


def test_r0_03_another_answer_starts_nothing_and_is_for_the_model() -> None:
    answers = ["No, print them too", "yes"]
    replies = iter([PROPOSAL, "Then also:\n[Step] Print", ("[Done]", poke())])
    started = []

    def think(_effect: e.Think) -> Any:
        started.append(play.statuses())
        return next(replies)

    play = Play(think, answers=answers, options=ToolLoop(max_iterations=3))
    play.say(GOAL)
    assert started == [[], ["pending"] * 2, ["in_progress", "pending", "pending"]]
    assert "No, print them too" in play.shown(1)
    assert [task.name for task in play.plan.tasks()] == ["Fetch", "Sort", "Print"]


def test_r0_03_after_another_answer_the_model_can_begin_by_a_call() -> None:
    play = Play([PROPOSAL, ("I look first.", poke()), "Hm."], answers=["First look around"])
    play.options = ToolLoop(stop_limit=0)
    play.say(GOAL)
    assert play.statuses() == ["in_progress", "pending"]


def test_r0_03_an_answer_in_the_next_run_that_is_no_yes_starts_nothing() -> None:
    play = Play([PROPOSAL, "As you like."])
    play.say(GOAL)
    stopped = play.say("Only the second one")
    assert (stopped.why, play.statuses()) == ("waiting", ["pending", "pending"])
    assert "Only the second one" in play.shown()


def test_r0_03_the_question_can_be_answered_elsewhere() -> None:
    play = Play([PROPOSAL, ("[Done]", poke()), "[Done] All sorted."])
    play.say(GOAL)
    play.plan.questions.answer("yes")
    assert play.say("continue").status == "completed"


def test_r0_03_the_proposal_can_be_cancelled() -> None:
    play = Play([PROPOSAL])
    play.say(GOAL)
    assert play.say("取消").status == "failed"


def test_r0_03_if_it_cannot_be_asked_nothing_begins() -> None:
    def think(_effect: e.Think) -> str:
        if len(play.thinks) == 1:
            return PROPOSAL
        asked = tuple(AskQuestion(f"Question {n}?", "permit") for n in range(100))
        play.plan.core.commit(asked, return_commit)
        return "As you like."

    play = Play(think, answers=["Let me see"])
    stopped = play.say(GOAL)
    assert (stopped.status, stopped.why) == ("paused", "waiting")
    assert "100" in stopped.text
    assert play.statuses() == ["pending", "pending"]


@pytest.mark.parametrize("is_same_agent", [True, False])
def test_r0_03_after_a_no_elsewhere_nothing_begins(*, is_same_agent: bool) -> None:
    play = Play([PROPOSAL, "As you like.", ("", poke()), "Hm"], options=ToolLoop(stop_limit=0))
    play.say(GOAL)
    play.plan.questions.answer("No, not before I have seen step 2")
    for number in range(5):
        play.plan.core.commit((AskQuestion(f"Question {number}?"),), return_commit)
        play.plan.questions.answer("Fine")
    if not is_same_agent:
        play.history = History()
    stopped = play.say("continue")
    assert (stopped.why, play.statuses()) == ("waiting", ["pending", "pending"])
    assert "No, not before I have seen step 2" in play.shown()
    play.say("yes")
    assert play.statuses() == ["in_progress", "pending"]


def test_r0_03_a_no_holds_only_until_the_steps_have_begun() -> None:
    replies = [PROPOSAL, ("I look first.", poke()), ("[Done]", poke(2)), ("", poke(3))]
    play = Play(replies, answers=["First look around"], options=ToolLoop(max_iterations=3))
    play.say(GOAL)
    assert play.statuses() == ["completed", "in_progress"]
    play.plan.core.commit((Return(2),), return_commit)
    play.options = ToolLoop(max_iterations=1)
    play.say("continue")
    assert play.statuses() == ["completed", "in_progress"]


@pytest.mark.parametrize(
    "options", [ToolLoop(auto_create_plan=False), ToolLoop(enable_planning=False)]
)
def test_r4_12_no_plan_is_created_from_declared_steps_if_that_is_switched_off(
    options: ToolLoop,
) -> None:
    play = Play([PROPOSAL], options=options)
    assert play.say(GOAL).why == "answered"
    assert not play.has_plan


def test_r0_03_a_call_that_could_not_be_read_begins_too() -> None:
    play = Play([{"text": PROPOSAL, "invalid_calls": 1}, ("", poke()), "Bye"])
    play.options = ToolLoop(stop_limit=0)
    play.say(GOAL)
    assert play.statuses() == ["in_progress", "pending"]
