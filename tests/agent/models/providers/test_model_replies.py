"""Replies that are complete messages but unusable: each gets its own error and cost."""

import asyncio

import pytest

from outlast.agent.models.providers.model import Kind, ProviderModel, listed_price
from outlast.config.settings import Limits, Settings
from outlast.context.chat_model import Price, Reply, Usage
from outlast.errors import ModelFailed
from outlast.language import explain
from outlast.model.budget import Budget
from outlast.testing import ModelServer
from tests.agent.models.canned_server import CannedAnswer, anthropic_answer, openai_answer, serve
from tests.agent.models.provider_clients import KEY, SCRIPT, ask, provider_model
from tests.agent.runtime.scene import memory_plan, play

pytestmark = pytest.mark.slow  # pydantic-ai takes seconds to load

CALL = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"path": "a'}}
USE = {"type": "tool_use", "id": "t", "name": "bash", "input": {}}
DECLINED = {
    "openai": openai_answer({"content": None, "refusal": "I will not."}, "stop"),
    "anthropic": anthropic_answer({"type": "text", "text": "I will not."}, "refusal"),
}
TORN = {
    "openai": openai_answer({"content": None, "tool_calls": [CALL]}, "length"),
    "anthropic": anthropic_answer(USE, "max_tokens", torn='{"path": "a'),
}
SILENT = {
    "openai": openai_answer({"content": None}, "length"),
    "anthropic": anthropic_answer(None, "max_tokens"),
}
KINDS: tuple[Kind, ...] = ("openai", "anthropic")
ONCE = Settings(limits=Limits(tries=1))


def model_at(url: str, kind: Kind, name: str = "small-1") -> ProviderModel:
    return ProviderModel(kind, name, url=url if kind == "anthropic" else f"{url}/v1", key=KEY)


def failure_of(canned: CannedAnswer, kind: Kind, *, stream: bool) -> ModelFailed:
    with serve(canned) as url, pytest.raises(ModelFailed) as caught:
        ask(model_at(url, kind), stream=stream)
    return caught.value


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_f13_a_model_that_refuses_is_not_asked_again(kind: Kind, stream: bool) -> None:  # noqa: FBT001
    error = failure_of(DECLINED[kind], kind, stream=stream)
    assert error.code == "MODEL_FAILED"
    assert explain(error) == f"{kind}:small-1 declined to answer: I will not."


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answers", [TORN, SILENT])
def test_f13_a_call_that_was_cut_off_is_not_carried_out(
    answers: dict[str, CannedAnswer],
    kind: Kind,
    stream: bool,  # noqa: FBT001
) -> None:
    error = failure_of(answers[kind], kind, stream=stream)
    assert (error.code, error.text) == ("MODEL_FAILED", "model_cut")
    assert "limits.max_tokens" in explain(error)


def test_x4_an_answer_that_cannot_be_used_is_paid_for() -> None:
    plan = memory_plan()
    plan.budget.set(Budget(tokens=100_000))
    with serve(TORN["openai"]) as url:
        stopped = asyncio.run(play(plan, model_at(url, "openai")))
    assert stopped.why == "model_failed"
    assert (plan.budget.cost().model_calls, plan.budget.cost().tokens) == (1, 15)


def test_x4_unknown_usage_costs_the_reservation_and_an_unsent_request_nothing() -> None:
    spent = []
    with ModelServer(SCRIPT) as server:
        gone = server.url
    with serve(CannedAnswer({"object": "chat.completion", "choices": 7}, [])) as url:
        for address in (url, gone):
            plan = memory_plan()
            plan.budget.set(Budget(tokens=100_000))
            asyncio.run(play(plan, model_at(address, "openai"), settings=ONCE))
            spent.append(plan.budget.cost().tokens)
    assert spent[0] > 4_096
    assert spent[1] == 0


def test_x4_cache_writes_have_their_own_price() -> None:
    canned = anthropic_answer(
        {"type": "text", "text": "So."},
        "end_turn",
        input_tokens=100,
        output_tokens=10,
        cache_read_input_tokens=1_000,
        cache_creation_input_tokens=2_000,
    )
    with serve(canned) as url:
        for stream in (False, True):
            reply, _ = ask(model_at(url, "anthropic", "claude-opus-4-1"), stream=stream)
            dollars = (100 * 15 + 1_000 * 1.5 + 2_000 * 18.75 + 10 * 75) / 1_000_000
            assert reply.usage is not None
            assert reply.usage.money == pytest.approx(dollars)
            assert reply == Reply("So.", (), Usage(3_100, 10, 1_000, reply.usage.money))
    assert listed_price("anthropic", "claude-opus-4-1") == Price(18.75, 75.0)


def test_x4_a_custom_server_has_no_listed_price() -> None:
    assert listed_price("openai", "gpt-4o") is not None
    with ModelServer(SCRIPT) as server:
        assert provider_model(server, "openai-compatible").price is None
    assert listed_price("openai-compatible", "gpt-4o") is None
