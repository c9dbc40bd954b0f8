"""Suggest the next command at the end of an answer."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Final

from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.interfaces.cli.call import Call

BLANK: Final = "…"  # for people to fill in
QUOTED_BLANK: Final = f'"{BLANK}"'


def suggest_command(call: Call, command: str, *more: str, key: str | None = None) -> str:
    """Return a command for the same plan and language; `run` and `resume` keep the model."""
    words = ["outlast", command, *more]
    if call.plan is not None:
        words += ["--plan", call.plan if key is None else key]
    if "model" in call.values and command in ("run", "resume"):
        words += ["--model", call.values["model"]]
    if call.common.get("lang"):
        words += ["--lang", call.common["lang"]]
    return visible(
        " ".join(word if word in (BLANK, QUOTED_BLANK) else quote(word) for word in words)
    )
