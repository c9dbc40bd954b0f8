"""How people give a task its checks, its patterns of files and its budget on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.budget import NO_LIMIT, Budget, renewed
from outlast.domain.model import Check
from outlast.errors import InvalidArgument
from outlast.formats.check_rule import parse_rule

if TYPE_CHECKING:
    from collections.abc import Iterable

_NONE: Final = "none"


def checks_of(rules: Iterable[str]) -> tuple[Check, ...]:
    """Return the checks that are spelled as in `task_plan.md`."""
    return tuple(map(_check, rules))


def _check(rule: str) -> Check:
    found = parse_rule(rule.strip())
    if not found.rule.strip():
        raise InvalidArgument("name_blank", argument="--check")
    return Check(found.kind, found.rule.strip())


def patterns_of(given: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns of lists such as `src/**, tests/**`; `none` stands for no pattern."""
    found = [one.strip() for many in given for one in many.split(",")]
    return () if found == [_NONE] else tuple(filter(None, found))


def is_none(given: tuple[str, ...]) -> bool:
    """Tell whether a list is `none`."""
    return [one.strip().lower() for one in given] == [_NONE]


def limits_of(given: str, known: Budget = NO_LIMIT) -> Budget:
    """Return what may be spent: only the limits that are named change; `none` sets none."""
    if is_none((given,)):
        return NO_LIMIT
    from outlast.config.amounts import read_budget

    return renewed(known, read_budget(given))
