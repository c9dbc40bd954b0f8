"""R0.14, M8: a model proposes a new goal, and only a person changes it."""

from typing import Any

import pytest

from outlast.agent import effects as e
from outlast.context.chat_model import Call
from outlast.language import Language, text
from outlast.model.commands import EditPlan
from outlast.model.execute import return_commit
from outlast.model.model import PERSON
from tests.agent.loops.play import GOAL, Play, new_plan, poke
from tests.agent.loops.test_conversation import FREE, ONE, PROPOSE, brief_of, heard


def proposal_play(*replies: Any, answers: Any = (), language: Language = "en") -> Play:
    return Play(
        [("", PROPOSE), *replies], new_plan("One"), answers=answers, language=language, options=FREE
    )


@pytest.mark.parametrize(("language", "answer"), [("en", "yes"), ("zh", "是")])
def test_r0_14_a_person_who_is_present_confirms_a_new_goal(language: Language, answer: str) -> None:
    play = proposal_play("Fine", answers=[answer], language=language)
    play.say("Forget the names, sort them by date")
    assert play.plan.goal == "Sort them by date"
    result = next(message for message in play.messages() if message.role == "tool")
    assert result.text == text("goal_accepted", language, goal="Sort them by date")
    assert "Sort them by date" in play.messages()[-1].text, "the block has it at once"
    assert text("goal_changed", language, goal="Sort them by date") not in play.shown()


def test_r0_14_a_goal_that_a_person_declines_stays() -> None:
    play = proposal_play("Fine", answers=["no, by size"])
    play.say("Hm")
    assert play.plan.goal == GOAL
    assert "does not agree, the goal stays. Answer: no, by size" in play.shown()


def test_r0_14_without_a_person_the_question_waits_and_the_work_goes_on() -> None:
    play = proposal_play(("", poke()), "Fine")
    assert play.say("Sort them by date").why == "answered"
    assert play.acts() == ["poke"]
    ((question),) = play.view().questions
    assert (question.kind, question.about) == ("goal", "Sort them by date")
    assert question.text == "Change the goal to: Sort them by date? Answer yes or no"
    assert play.plan.goal == GOAL
    play.plan.acting_as(PERSON).questions.answer("yes")
    assert brief_of(play.plan).startswith("[Resuming task] Current task: Sort them by date\n")


@pytest.mark.parametrize(("answer", "goal"), [("yes", "Sort them by date"), ("否", GOAL)])
@pytest.mark.parametrize("is_paused", [True, False])
def test_m8_a_yes_or_no_answers_a_goal_that_waits(
    answer: str, goal: str, *, is_paused: bool
) -> None:
    play = proposal_play("Fine", "I see")
    play.say("Sort them by date")
    if is_paused:
        play.plan.pause()
    stopped = play.say(answer)
    assert (play.plan.goal, play.view().questions) == (goal, ())
    assert stopped.why == "answered"
    assert stopped.text.startswith(f"The goal is: {goal}\n") == is_paused
    assert heard(play) == [(PERSON, "Sort them by date")]


def test_m8_any_other_message_leaves_a_goal_that_waits() -> None:
    play = proposal_play("Fine", "I see")
    play.say("Sort them by date")
    play.say("Use euros")
    assert len(play.view().questions) == 1


def test_r0_14_a_goal_that_waits_is_asked_again_when_the_work_resumes() -> None:
    play = proposal_play("Fine")
    play.say("Sort them by date")
    play.plan.pause()
    again = Play([("", poke())], play.plan, answers=["yes"], options=ONE)
    again.say("continue")
    assert again.plan.goal == "Sort them by date"
    assert again.shown(0).count("Sort them by date") >= 1


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({}, "The new goal is empty"),
        ({"goal": "  "}, "The new goal is empty"),
        ({"goal": 3}, "The new goal is empty"),
        ({"goal": f" {GOAL}\n"}, "That is the goal already."),
    ],
)
def test_r0_14_a_goal_that_says_nothing_new_is_not_asked_about(
    params: dict[str, Any], problem: str
) -> None:
    replies = [("", Call("propose_goal", params, "g1")), "Fine"]
    play = Play(replies, new_plan("One"), options=FREE)
    play.say("Hm")
    assert problem in play.shown()
    assert play.view().questions == ()


def test_r0_14_a_goal_that_cannot_be_asked_about_is_an_error() -> None:
    plan = new_plan("One")
    for number in range(100):
        plan.questions.ask(f"Question {number}?", kind="permit", about=str(number))
    play = Play([("", PROPOSE), "Fine"], plan, options=FREE)
    play.say("Hm")
    assert "Failed: " in play.shown()


def test_r0_14_a_goal_that_a_person_changes_meanwhile_is_told() -> None:
    plan = new_plan("One")

    def act(_effect: e.ToolCall) -> dict[str, Any]:
        plan.acting_as(PERSON).core.commit((EditPlan(goal="Sort them by date"),), return_commit)
        return {}

    play = Play([("", poke()), "Fine"], plan, act=act, options=FREE)
    play.say(GOAL)
    assert play.shown().count("It is now: Sort them by date") == 1


@pytest.mark.parametrize("answer", ["是的", "好的", "sure", "yes please", "可以"])
def test_r0_14_a_goal_that_waits_is_confirmed_in_plain_words(answer: str) -> None:
    play = proposal_play("Fine", answers=["by size?", answer])
    play.say("Hm")
    assert play.plan.goal == "Sort them by date", "an unclear answer is asked for again"


def test_r0_14_an_unclear_answer_leaves_the_question_about_the_goal_open() -> None:
    play = proposal_play("Fine", answers=["perhaps"])
    play.say("Hm")
    assert (play.plan.goal, len(play.view().questions)) == (GOAL, 1)
