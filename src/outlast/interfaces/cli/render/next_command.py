"""The commands that people are told to go on with."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Final

from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.interfaces.cli.call import Call

BLANK: Final = "…"  # which people fill in
QUOTED_BLANK: Final = f'"{BLANK}"'


def again(call: Call, command: str, *more: str, key: str | None = None) -> str:
    """Return a command about the same plan, by the same model if it needs one."""
    words = ["outlast", command, *more]
    if call.plan is not None:
        words += ["--plan", call.plan if key is None else key]
    if "model" in call.values and command in ("run", "resume"):
        words += ["--model", call.values["model"]]
    if call.common.get("lang"):
        words += ["--lang", call.common["lang"]]
    return visible(" ".join(one if one in (BLANK, QUOTED_BLANK) else quote(one) for one in words))
