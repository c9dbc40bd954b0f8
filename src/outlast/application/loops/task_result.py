"""What came of a task, in a line, by what was done for it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from outlast.domain.reply_markers import remarks
from outlast.formats.redact.engine import redact
from outlast.texts import clauses, text

if TYPE_CHECKING:
    from outlast.ports.effects import PlanView
    from outlast.texts import Language

_LONGEST: Final = 200


def result_of(plan: PlanView, reply: str, language: Language = "en") -> str:
    """Return what was done for the current task and what the model says to it, in plain text."""
    counts = Counter(done.what.partition(" ")[0] for done in plan.already)
    tools = [name if count == 1 else f"{name} ({count})" for name, count in counts.items()]
    done = (text("result_tools", language, tools=tools),) if tools else ()
    found = clauses((*_words(redact(reply)), *done), language)
    return found if len(found) <= _LONGEST else f"{found[: _LONGEST - 1]}…"


def _words(reply: str) -> tuple[str, ...]:
    """Return what a reply says beside its marks and code, on one line."""
    said = " ".join(" ".join(remarks(reply)).split())
    return (said,) if said else ()
