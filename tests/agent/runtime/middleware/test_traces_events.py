"""R4.11: the events around a tool call."""

from typing import Any

from outlast.agent import effects as e
from outlast.agent.events import CallEnded
from outlast.agent.runtime.middleware.traces import emit_tool_events
from tests.agent.runtime.hostile import FakeTime
from tests.agent.runtime.middleware.fakes import Slow, call, new_lane
from tests.agent.runtime.poke_tool import POKE


def test_r4_11_the_duration_of_a_call_is_in_milliseconds() -> None:
    time, events = FakeTime(), list[Any]()
    lane = new_lane(time, listener=events.append)
    call(emit_tool_events, e.Act(POKE), lane, Slow(time, 1.25))
    (ended,) = (event for event in events if isinstance(event, CallEnded))
    assert ended.duration == ended.result["duration"] == 1_250
