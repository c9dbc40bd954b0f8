"""What came of a call, for the model that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.context.escape import quoted
from outlast.ports.model import Message
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.ports.model import Call
    from outlast.texts import Language

_OUTPUT: Final = 20_000


def tool_message(call: Call, output: str, failed: str, language: Language = "en") -> Message:
    """Return what came of a call, cut."""
    said = text("call_failed", language, problem=failed) if failed else output
    cut = text("call_cut", language, count=len(said) - _OUTPUT)
    return Message("tool", quoted(said, _OUTPUT, f"\n{cut}"), call_id=call.id)


def not_run(call: Call, language: Language = "en") -> Message:
    """Return the answer to a call that was not carried out, since the plan ended before it."""
    return Message("tool", text("call_not_run", language), call_id=call.id)
