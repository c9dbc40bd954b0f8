"""M8: what a message means to a plan that the replan loop works on."""

import asyncio
from typing import Any

import pytest

from outlast import AgentLoop, Plan, RunResult, create_plan
from outlast.agent import effects as e
from outlast.agent.agent_spec import Replan
from outlast.agent.effects import Recorded
from outlast.agent.loops.replan_loop.loop import replan_conversation
from outlast.context.plan_view import PlanView
from outlast.events import Stopped
from outlast.model.model import PERSON, Question, QuestionKind
from tests.agent.loops.replan_loop.replies import Script, ask, done, planned, replanned, use
from tests.model.strategies import BEGINNING


def note(line: str) -> str:
    """Note something."""
    return f"noted {line}"


class Conversation:
    """Messages to one plan, each with a model of its own."""

    def __init__(self, goal: str = "Buy milk") -> None:
        self.plan: Plan = create_plan("memory:", goal, order="sequential")
        self.model = Script()

    def say(self, message: str, *answers: object, **options: Any) -> RunResult:
        self.model = Script(*answers)
        loop = AgentLoop(model=self.model, tools=[note], plan=self.plan, loop="replan", **options)
        return asyncio.run(loop.run(message))


@pytest.mark.parametrize("message", ["cancel", "取消当前任务", "/cancel"])
def test_m8_cancel_aborts_the_plan(message: str) -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("a"), ask("Which?"))
    result = talk.say(message)
    assert (result.why, result.status) == ("cancelled", "failed")
    result = talk.say(message)
    assert (result.why, result.answer) == ("answered", "There is no unfinished plan to cancel")


def test_m8_a_slash_command_is_answered_and_changes_nothing() -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("a"), ask("Which?"))
    result = talk.say("/plan")
    assert result.why == "answered"
    assert "Buy milk" in result.answer
    for line in ("/nonsense", "/dry-run x"):
        assert "unknown" in talk.say(line).answer.lower()
    assert [each.answer for each in talk.plan.questions.all()] == [None]
    assert talk.plan.status == "paused"


def test_m8_the_goal_again_shows_the_question_that_waits() -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("a"), ask("Which?"))
    result = talk.say("  Buy   milk ")
    assert (result.why, result.text) == ("waiting", "Please confirm: Which?")
    assert talk.model.asked == []


def test_m8_continue_does_not_answer_a_question() -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("a"), ask("Which?"), max_iterations=3)
    assert talk.say("oat", replanned("b"), use("x", "note")).why == "limit"
    result = talk.say("continue, please", done(), done("Bought."))
    assert (result.why, result.answer) == ("answered", "Bought.")


def test_m8_words_beside_continue_are_told_to_the_model() -> None:
    talk = Conversation("买牛奶")
    talk.say("买牛奶", planned("a"), use("x", "note"), max_iterations=1)
    talk.say("请继续执行，但要燕麦奶", done(), done("好了"))
    assert "燕麦奶" in talk.model.asked[0]


def test_m8_any_other_message_is_told_to_the_model() -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("a"), use("x", "note"), max_iterations=2)
    result = talk.say("Take the organic one")
    assert result.why == "limit", "only continue grants further steps"
    talk.say("continue", done(), done("Bought."))
    assert "organic" in talk.model.asked[0]


def test_m8_a_plan_that_has_ended_says_so() -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("a"), done(), done("Bought."))
    result = talk.say("continue")
    assert (result.why, result.status) == ("finished", "completed")


@pytest.mark.parametrize("words", ["还没完成", "not done yet", "task 1 is not done yet"])
def test_m8_what_is_not_done_yet_is_open_again(words: str) -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("look", "buy"), done(), replanned("buy"), done(), done("Bought."))
    task = "look" if "1" in words else "buy"
    result = talk.say(words, done("now it is"), done("Really bought."))
    assert (result.why, result.answer) == ("answered", "Really bought.")
    assert words in talk.model.asked[0]
    assert f"## Current item\n- {task}" in talk.model.asked[0]
    assert [each.status for each in talk.plan.tasks()] == ["completed", "completed"]


@pytest.mark.parametrize(
    ("last", "then"),
    [
        (use("x", "note"), "## Current item\n- look"),
        (done(), "## Remaining items of the present plan\n- look\n- buy\n- carry"),
    ],
    ids=["an item has begun", "a replan is due"],
)
def test_m8_what_is_not_done_yet_comes_before_what_was_begun(
    last: dict[str, Any], then: str
) -> None:
    talk, items = Conversation(), ("look", "buy", "carry")
    talk.say("Buy milk", planned(*items), done(), replanned(*items[1:]), last, max_iterations=3)
    assert talk.say("not done yet").why == "limit", "only continue grants steps"
    assert [each.status for each in talk.plan.tasks()] == ["pending"] * 3
    talk.say("continue", done("so"), replanned("carry"), ask("Where?"))
    assert "> not done yet" in talk.model.asked[0]
    assert then in talk.model.asked[0]


def test_m8_a_cancelled_plan_is_not_opened_again() -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("a", "b"), done(), replanned("b"), ask("Which?"))
    talk.say("cancel")
    assert talk.say("not done yet").why == "finished"


def test_m8_a_new_goal_follows_a_plan_that_has_ended() -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("a"), done(), done("Bought."))
    result = talk.say("Drink it", planned("b"), done(), done("Drunk."))
    assert (result.why, result.answer) == ("answered", "Drunk.")
    assert talk.plan.goal == "Drink it"


def test_m8_an_answer_is_recorded_as_the_words_of_a_person() -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("a"), ask("Which?"))
    talk.say("oat \ud800", done("Oat."))
    (question,) = talk.plan.questions.all()
    assert (question.answer, question.by) == ("oat ?", PERSON)


@pytest.mark.parametrize("goal", ["请继续执行：写周报", "继续任务：取消订单"])
def test_m8_a_goal_may_look_like_a_phrase(goal: str) -> None:
    talk = Conversation(goal)
    talk.say(goal, planned("a"), done(), done("好了"))
    assert talk.plan.status == "completed"
    assert not talk.plan.core.read(lambda state: state.ledger.conversation.messages)


def test_m8_resume_with_other_words_tells_them_to_the_model() -> None:
    talk = Conversation()
    talk.say("Buy milk", planned("a"), use("x", "note"), max_iterations=1)
    talk.model = Script(done(), done("Bought."))
    loop = AgentLoop(model=talk.model, tools=[note], plan=talk.plan, loop="replan")
    assert asyncio.run(loop.run("Take oat milk", resume=True)).why == "answered"
    assert "oat milk" in talk.model.asked[0]


@pytest.mark.parametrize(("kind", "why"), [("ask", "waiting"), ("goal", "paused")])
def test_m8_what_the_plan_refuses_ends_the_run_with_the_reason(
    kind: QuestionKind, why: str
) -> None:
    """Played by hand: another process may have answered the question in between."""
    plan = PlanView(
        "Buy milk", "running", 1, 0, 0, 0, questions=(Question(1, "Which?", BEGINNING, kind),)
    )
    loop = replan_conversation("oat", Replan(moment="now", in_chat=True))
    assert isinstance(next(loop), e.Record)
    effect = loop.send(e.Reply(Recorded(), plan, BEGINNING))
    assert isinstance(effect, e.Record)
    assert len(effect.commands) == 1
    loop.send(e.Reply(Recorded(error="no longer open"), plan, BEGINNING))
    last = loop.send(e.Reply(Recorded(), plan, BEGINNING))
    while not isinstance(last, e.Emit):
        last = loop.send(e.Reply(Recorded(), plan, BEGINNING))
    assert isinstance(last.event, Stopped)
    assert (last.event.why, last.event.text) == (why, "no longer open")
