"""Wrap a model without native tool calls: describe tools in text, read calls from JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import json

from outlast.agent.models.prompted.calls import ANSWER, SAY, parse_reply
from outlast.agent.models.prompted.signatures import tool_signature
from outlast.agent.models.tool_call_ids import renumber_calls
from outlast.context.chat_model import Message, Model, Reply
from outlast.errors import ModelBusy, ModelFailed
from outlast.language import text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.context.chat_model import Call, Price, ToolSpec
    from outlast.language import Language

_OUR_TAGS: Final = re.compile(r"<(?=\s*/?\s*tool)", re.IGNORECASE)
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
_CALL_FORM: Final = '{"name": "…", "arguments": {…}}'
_ANSWER_FORM: Final = f'{{"name": "{ANSWER}", "arguments": {{"text": "…"}}}}'
_ANSWER_FIELDS: Final = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}


class StructuredModel(Model, Protocol):
    """A model that supports structured output."""

    async def think_structured(
        self, messages: Sequence[Message], schema: dict[str, Any], *, max_tokens: int | None = None
    ) -> Reply:
        """Answer a conversation with JSON that fits a schema."""


class PromptedModel:
    """A model whose tools are described in its prompt.

    It asks for structured output until the server rejects the schema, then for plain text. Both
    replies are parsed leniently.
    """

    def __init__(self, inner: StructuredModel) -> None:
        self._inner, self._has_schema_support = inner, True

    @property
    def name(self) -> str:
        """The name shown to people."""
        return f"{self._inner.name}?tools=prompt"

    @property
    def price(self) -> Price | None:
        """The price of the wrapped model."""
        return self._inner.price

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        """Request a reply; call `on_text` once, since partial JSON is no text."""
        plain = to_plain_text(messages, tools)
        reply = await self._request(plain, tools, max_tokens)
        parsed = parse_reply(reply.text, tools)
        if parsed.text and on_text is not None:
            on_text(parsed.text)
        invalid = reply.invalid_calls + parsed.invalid_calls
        return Reply(parsed.text, parsed.calls, reply.usage, invalid)

    async def _request(
        self, messages: list[Message], tools: Sequence[ToolSpec], max_tokens: int | None
    ) -> Reply:
        if self._has_schema_support and tools:
            try:
                return await self._inner.think_structured(
                    messages, reply_schema(tools), max_tokens=max_tokens
                )
            except ModelBusy:
                raise
            except ModelFailed as error:
                if error.details.get("status") != 400:  # noqa: PLR2004 - Bad Request
                    raise
                self._has_schema_support = False
        return await self._inner.think(messages, (), max_tokens=max_tokens)


def reply_schema(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """Return the JSON Schema of a reply: a call of one of the tools, or an answer."""
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


def to_plain_text(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """Return the conversation with tools, calls and results as plain text."""
    names: dict[str, str] = {}
    heads = [message.text for message in messages if message.role == "system"]
    if tools:  # first, because they change least and servers cache the beginning
        heads.insert(0, _tool_prompt("".join(heads), tools))
    plain = [Message("system", "\n\n".join(heads))] if heads else []
    for message in renumber_calls(messages):
        names.update((call.id, call.name) for call in message.calls)
        if message.role == "system":
            continue
        if message.role == "tool":
            plain.append(Message("user", _result_text(names[message.call_id], message.text)))
        elif message.calls:
            lines = [message.text] if message.text else []
            plain.append(Message("assistant", "\n".join([*lines, *map(_call_text, message.calls)])))
        else:
            plain.append(message)
    return plain


def _tool_prompt(instructions: str, tools: Sequence[ToolSpec]) -> str:
    """Describe the tools in the language of the instructions."""
    language: Language = "zh" if _CHINESE.search(instructions) else "en"
    head = text("prompted_head", language, call=_CALL_FORM, answer=_ANSWER_FORM)
    lines = [text("prompted_tools", language), "<tools>", *map(tool_signature, tools), "</tools>"]
    return "\n".join([head, *lines])


def _call_text(call: Call) -> str:
    return json.encode({"name": call.name, "arguments": call.params}).decode()


def _result_text(name: str, result: str) -> str:
    """Wrap a tool result in a block that its content cannot close."""
    inside = _OUR_TAGS.sub("&lt;", result)
    return f'<tool_response name="{name}">\n{inside}\n</tool_response>'
