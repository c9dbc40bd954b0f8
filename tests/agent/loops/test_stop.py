"""R4.08: a model that stops too early, and one that asks a question in plain text."""

from typing import Any

import pytest

from outlast import Budget
from outlast.agent import effects as e
from outlast.agent.agent_spec import ToolLoop
from outlast.agent.events import Asked
from outlast.context.plan_view import PlanView
from outlast.model.commands import AskQuestion, NoteLoop
from outlast.model.execute import return_commit
from tests.agent.loops.play import GOAL, PLAN_TOOLS, Play, done, new_plan, poke
from tests.agent.loops.test_chat import hold

ALONE = ToolLoop(can_ask=False)
QUESTION = "There are two lists.\n\nWhich one is to be sorted?"


def test_r4_08_a_reply_that_was_withheld_can_turn_out_to_be_the_answer() -> None:
    play = Play(["All is sorted.", "[Done]"], new_plan("One"), advise=hold)
    stopped = play.say(GOAL)
    assert (stopped.status, stopped.answer) == ("completed", "All is sorted.")
    assert play.said() == ["All is sorted."], "a marker alone is no message"


def test_r4_08_every_run_counts_from_zero() -> None:
    plan = new_plan("One")
    play = Play(list("abcd"), plan, advise=hold)
    play.say(GOAL)
    assert (play.said(), play.view().stop_count) == (["d"], 3)
    again = Play(list("efgh"), plan, advise=hold)
    again.say("Go on with it")
    assert again.said() == ["h"], "three holds again"


def test_r4_08_the_count_is_reset_in_the_commit_of_the_first_call() -> None:
    plan = new_plan("One")
    Play(list("abcd"), plan, advise=hold).say(GOAL)
    again = Play([("", poke()), "[Done]"], plan, advise=hold)
    again.say("Go on with it")
    reset = NoteLoop(stops=0)
    assert [reset in think.commands for think in again.thinks] == [True, False]


def test_r4_08_a_question_is_asked_if_a_person_is_there() -> None:
    replies = [QUESTION, ("[Done]", poke()), "Bye"]
    play = Play(replies, new_plan("One"), advise=hold, answers=["The first"])
    assert play.say(GOAL).status == "completed"
    asked = [event.question.text for event in play.events if isinstance(event, Asked)]
    assert asked == ["Which one is to be sorted?"]
    assert play.said()[0] == QUESTION, "with what was said before it"
    assert [message.text for message in play.messages(1) if message.text == "The first"]
    assert play.plan.questions.all()[0].answer == "The first"


def test_r4_08_a_question_that_nobody_answers_now_ends_the_run_and_waits() -> None:
    plan = new_plan("One")
    play = Play([QUESTION, ("[Done]", poke()), "Sorted."], plan, advise=hold)
    stopped = play.say(GOAL)
    assert (stopped.status, stopped.why, stopped.answer) == ("paused", "waiting", QUESTION)
    assert [question.kind for question in plan.questions.open()] == ["ask"]
    assert play.view().stop_count == 0
    assert play.say("The first").status == "completed", "the next message is the answer"
    assert plan.questions.all()[0].answer == "The first"


def test_r4_08_a_reply_that_is_only_a_question_is_told_once() -> None:
    play = Play(["Which one?"], new_plan("One"), advise=hold)
    assert play.say(GOAL).why == "waiting"
    assert play.said() == []
    assert [event.question.text for event in play.events if isinstance(event, Asked)] == [
        "Which one?"
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_r4_08_unattended_a_question_is_held_once(language: Any) -> None:
    plan = new_plan("One")
    play = Play([QUESTION, ("", poke()), "[Done] Sorted."], plan, advise=hold, options=ALONE)
    play.language = language
    assert play.say(GOAL).status == "completed"
    note = "Nobody can answer now" if language == "en" else "现在没有人能回答"
    assert play.shown(1).count(note) == 1
    assert play.said() == ["[Done] Sorted."], "a reply that is withheld is no message"
    assert plan.questions.all() == ()


def test_r4_08_unattended_a_question_that_is_repeated_waits_for_a_person() -> None:
    plan = new_plan("One")
    play = Play([QUESTION, QUESTION], plan, advise=hold, options=ALONE)
    stopped = play.say(GOAL)
    assert (stopped.status, stopped.why) == ("paused", "waiting")
    assert [question.text for question in plan.questions.open()] == ["Which one is to be sorted?"]


def test_r4_08_a_question_at_an_assumed_end_is_for_a_person_too() -> None:
    play = Play([("Now the rest.", poke()), "Shall I print it?"], new_plan("One"))
    play.options = ToolLoop(least_iterations=1)
    assert play.say(GOAL).why == "waiting"
    unattended = Play([("Now.", poke()), "Shall I?", "Shall I?"], new_plan("One"))
    unattended.options = ToolLoop(least_iterations=1, can_ask=False)
    stopped = unattended.say(GOAL)
    assert (stopped.status, stopped.answer) == ("completed", "Shall I?")


def test_r4_08_a_question_that_cannot_be_recorded_is_the_answer_of_the_run() -> None:
    plan = new_plan("One")
    asked = tuple(AskQuestion(f"Question {n}?", "permit") for n in range(100))
    plan.core.commit(asked, return_commit)
    play = Play([QUESTION], plan, advise=hold)
    assert play.say(GOAL).why == "answered"
    plan = new_plan("One")
    plan.core.commit(asked, return_commit)
    play = Play([("Now.", poke()), "Shall I?", "[Done]"], plan)
    play.options = ToolLoop(least_iterations=1)
    assert play.say(GOAL).status == "completed"


def test_r4_08_with_a_finished_plan_a_question_is_an_answer() -> None:
    play = Play(["[Done] Shall I print it?"], new_plan("One"), advise=hold)
    assert play.say(GOAL).why == "finished"


def test_r4_08_unattended_no_question_tool_is_offered() -> None:
    play = Play([("", poke()), "[Done]"], new_plan("One"), options=ALONE)
    play.say(GOAL)
    offered = {tool.name for tool in play.thinks[0].tools}
    assert offered == {tool.name for tool in PLAN_TOOLS} - {"ask_user"} | {"poke"}
    system = play.messages(0)[0].text
    assert "Nobody can answer questions" in system
    assert "ask_user" not in system
    attended = Play([("", poke()), "[Done]"], new_plan("One"))
    attended.say(GOAL)
    assert "use ask_user" in attended.messages(0)[0].text


@pytest.mark.parametrize("has_more", [True, False])
def test_r4_08_a_model_that_fails_at_the_close_leaves_a_new_task_open_and_says_so(
    *, has_more: bool
) -> None:
    plan = new_plan("One")

    def think(_: object) -> Any:
        if len(play.thinks) == 1:
            return "", done(1)
        if has_more:  # a person adds it while the model sums up
            plan.acting_as("human").add("Two")
        return {"error": "no connection", "code": "MODEL_FAILED"}

    play = Play(think, plan)
    stopped = play.say(GOAL)
    assert len(play.thinks) == 2
    if has_more:
        assert (stopped.why, stopped.status) == ("model_failed", "paused")
        assert "no connection" in stopped.text
        assert play.statuses() == ["completed", "pending"]
    else:
        assert (stopped.why, stopped.status) == ("finished", "completed")


@pytest.mark.parametrize(
    "what", ["paused", "asked", "spent"], ids=["is paused", "waits for a person", "has no budget"]
)
def test_r4_08_a_run_that_cannot_go_on_since_the_stop_is_not_held_up(what: str) -> None:
    plan = new_plan("One")
    person = plan.acting_as("human")

    def advise(effect: e.Consult, view: PlanView) -> dict[str, Any]:
        if effect.point == "on_stop":
            match what:
                case "paused":
                    person.pause()
                case "asked":
                    plan.questions.ask("Which one?")
                case _:
                    person.budget.set(Budget(model_calls=0))
        return hold(effect, view)

    held = Play(["It is sorted.", *"abc"], new_plan("One"), advise=hold)
    held.say(GOAL)
    assert len(held.thinks) == 4, "a run that could go on is held up"
    play = Play(["It is sorted."], plan, advise=advise)
    play.say(GOAL)
    assert len(play.thinks) == 1
    assert play.said() == ["It is sorted."]
