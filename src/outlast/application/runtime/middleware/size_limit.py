"""Limit the size of tool results and model replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.application.context.tool_results import truncate_result
from outlast.application.runtime.costs import json_size
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.config.settings import Limits
    from outlast.texts import Language


TOO_LARGE: Final = "TOO_LARGE"


class SizeLimit:
    """Truncates the middle of long tool results; refuses replies that are too large."""

    def __init__(self, inner: e.Handler, limits: Limits, language: Language = "en") -> None:
        self._inner, self._limits, self._language = inner, limits, language

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Limit the size of the reply."""
        reply = await self._inner.handle(effect)
        if isinstance(reply, e.Acted):
            limit, language = self._limits.output_characters, self._language
            output = truncate_result(reply.output, limit, language)
            return replace(
                reply, output=output, error=truncate_result(reply.error, limit, language)
            )
        if isinstance(reply, e.Thought):
            return self._limit_thought(reply)
        return reply

    def _limit_thought(self, reply: e.Thought) -> e.Thought:
        limit = self._limits.reply_characters
        if len(reply.text) + sum(map(json_size, reply.calls)) <= limit:
            return replace(reply, error=truncate_result(reply.error, limit, self._language))
        message = text("reply_too_large", self._language, limit=limit)
        return replace(reply, text="", calls=(), error=message, code=TOO_LARGE)
