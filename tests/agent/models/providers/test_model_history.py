"""Any conversation of a loop becomes requests that no provider refuses."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outlast import AgentLoop
from outlast.agent.events import Event, Said
from outlast.agent.models.providers.model import Kind
from outlast.agent.tools.choice import built_in_tools
from outlast.context.chat_model import Call, Message
from outlast.testing import ModelServer, ScriptedModel, Turn
from tests.agent.models.provider_clients import SCRIPT, ask, provider_model
from tests.agent.models.provider_rules import refusals

pytestmark = pytest.mark.slow  # pydantic-ai takes seconds to load

TEXTS = st.sampled_from(("", " \n", "words", "words \n"))
NAMES = st.sampled_from(("write_file", "functions.read file", "", "读", "x" * 90))
IDS = st.sampled_from(("", "one", "two", "y" * 70))
CALLS = st.lists(st.builds(Call, NAMES, st.just({"n": 1}), IDS), max_size=3)


@st.composite
def conversations(draw: Any) -> tuple[Message, ...]:
    """Return what a loop can come to: every call is answered before anything else is said."""
    said = [Message("system", "You work."), Message("user", draw(TEXTS))]
    for calls in draw(st.lists(CALLS, max_size=3)):
        said.append(Message("assistant", draw(TEXTS), tuple(calls)))
        said += [Message("tool", draw(TEXTS), call_id=call.id) for call in calls]
        said += [Message("user", text) for text in draw(st.lists(TEXTS, max_size=2))]
    return tuple(said)


@pytest.mark.parametrize("kind", ["anthropic", "openai"])
def test_x4_no_conversation_is_refused_for_its_form(kind: Kind) -> None:
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(conversations())
    def holds(said: tuple[Message, ...]) -> None:
        server.requests.clear()
        ask(provider_model(server, kind), said)
        assert refusals(server) == []

    with ModelServer(SCRIPT) as server:
        holds()


PLAYED = ScriptedModel(
    (
        Turn("- Progress: 2/2", "All is well."),
        Turn("- Current step: 2.", "", (Call("complete_task", {"task": 2, "result": "x"}),)),
        Turn("- Current step: 1.", " ", (Call("complete_task", {"task": 1, "result": "x"}),)),
        Turn(calls=(Call("add_tasks", {"tasks": ["One", "Two"]}), Call("made.up name"))),
    )
)


@pytest.mark.parametrize("kind", ["anthropic", "openai"])
def test_x4_an_agent_with_all_tools_is_refused_nothing(kind: Kind, tmp_path: Path) -> None:
    said: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, Said):
            said.append(event.text)

    with ModelServer(PLAYED) as server:
        agent = AgentLoop(
            model=provider_model(server, kind),
            tools=built_in_tools(str(tmp_path)),
            workdir=tmp_path,
            on_event=hear,
        )
        assert asyncio.run(agent.run("Do two things")).why == "finished"
        assert refusals(server) == []
        assert [call.name for call in server.requests[1].messages[2].calls][1] == "made_up_name"
        assert said == ["All is well."]
