"""M8, X3: replies of people to questions, and questions without an answer."""

import pytest

from outlast.agent.agent_spec import ToolLoop
from outlast.agent.events import Stopped
from outlast.context.chat_model import Call
from outlast.model.commands import AskQuestion
from outlast.model.execute import return_commit
from tests.agent.loops.play import GOAL, Play, begin_attempt, new_plan, poke

ASK = Call("ask_user", {"question": "Which colour?"}, "q1")


@pytest.mark.parametrize("said", ["取消", "/cancel", "Cancel."])
def test_m8_a_person_who_is_asked_can_cancel(said: str) -> None:
    play = Play([("", ASK, poke())], new_plan("One"), answers=[said])
    assert play.say(GOAL) == Stopped("failed", "cancelled", "The plan was cancelled")
    assert play.acts() == []


def test_m8_a_slash_command_is_no_answer_and_the_question_stays() -> None:
    play = Play([("", ASK), "[Done]"], new_plan("One"), answers=["/plan", "/jump", "Blue"])
    assert play.say(GOAL).why == "finished"
    shown, unknown = play.notices("command")
    assert "1. ⏳ One (in progress)" in shown
    assert unknown.startswith("Unknown command /jump")
    assert [message.text for message in play.messages(1) if message.role == "tool"] == ["Blue"]


@pytest.mark.parametrize("length", range(1_950, 2_010))
def test_a5_a_question_that_is_cut_where_it_looks_like_a_secret_is_asked(length: int) -> None:
    question = f"{'x' * (length - 20)} Password: ordinary words follow, which are cut off"
    ask = Call("ask_user", {"question": question}, "q1")
    play = Play([("", ask), "[Done]"], new_plan("One"), answers=["Blue"])
    assert play.say(GOAL).why == "finished"
    assert [message.text for message in play.messages(1) if message.role == "tool"] == ["Blue"]


def test_m8_a_person_who_replies_with_commands_only_is_not_asked_forever() -> None:
    play = Play([("", ASK), "[Done]"], new_plan("One"), answers=["/plan"] * 1_000)
    assert play.say(GOAL).why == "waiting"


def test_m8_a_person_who_is_asked_about_an_attempt_can_cancel() -> None:
    plan = new_plan("One")
    begin_attempt(plan)
    assert Play([], plan, answers=["cancel"]).say(GOAL).why == "cancelled"


def test_x3_an_open_attempt_of_an_aborted_plan_blocks_nothing_new() -> None:
    plan = new_plan("One")
    begin_attempt(plan)
    assert Play([], plan).say("Go").why == "unsettled"
    assert Play([], plan).say("取消").why == "cancelled"
    for goal in ("Something else", GOAL):
        play = Play([("", poke()), "Hello"], plan, options=ToolLoop(stop_limit=0))
        assert play.say(goal) == Stopped("running", "answered", "Hello", "Hello")
        assert play.plan.goal == goal
    assert [one.kind for one in plan.questions.open()] == ["settle"], "it can still be answered"


def test_x3_an_open_attempt_of_an_aborted_plan_is_asked_about_if_a_person_is_present() -> None:
    plan = new_plan("One")
    begin_attempt(plan)
    plan.abort()
    Play(["Hello"], plan, answers=["no"]).say("Something else")
    assert plan.questions.open() == ()


def test_x3_a_goal_named_like_an_attempt_is_no_question_about_it() -> None:
    plan = new_plan("One")
    begin_attempt(plan)
    (attempt,) = Play([], plan).view().attempts
    plan.core.commit((AskQuestion("Change the goal?", "goal", attempt.id),), return_commit)
    assert Play([], plan).say("Go").why == "unsettled"
    assert [question.kind for question in plan.questions.open()] == ["goal", "settle"]


def test_an_answer_that_is_too_long_is_refused_and_the_question_stays() -> None:
    plan = new_plan("One")
    plan.questions.ask("Which?")
    stopped = Play([], plan).say("x" * 70_000)
    assert (stopped.why, "text: " in stopped.text) == ("waiting", True)
    assert [question.text for question in plan.questions.open()] == ["Which?"]
