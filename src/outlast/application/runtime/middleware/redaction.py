"""Take secrets out of what a loop writes down and of what it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import convert, to_builtins
from msgspec.structs import replace

from outlast.application.runtime.listener import inform
from outlast.application.runtime.stream_redactor import Speech
from outlast.formats.redact.engine import redact, redact_value
from outlast.formats.redact.fast import without_secrets
from outlast.ports import effects as e
from outlast.ports.events import Streamed

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.domain.commands import Command
    from outlast.ports.events import Event

_WORDS: Final = ("text", "result", "error", "note", "reason", "name", "reasoning", "message")


class Redaction:
    """Keeps secrets out of the changes of a plan and the reasons for them."""

    def __init__(self, inner: e.Handler) -> None:
        """Wrap a handler."""
        self._inner = inner

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Look through what is to be recorded; let the rest through."""
        if isinstance(effect, e.Record):
            commands = tuple(map(_without, effect.commands))
            effect = replace(effect, commands=commands, reason=redact(effect.reason))
        return await self._inner.handle(effect)


def redacting(listener: Callable[[Event], object]) -> Callable[[Event], object]:
    """Return a listener that is told everything but secrets."""
    speech = Speech()

    def listen(event: Event) -> object:
        if isinstance(event, Streamed):
            said = speech.add(event.text)
            return listener(Streamed(said)) if said else None
        rest = speech.end()
        if rest:
            inform(listener, Streamed(rest))
        told: dict[str, Any] = to_builtins(event)
        safe = redact_value(told)
        return listener(event if safe == told else convert(safe, type(event)))

    return listen


def _without(command: Command) -> Command:
    words = {name: getattr(command, name, None) for name in _WORDS}
    said = {name: value for name, value in words.items() if isinstance(value, str)}
    safe = {name: without_secrets(value) for name, value in said.items()}
    return command if safe == said else replace(command, **safe)
