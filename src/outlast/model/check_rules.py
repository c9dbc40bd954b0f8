"""The one-line form of a check: `pytest -q`, `file: PATH ~ PATTERN`, `person: TEXT` and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.model.model import CHECK_KINDS, Check

if TYPE_CHECKING:
    from outlast.model.model import CheckKind

_KINDS: Final[dict[str, CheckKind]] = {f"{kind}:": kind for kind in CHECK_KINDS}


def parse_rule(text: str) -> Check:
    """Parse a check; a text without a kind is a command."""
    kind = _kind(text)
    if kind is None:
        return Check("command", text)
    return Check(kind, text[len(kind) + 1 :].removeprefix(" "))


def write_rule(check: Check) -> str:
    """Write a check; a command that looks like another kind gets the prefix `command:`."""
    if check.kind == "command" and _kind(check.rule) is None:
        return check.rule
    return f"{check.kind}: {check.rule}"


def _kind(text: str) -> CheckKind | None:
    head, colon, _ = text.partition(":")
    return _KINDS.get(f"{head.lower()}{colon}")
