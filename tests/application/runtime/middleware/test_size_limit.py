"""F13: results and replies that are too large are truncated or refused."""

import asyncio
from typing import Any

from outlast.application.runtime.middleware.size_limit import SizeLimit
from outlast.config.settings import Limits
from outlast.ports import effects as e
from outlast.ports import events as v
from outlast.ports.model import Call
from tests.application.runtime.middleware.fakes import GOOD, NOW, THINK, VIEW, Inner
from tests.application.runtime.poke_tool import POKE


def test_f13_too_large_results_are_truncated_or_refused() -> None:
    limits = Limits(output_characters=100, reply_characters=100)
    inner = Inner(
        e.Acted(NOW, VIEW, "a" * 99 + "b" * 99, "c" * 200),
        e.Thought(NOW, VIEW, "x" * 101),
        e.Thought(NOW, VIEW, calls=(Call("poke", {"x": "y" * 100}),)),
        GOOD,
        e.Emitted(NOW),
    )
    cap = SizeLimit(inner, limits)
    acted: Any = asyncio.run(cap.handle(e.Act(POKE)))
    assert acted.output == "a" * 50 + "\n(98 more characters omitted)\n" + "b" * 50
    assert len(acted.error) < 150
    for _ in range(2):
        thought: Any = asyncio.run(cap.handle(THINK))
        assert (thought.text, thought.calls, thought.code) == ("", (), "TOO_LARGE")
        assert thought.error == "The model's reply has more than 100 characters"
    assert asyncio.run(cap.handle(THINK)) == GOOD
    asyncio.run(cap.handle(e.Emit(v.Said("Hi"))))
