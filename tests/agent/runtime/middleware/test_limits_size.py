"""F13: results and replies that are too large are truncated or refused."""

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Thought
from outlast.agent.runtime.middleware.limits import limit_size
from outlast.config.settings import Limits
from outlast.context.chat_model import Call
from tests.agent.runtime.middleware.fakes import GOOD, THINK, Inner, call, new_lane
from tests.agent.runtime.poke_tool import POKE


def test_f13_too_large_results_are_truncated_or_refused() -> None:
    limits = Limits(output_characters=100, reply_characters=100)
    inner = Inner(
        Acted("a" * 99 + "b" * 99, "c" * 200),
        Thought("x" * 101),
        Thought(calls=(Call("poke", {"x": "y" * 100}),)),
        GOOD,
    )
    lane = new_lane(limits=limits)
    acted = call(limit_size, e.Act(POKE), lane, inner)
    assert acted.output == "a" * 50 + "\n(98 more characters omitted)\n" + "b" * 50
    assert len(acted.error) < 150
    for _ in range(2):
        thought = call(limit_size, THINK, lane, inner)
        assert (thought.text, thought.calls, thought.code) == ("", (), "TOO_LARGE")
        assert thought.error == "The model's reply has more than 100 characters"
    assert call(limit_size, THINK, lane, inner) == GOOD
