"""Providers are spoken to in their own protocols, whole and streamed."""

import asyncio
import logging
import traceback

import pytest

from outlast.adapters.models.providers import Kind
from outlast.errors import ModelBusy
from outlast.ports.model import Call, Message, Price, Usage
from outlast.testing import Fault, ModelServer, ScriptedModel, Turn
from outlast.texts import explain
from tests.adapters.models.asking import KEY, KINDS, OPENING, SCRIPT, TOOLS, WRITE, ask, at, failure

pytestmark = pytest.mark.slow  # pydantic-ai takes seconds to load


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_is_called_and_its_result_goes_back(kind: Kind, stream: bool) -> None:  # noqa: FBT001
    with ModelServer(SCRIPT) as server:
        model = at(server, kind)
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


def test_calls_without_ids_and_answers_to_nothing_make_a_good_request() -> None:
    twice = Message("assistant", "", (Call("write_file", {"n": 1}), Call("write_file", {"n": 2})))
    said = (*OPENING, twice, Message("tool", "first"), Message("tool", "second"))
    with ModelServer(SCRIPT) as server:
        for kind in KINDS:
            ask(at(server, kind), (*said, Message("tool", "stray", call_id="gone")))
            calls = server.requests[-1].messages[2].calls
            answers = [one for one in server.requests[-1].messages if one.role == "tool"]
            assert [one.call_id for one in answers] == [one.id for one in calls]
            assert len({one.id for one in calls}) == 2
            assert [one.text for one in answers] == ["first", "second"]
            assert "stray" in server.requests[-1].messages[-1].text


def test_x5_what_was_sent_before_is_sent_again_byte_by_byte_and_marked_for_the_cache() -> None:
    with ModelServer(SCRIPT) as server:
        model = at(server, "anthropic")
        reply, _ = ask(model)
        result = Message("tool", "Wrote", call_id=reply.calls[0].id)
        ask(model, (*OPENING, Message("assistant", reply.text, reply.calls), result))
        first, second = (one.body for one in server.requests)
        assert first["system"] == second["system"]
        assert first["tools"] == second["tools"]
        assert first["messages"] == second["messages"][:1]
        assert "cache_control" in first["system"][-1]


def test_x4_money_is_counted_as_it_was_set_or_as_it_is_listed() -> None:
    with ModelServer(SCRIPT) as server:
        reply, _ = ask(at(server, "openai", price=Price(2.0, 4.0)))
        assert reply.usage is not None
        usage = Usage(reply.usage.input, reply.usage.output)
        assert reply.usage.money == (usage.input * 2.0 + usage.output * 4.0) / 1_000_000
        nobody, _ = ask(at(server, "openai-compatible"))
        assert nobody.usage is not None
        assert nobody.usage.money is None


def test_busy_says_how_long_to_wait() -> None:
    faults = [Fault("status", status=429, retry_after="7"), Fault("status", status=529)]
    with ModelServer(SCRIPT, faults) as server:
        first, second = (failure(at(server, "anthropic")) for _ in range(2))
    assert isinstance(first, ModelBusy)
    assert first.details["retry_after"] == 7.0
    assert isinstance(second, ModelBusy)
    assert second.details["retry_after"] is None


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
def test_what_will_not_get_better_is_not_busy(status: int, text: str) -> None:
    with ModelServer(SCRIPT, [Fault("status", status=status)]) as server:
        error = failure(at(server, "openai"))
    assert (error.code, error.text) == ("MODEL_FAILED", text)


@pytest.mark.parametrize("kind", ["anthropic", "openai"])
@pytest.mark.parametrize("status", [400, 401, 422, 500])
def test_a5_the_key_is_nowhere(kind: Kind, status: int, caplog: pytest.LogCaptureFixture) -> None:
    says = f"Incorrect key {KEY}; headers: authorization: Bearer {KEY}"
    caplog.set_level(logging.DEBUG)
    with ModelServer(SCRIPT, [Fault("status", status=status, says=says)]) as server:
        model = at(server, kind)
        error = failure(model)
        assert KEY in str(server.requests[0].headers), "it was sent"
    explain(error)
    shown = [str(error), repr(error), repr(error.details), repr(model), model.name, caplog.text]
    shown += traceback.format_exception(error)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert [one for one in shown if "canary" in one] == []


@pytest.mark.parametrize("stream", [False, True])
def test_a5_a_server_that_gives_the_key_back_gets_it_into_nothing(stream: bool) -> None:  # noqa: FBT001
    script = ScriptedModel((Turn(say=f"It is {KEY}", calls=(Call("write_file", {"k": KEY}),)),))
    with ModelServer(script) as server:
        reply, _ = ask(at(server, "openai"), stream=stream)
    assert "canary" not in repr(reply)


def test_a_connection_is_closed_when_the_answer_is_no_longer_wanted() -> None:
    async def give_up(server: ModelServer) -> None:
        model = at(server, "openai", seconds=60)
        task = asyncio.create_task(model.think(OPENING, TOOLS))
        while not server.requests:  # noqa: ASYNC110 - it grows in another thread
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()

    with ModelServer(SCRIPT, [Fault("hang")]) as server:
        asyncio.run(give_up(server))
