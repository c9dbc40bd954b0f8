"""Provider protocols, whole and streamed."""

import asyncio
import logging
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from msgspec import json

from outlast.agent.models.prompted import PromptedModel
from outlast.agent.models.providers.model import Kind, ProviderModel
from outlast.context.chat_model import Call, Message, Price, Usage
from outlast.errors import ModelBusy
from outlast.language import explain
from outlast.testing import Fault, ModelServer, ScriptedModel, Turn
from tests.agent.models.provider_clients import (
    KEY,
    KINDS,
    OPENING,
    SCRIPT,
    TOOLS,
    WRITE,
    ask,
    failure,
    provider_model,
)
from tests.agent.models.provider_rules import refusals

pytestmark = pytest.mark.slow  # pydantic-ai takes seconds to load


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_is_called_and_its_result_goes_back(kind: Kind, stream: bool) -> None:  # noqa: FBT001
    with ModelServer(SCRIPT) as server:
        model = provider_model(server, kind)
        reply, told = ask(model, stream=stream)
        assert (reply.text, len(reply.calls)) == ("I write it.", 1)
        assert (reply.calls[0].name, reply.calls[0].params) == (WRITE.name, WRITE.params)
        assert reply.usage is not None
        assert reply.usage.tokens > 0
        result = Message("tool", "Wrote 3 lines", call_id=reply.calls[0].id)
        said = (*OPENING, Message("assistant", reply.text, reply.calls), result)
        last, more = ask(model, said, stream=stream)
        assert (last.text, last.calls) == ("It is written.\nThe end.", ())
        assert "".join(told + more) == ("I write it.It is written.\nThe end." if stream else "")
        first, second = server.requests
        assert [one.role for one in first.messages] == ["system", "user"]
        assert [one.role for one in second.messages] == ["system", "user", "assistant", "tool"]
        assert second.messages[2].calls[0].params == WRITE.params
        assert second.messages[3].text == "Wrote 3 lines"
        assert (first.tools[0].name, first.max_tokens, first.stream) == ("write_file", 200, stream)
        newer = kind == "openai"  # which the others know nothing of, and so would not keep to
        assert ("max_completion_tokens" in first.body, "max_tokens" in first.body) == (
            newer,
            not newer,
        )


@pytest.mark.parametrize("name", ["claude-opus-4-6", "small-1"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_asked_with_its_tools_in_the_prompt(kind: Kind, name: str) -> None:
    written = json.encode({"name": WRITE.name, "arguments": WRITE.params}).decode()
    with ModelServer(ScriptedModel((Turn(say=written),))) as server:
        url = server.url if kind == "anthropic" else f"{server.url}/v1"
        model = PromptedModel(ProviderModel(kind, name, url=url, key=KEY))
        reply, _ = ask(model)
        assert reply.calls == (WRITE,)
        assert "tools" not in server.requests[0].body
        assert refusals(server) == []


def test_calls_without_ids_and_answers_to_nothing_make_a_good_request() -> None:
    twice = Message("assistant", "", (Call("write_file", {"n": 1}), Call("write_file", {"n": 2})))
    said = (*OPENING, twice, Message("tool", "first"), Message("tool", "second"))
    with ModelServer(SCRIPT) as server:
        for kind in KINDS:
            ask(provider_model(server, kind), (*said, Message("tool", "stray", call_id="gone")))
            calls = server.requests[-1].messages[2].calls
            answers = [one for one in server.requests[-1].messages if one.role == "tool"]
            assert [one.call_id for one in answers] == [one.id for one in calls]
            assert len({one.id for one in calls}) == 2
            assert [one.text for one in answers] == ["first", "second"]
            assert "stray" in server.requests[-1].messages[-1].text


def without_cache_marks(value: Any) -> Any:
    """Return a part of a request without its marks, which move on."""
    if isinstance(value, dict):
        return {
            key: without_cache_marks(one) for key, one in value.items() if key != "cache_control"
        }
    return list(map(without_cache_marks, value)) if isinstance(value, list) else value


def cache_marks(body: dict[str, Any]) -> list[str]:
    """Return the texts of the messages up to which a request is to be kept."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    return [str(without_cache_marks(block)) for block in blocks if "cache_control" in block]


def test_x5_what_was_sent_before_is_sent_again_byte_by_byte_and_marked_for_the_cache() -> None:
    with ModelServer(SCRIPT) as server:
        model = provider_model(server, "anthropic")
        reply, _ = ask(model)
        result = Message("tool", "Wrote", call_id=reply.calls[0].id)
        said = (*OPENING, Message("assistant", reply.text, reply.calls), result)
        ask(model, said)
        first, second = (one.body for one in server.requests)
        assert first["system"] == second["system"]
        assert first["tools"] == second["tools"]
        assert without_cache_marks(first["messages"]) == without_cache_marks(second["messages"][:1])
        assert "cache_control" in first["system"][-1]
        assert "Wrote" in cache_marks(second)[0]


def test_x5_the_plan_which_is_replaced_each_time_is_not_put_into_the_cache() -> None:
    plan, call = Message("user", "<plan>"), Call("write_file", {}, "1")
    said = (*OPENING, Message("assistant", "", (call,)), Message("tool", "Wrote", call_id="1"))
    with ModelServer(SCRIPT) as server:
        for messages in ((*OPENING, plan), (*said, plan), OPENING):
            ask(provider_model(server, "anthropic"), messages)
            assert "cache_control" not in server.requests[-1].body
        before, after, alone = (cache_marks(one.body) for one in server.requests)
    assert ["Write a.txt" in one for one in before] == [True]
    assert ["Wrote" in one for one in after] == [True]
    assert alone == []


def test_x4_money_is_counted_as_it_was_set_or_as_it_is_listed() -> None:
    with ModelServer(SCRIPT) as server:
        reply, _ = ask(provider_model(server, "openai", price=Price(2.0, 4.0)))
        assert reply.usage is not None
        usage = Usage(reply.usage.input, reply.usage.output)
        assert reply.usage.money == (usage.input * 2.0 + usage.output * 4.0) / 1_000_000
        nobody, _ = ask(provider_model(server, "openai-compatible"))
        assert nobody.usage is not None
        assert nobody.usage.money is None


def test_busy_says_how_long_to_wait() -> None:
    tomorrow = format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)
    told = ("7", "", "soon", "-1", tomorrow)
    faults = [Fault("status", status=529, retry_after=one) for one in told]
    with ModelServer(SCRIPT, faults) as server:
        errors = [failure(provider_model(server, "anthropic")) for _ in told]
    assert all(isinstance(error, ModelBusy) for error in errors)
    *waits, last = (error.details["retry_after"] for error in errors)
    assert waits == [7.0, None, None, None]
    assert isinstance(last, float)
    assert 80_000 < last <= 86_400


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (400, "model_refused"),
        (401, "model_key_refused"),
        (403, "model_key_refused"),
        (404, "model_not_there"),
        (402, "model_quota"),
    ],
)
def test_a_permanent_failure_is_not_busy(status: int, text: str) -> None:
    with ModelServer(SCRIPT, [Fault("status", status=status)]) as server:
        error = failure(provider_model(server, "openai"))
    assert (error.code, error.text) == ("MODEL_FAILED", text)


@pytest.mark.parametrize("kind", ["anthropic", "openai"])
@pytest.mark.parametrize("status", [400, 401, 422, 500])
def test_a5_the_key_is_nowhere(kind: Kind, status: int, caplog: pytest.LogCaptureFixture) -> None:
    says = f"Incorrect key {KEY}; headers: authorization: Bearer {KEY}"
    caplog.set_level(logging.DEBUG)
    with ModelServer(SCRIPT, [Fault("status", status=status, message=says)]) as server:
        model = provider_model(server, kind)
        error = failure(model)
        assert KEY in str(server.requests[0].headers), "it was sent"
    explain(error)
    shown = [str(error), repr(error), repr(error.details), repr(model), model.name, caplog.text]
    shown += traceback.format_exception(error)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert [one for one in shown if "canary" in one] == []


@pytest.mark.parametrize("stream", [False, True])
def test_a5_a_key_echoed_by_the_server_is_nowhere(stream: bool) -> None:  # noqa: FBT001
    script = ScriptedModel((Turn(say=f"It is {KEY}", calls=(Call("write_file", {"k": KEY}),)),))
    with ModelServer(script) as server:
        reply, _ = ask(provider_model(server, "openai"), stream=stream)
    assert "canary" not in repr(reply)
    assert (reply.text, reply.calls[0].params) == ("It is [redacted]", {"k": "[redacted]"})


def test_a_connection_is_closed_when_the_answer_is_no_longer_wanted() -> None:
    async def give_up(server: ModelServer) -> None:
        model = provider_model(server, "openai", seconds=60)
        task = asyncio.create_task(model.think(OPENING, TOOLS))
        while not server.requests:  # noqa: ASYNC110 - it grows in another thread
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()

    with ModelServer(SCRIPT, [Fault("hang")]) as server:
        asyncio.run(give_up(server))
