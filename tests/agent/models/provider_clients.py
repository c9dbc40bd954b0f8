"""A script, tools, and clients for every provider protocol."""

import asyncio
from typing import Any, Literal

from outlast.agent.models.prompted import PromptedModel
from outlast.agent.models.providers.model import Kind, ProviderModel
from outlast.context.chat_model import Call, Message, Model, Reply, ToolSpec
from outlast.errors import ModelFailed
from outlast.testing import ModelServer, ScriptedModel, Turn

KEY = "sk-canary-0123456789abcdef"
WRITE = Call("write_file", {"path": "a.txt", "content": 'Grüße "an" 世界\n'})
SCRIPT = ScriptedModel(
    (Turn("Wrote", "It is written.\nThe end."), Turn(None, "I write it.", (WRITE,))), name="played"
)
TOOLS = (
    ToolSpec(
        "write_file",
        "Write a file.",
        {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
            "additionalProperties": False,
        },
    ),
)
OPENING = (Message("system", "You write."), Message("user", "Write a.txt"))
KINDS: tuple[Kind, ...] = ("anthropic", "openai", "openai-compatible", "ollama")
Contract = Literal["anthropic", "openai", "prompted"]
CONTRACTS: tuple[Contract, ...] = ("anthropic", "openai", "prompted")


def provider_model(server: ModelServer, kind: Kind, **options: Any) -> ProviderModel:
    url = server.url if kind == "anthropic" else f"{server.url}/v1"
    return ProviderModel(kind, "small-1", url=url, key=KEY, **options)


def contract_model(contract: Contract, server: ModelServer, **options: Any) -> Model:
    """Return a model that speaks to a server in one of the ways there are."""
    if contract == "prompted":
        return PromptedModel(provider_model(server, "openai-compatible", **options))
    return provider_model(server, contract, **options)


def ask(
    model: Model, messages: tuple[Message, ...] = OPENING, *, stream: bool = False
) -> tuple[Reply, list[str]]:
    told: list[str] = []
    on_text = told.append if stream else None
    reply = asyncio.run(model.think(messages, TOOLS, max_tokens=200, on_text=on_text))
    return reply, told


def failure(model: Model, *, stream: bool = False) -> ModelFailed:
    try:
        reply, _ = ask(model, stream=stream)
    except ModelFailed as error:
        return error
    raise AssertionError(reply)
