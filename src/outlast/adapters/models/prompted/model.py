"""Tools for models that cannot call any: they are told of in words, and asked for in JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import json

from outlast.adapters.models.prompted.calls import ANSWER, SAY, spoken
from outlast.adapters.models.prompted.signatures import signature
from outlast.adapters.models.tool_call_ids import numbered
from outlast.errors import ModelBusy, ModelFailed
from outlast.ports.model import Message, Model, Reply
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.ports.model import Call, Price, ToolSpec
    from outlast.texts import Language

_OUR_TAGS: Final = re.compile(r"<(?=\s*/?\s*tool)", re.IGNORECASE)
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
_CALL_FORM: Final = '{"name": "…", "arguments": {…}}'
_ANSWER_FORM: Final = f'{{"name": "{ANSWER}", "arguments": {{"text": "…"}}}}'
_ANSWER_FIELDS: Final = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}


class Filling(Model, Protocol):
    """A model that can be held to a JSON Schema."""

    async def fill_in(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any],
        *,
        max_tokens: int | None = None,
    ) -> Reply:
        """Answer a conversation with JSON of a schema."""


class PromptedModel:
    """A model whose tools stand in its prompt.

    A server that cannot hold it to a schema is asked without one from then on; what comes back is
    read with patience either way.
    """

    def __init__(self, inner: Filling) -> None:
        """Take the model that is asked."""
        self._inner, self._by_schema = inner, True

    @property
    def name(self) -> str:
        """What people call it by."""
        return f"{self._inner.name}?tools=prompt"

    @property
    def price(self) -> Price | None:
        """What it costs."""
        return self._inner.price

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        """Ask it; its answer is told as a whole, for until then it is JSON."""
        plain = in_words(messages, tools)
        reply = await self._asked(plain, tools, max_tokens)
        said, calls = spoken(reply.text, [tool.name for tool in tools])
        if said and on_text is not None:
            on_text(said)
        return Reply(said, calls, reply.usage, reply.unread)

    async def _asked(
        self, messages: list[Message], tools: Sequence[ToolSpec], max_tokens: int | None
    ) -> Reply:
        if self._by_schema and tools:
            try:
                return await self._inner.fill_in(messages, form(tools), max_tokens=max_tokens)
            except ModelBusy:
                raise
            except ModelFailed as error:
                if error.details.get("status") != 400:  # noqa: PLR2004 - what is refused as such
                    raise
                self._by_schema = False
        return await self._inner.think(messages, (), max_tokens=max_tokens)


def form(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """Return the schema of an answer: a call of one of the tools, or words."""
    fields = {tool.name: tool.parameters for tool in tools} | {ANSWER: _ANSWER_FIELDS}
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {
                    SAY: {"type": "string"},
                    "name": {"const": name},
                    "arguments": arguments,
                },
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
            for name, arguments in fields.items()
        ]
    }


def in_words(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """Return a conversation in which tools, calls and their results are plain text."""
    names: dict[str, str] = {}
    heads = [message.text for message in messages if message.role == "system"]
    if tools:  # they change least, and a server that knows the beginning reads only the rest
        heads.insert(0, _told("".join(heads), tools))
    found = [Message("system", "\n\n".join(heads))] if heads else []
    for message in numbered(messages):
        names.update((call.id, call.name) for call in message.calls)
        if message.role == "system":
            continue
        if message.role == "tool":
            found.append(Message("user", _result(names[message.call_id], message.text)))
        elif message.calls:
            lines = [message.text] if message.text else []
            found.append(Message("assistant", "\n".join([*lines, *map(_call, message.calls)])))
        else:
            found.append(message)
    return found


def _told(instructions: str, tools: Sequence[ToolSpec]) -> str:
    """Return what a model has to know of its tools, in the language of its instructions."""
    language: Language = "zh" if _CHINESE.search(instructions) else "en"
    head = text("prompted_head", language, call=_CALL_FORM, answer=_ANSWER_FORM)
    listed = [text("prompted_tools", language), "<tools>", *map(signature, tools), "</tools>"]
    return "\n".join([head, *listed])


def _call(call: Call) -> str:
    return json.encode({"name": call.name, "arguments": call.params}).decode()


def _result(name: str, said: str) -> str:
    """Return what came of a call; nothing in it can end the block that it stands in."""
    inside = _OUR_TAGS.sub("&lt;", said)
    return f'<tool_response name="{name}">\n{inside}\n</tool_response>'
