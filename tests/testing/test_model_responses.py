"""`/v1/responses` of the model server, as the SDK of its provider reads it."""

from typing import Any

import pytest
from openai import BadRequestError, OpenAI

from outlast.context.chat_model import Call, Message, Reply, ToolSpec, Usage
from outlast.testing import Fault, ModelServer
from tests.fake_model import FakeModel

CALLS = (Call("look_up", {"town": "Bern"}), Call("look_up", {"town": "Basel"}))
LOOK_UP: Any = {
    "type": "function",
    "name": "look_up",
    "description": "Look a town up.",
    "parameters": {"type": "object"},
    "strict": False,
}
CONVERSATION: Any = [
    {"role": "developer", "content": "Be short."},
    {"role": "user", "content": [{"type": "input_text", "text": "Where is Bern?"}]},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": '{"town": "Bern"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "At the Aare."},
]


def client(server: ModelServer) -> OpenAI:
    return OpenAI(base_url=f"{server.url}/v1", api_key="test", max_retries=0)


def test_a_reply_has_its_text_its_calls_and_its_usage() -> None:
    model = FakeModel([Reply("I look.", CALLS, Usage(30, 5, 20))])
    with ModelServer(model) as server, client(server) as openai:
        answer = openai.responses.create(model="any", input=CONVERSATION, tools=[LOOK_UP])
    assert answer.output_text == "I look."
    called = [item for item in answer.output if item.type == "function_call"]
    assert [(item.name, item.arguments) for item in called] == [
        ("look_up", '{"town":"Bern"}'),
        ("look_up", '{"town":"Basel"}'),
    ]
    assert [item.call_id for item in called] == ["call_2", "call_3"], "the conversation has one"
    assert answer.usage is not None
    assert (answer.usage.total_tokens, answer.usage.input_tokens_details.cached_tokens) == (35, 20)


def test_the_model_gets_the_conversation_and_the_tools_it_can_call() -> None:
    model = FakeModel([Reply("At the Aare.")])
    with ModelServer(model) as server, client(server) as openai:
        openai.responses.create(
            model="any",
            instructions="You know towns.",
            input=CONVERSATION,
            tools=[LOOK_UP, {"type": "web_search"}],
            max_output_tokens=50,
        )
    asked = model.requests[0]
    assert asked.messages == (
        Message("system", "You know towns."),
        Message("system", "Be short."),
        Message("user", "Where is Bern?"),
        Message("assistant", "", (Call("look_up", {"town": "Bern"}, "c1"),)),
        Message("tool", "At the Aare.", call_id="c1"),
    )
    assert asked.tools == (ToolSpec("look_up", "Look a town up.", {"type": "object"}),)
    assert asked.max_tokens == 50


def test_a_stream_ends_with_the_same_response() -> None:
    reply = Reply("Bern is at the river Aare, as everybody knows.", CALLS, Usage(30, 5))
    with (
        ModelServer(FakeModel([reply])) as server,
        client(server) as openai,
        openai.responses.stream(model="any", input="Where is Bern?") as stream,
    ):
        events = list(stream)
        answer = stream.get_final_response()
    pieces = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert len(pieces) > 1
    assert "".join(pieces) == answer.output_text == reply.text
    assert [item.type for item in answer.output] == ["message", "function_call", "function_call"]


@pytest.mark.parametrize("stream", [False, True])
def test_f13_a_fault_is_an_error_of_the_provider(stream: bool) -> None:  # noqa: FBT001 - a case
    fault = Fault("status", status=400, message="no such town")
    with (
        ModelServer(FakeModel([Reply("Here.")]), [fault]) as server,
        client(server) as openai,
        pytest.raises(BadRequestError, match="no such town"),
    ):
        openai.responses.create(model="any", input="Where is Bern?", stream=stream)
