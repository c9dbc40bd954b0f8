"""F14 and R0.08: whatever a model and people say, a loop ends within its limit."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast import Plan
from outlast.agent import effects as e
from outlast.agent.agent_spec import ToolLoop
from outlast.agent.events import Asked, Said, Stopped
from outlast.context.chat_model import Call, Message
from outlast.context.plan_view import PlanView
from outlast.model.model import PLAN_STATUSES
from tests.agent.loops.play import GOAL, Play, new_plan, poke

LINES = (
    "[Step] Fetch",
    "[Step] Sort",
    "[Step] Print",
    "[Done]",
    "[完成]",
    "Now the next one.",
    "[Progress] 1/3 Fetch",
    "```\n[Done]\n```",
    "Enough.",
    "Which one?",
    "[Done] Sort",
    "(2/5)",
)
CALLS = (
    poke(),
    poke(2),
    Call("ask_user", {"question": "Which?"}, "q"),
    Call("ask_user", {}, "q0"),
    Call("plan_read", {}, "r"),
    Call("nothing", {}, "n"),
)
texts = st.lists(st.sampled_from(LINES), max_size=3).map("\n".join)
calls = st.lists(st.sampled_from(CALLS), max_size=3)
thoughts = st.one_of(
    st.tuples(texts, calls),
    st.just({"error": "gone"}),
    st.just({"error": "no more", "code": "OUT_OF_BUDGET"}),
)
MESSAGES = (GOAL, "continue", "继续", "not done yet", "Hello", "/plan", "/cancel", "Blue", "yes")
options = st.builds(
    ToolLoop,
    max_iterations=st.integers(1, 6),
    policy=st.sampled_from(("auto", "words", "explicit")),
    stop_limit=st.integers(0, 3),
    auto_create_plan=st.booleans(),
    enable_planning=st.booleans(),
    context_characters=st.sampled_from((200, 200_000)),
    most_iterations=st.integers(1, 4),
    can_ask=st.booleans(),
)


def hold(effect: e.Consult, plan: PlanView) -> dict[str, Any]:
    unfinished = not plan.is_scratch and plan.total and not plan.has_ended
    return {"should_continue": effect.point != "on_stop" or not unfinished, "inject": ("<open>",)}


def check_conversation(messages: Sequence[Message]) -> None:
    """Check that a provider would accept it: each call is answered once and at once."""
    assert [message.role for message in messages].count("system") == 1
    owed: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert message.call_id == owed.pop(0)
        else:
            assert not owed
            owed = [call.id for call in message.calls]
    assert not owed


def check_run(play: Play, stopped: Stopped, plan: Plan, before: int) -> None:
    allowance = play.options.max_iterations
    assert len(play.thinks) <= allowance, "no run thinks more often than it may"
    assert stopped.status in PLAN_STATUSES
    assert stopped.status == play.plan.status
    if play.plan is plan:
        assert before <= plan.iteration_count <= before + allowance
    if stopped.why in ("limit", "budget", "waiting", "model_failed") and play.has_plan:
        assert stopped.status in ("paused", "completed", "failed")
    for think in play.thinks:
        check_conversation(think.messages)
    said = [event for event in play.events if isinstance(event, Said)]
    asked = [event for event in play.events if isinstance(event, Asked)]
    assert len(said) <= 1 + len(asked), "one answer, and what stands before a question"


@pytest.mark.slow
@pytest.mark.soak
@given(
    replies=st.lists(thoughts, min_size=30, max_size=30),
    messages=st.lists(st.sampled_from(MESSAGES), min_size=1, max_size=5),
    chosen=options,
    begun=st.booleans(),
    answers=st.lists(st.sampled_from((None, "Red", "no")), max_size=3),
    interrupted=st.booleans(),
)
def test_f14_every_run_ends_within_its_allowance(  # noqa: PLR0913 - what can differ
    *,
    replies: list[Any],
    messages: list[str],
    chosen: ToolLoop,
    begun: bool,
    answers: list[str | None],
    interrupted: bool,
) -> None:
    plan = new_plan("Fetch", "Sort") if begun else None
    told = iter(replies)

    def think(_effect: e.Think) -> Any:
        given = next(told, "Enough.")
        return (given[0], *given[1]) if isinstance(given, tuple) else given

    for message in messages:
        play = Play(think, plan, options=chosen, advise=hold, answers=answers)
        before = play.plan.iteration_count
        on = play.plan
        stopped = play.say(message, interrupted=interrupted and play.has_plan)
        check_run(play, stopped, on, before)
        plan = play.plan if play.has_plan else None
