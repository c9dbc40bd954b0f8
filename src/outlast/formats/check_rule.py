"""How people write a check in one text: `pytest -q`, `file: PATH ~ PATTERN`, `person: TEXT`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.model import CHECK_KINDS, Check

if TYPE_CHECKING:
    from outlast.domain.model import CheckKind

_KINDS: Final[dict[str, CheckKind]] = {f"{kind}:": kind for kind in CHECK_KINDS}


def parse_rule(text: str) -> Check:
    """Return the check that a text stands for; what names no kind is a command."""
    kind = _kind(text)
    if kind is None:
        return Check("command", text)
    return Check(kind, text[len(kind) + 1 :].removeprefix(" "))


def write_rule(check: Check) -> str:
    """Return the text of a check; a command that would be taken for another kind is named one."""
    if check.kind == "command" and _kind(check.rule) is None:
        return check.rule
    return f"{check.kind}: {check.rule}"


def _kind(text: str) -> CheckKind | None:
    head, colon, _ = text.partition(":")
    return _KINDS.get(f"{head.lower()}{colon}")
