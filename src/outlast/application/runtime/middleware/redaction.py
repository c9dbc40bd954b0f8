"""Redact the texts that a loop commits to the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.formats.redact.fast import redact_text
from outlast.formats.redact.secrets import redact
from outlast.ports import effects as e

if TYPE_CHECKING:
    from outlast.domain.commands import Command

_TEXT_FIELDS: Final = ("text", "result", "error", "note", "reason", "name", "reasoning", "message")


class Redaction:
    """Redacts the commands of a commit and its reason."""

    def __init__(self, inner: e.Handler) -> None:
        self._inner = inner

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Redact `Record`."""
        if isinstance(effect, e.Record):
            commands = tuple(map(_redact_command, effect.commands))
            effect = replace(effect, commands=commands, reason=redact(effect.reason))
        return await self._inner.handle(effect)


def _redact_command(command: Command) -> Command:
    values = {name: getattr(command, name, None) for name in _TEXT_FIELDS}
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    redacted = {name: redact_text(value) for name, value in texts.items()}
    return command if redacted == texts else replace(command, **redacted)
