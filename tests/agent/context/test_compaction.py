"""A conversation that grows too long is compacted, and what matters stays."""

from typing import Any

from outlast.agent import effects as e
from outlast.agent.agent_spec import ToolLoop
from outlast.context.plan_view import PlanView
from tests.agent.loops.play import GOAL, Play, new_plan, poke


def test_a_conversation_that_grows_too_long_is_compacted() -> None:
    def act(effect: e.ToolCall) -> dict[str, Any]:
        return {"output": f"<{effect.call.id}>" + "x" * 3_000}

    def advise(effect: e.Consult, _plan: PlanView) -> dict[str, Any]:
        told = {"inject": ("findings",), "notification": "Cut"}
        return told if effect.point == "pre_compact" else {}

    plan = new_plan("One", "Two")
    replies = [(f"Step {n}", poke(n)) for n in range(12)]
    options = ToolLoop(context_characters=10_000, stop_limit=0)
    play = Play([*replies, "Bye"], plan, act=act, advise=advise, options=options)
    play.say(GOAL)
    assert all(sum(len(m.text) for m in think.messages) < 14_000 for think in play.thinks)
    began = next(n for n in range(2, 12) if len(play.messages(n)) < len(play.messages(n - 1)))
    messages = play.messages(began)
    assert [message.role for message in messages[:5]] == [
        *("system", "user", "assistant", "tool", "user")
    ]
    assert messages[1].text.startswith("[Resuming task] ")
    assert messages[1].text.endswith("User instruction: continue"), "the brief has the goal"
    assert messages[1].text.count(GOAL) == 1
    assert messages[4].text == "findings"
    assert set(play.notices("hook")) == {"Cut"}


def test_messages_of_people_are_repeated_after_a_compaction() -> None:
    plan = new_plan("One", "Two")

    def act(effect: e.ToolCall) -> dict[str, Any]:
        if effect.call.id == "c1":
            plan.acting_as("human").questions.say("Use the blue ones")
        return {"output": "x" * 3_000}

    replies = [(f"Step {n}", poke(n)) for n in range(8)]
    options = ToolLoop(context_characters=8_000, stop_limit=0)
    play = Play([*replies, "Bye"], plan, act=act, options=options)
    play.say(GOAL)
    begun = [n for n in range(2, 9) if play.messages(n)[1].text.startswith("[Resuming task] ")]
    assert len(begun) > 3, "it began anew more than once"
    assert all(play.shown(n).count("Use the blue ones") == 1 for n in range(2, 9))


def test_a_last_exchange_that_is_too_long_is_truncated() -> None:
    options = ToolLoop(context_characters=2_000, auto_create_plan=False)
    output = f"first {'x' * 9_000} last"
    replies = [("", poke(), poke(2)), "Bye"]
    play = Play(replies, options=options, act=lambda _effect: {"output": output})
    play.say(GOAL)
    messages = play.messages()
    assert [one.role for one in messages] == ["system", "user", "assistant", "tool", "tool"]
    assert sum(len(one.text) for one in messages[2:]) <= 1_000
    for one in messages[3:]:
        assert one.text.startswith("first xx")
        assert one.text.endswith("xx last")
        assert "more characters omitted)" in one.text


def test_a_last_exchange_that_cannot_be_truncated_is_dropped() -> None:
    options = ToolLoop(context_characters=1_000, auto_create_plan=False)
    play = Play([("x" * 9_000, poke()), "Bye"], options=options)
    play.say(GOAL)
    assert [message.role for message in play.messages()] == ["system", "user"]
