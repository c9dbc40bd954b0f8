"""Cut what is too large before anybody else has to deal with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.application.context.tool_results import shortened
from outlast.application.runtime.costs import size
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.config.settings import Limits
    from outlast.texts import Language


TOO_LARGE: Final = "TOO_LARGE"


class SizeCap:
    """Keeps the beginning and the end of a tool's output; refuses replies beyond all measure."""

    def __init__(self, inner: e.Handler, limits: Limits, language: Language = "en") -> None:
        """Wrap a handler."""
        self._inner, self._limits, self._language = inner, limits, language

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Cap what models and tools return."""
        reply = await self._inner.handle(effect)
        if isinstance(reply, e.Acted):
            most, language = self._limits.output_characters, self._language
            output = shortened(reply.output, most, language)
            return replace(reply, output=output, failed=shortened(reply.failed, most, language))
        if isinstance(reply, e.Thought):
            return self._thought(reply)
        return reply

    def _thought(self, reply: e.Thought) -> e.Thought:
        most = self._limits.reply_characters
        if len(reply.text) + sum(map(size, reply.calls)) <= most:
            return replace(reply, failed=shortened(reply.failed, most, self._language))
        said = text("reply_too_large", self._language, limit=most)
        return replace(reply, text="", calls=(), failed=said, code=TOO_LARGE)
