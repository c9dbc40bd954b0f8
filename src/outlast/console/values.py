"""Argument values: tasks, revisions, checks, patterns and limits as people spell them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import InvalidArgument, WrongUsage
from outlast.language import visible
from outlast.model.budget import NO_LIMIT, Budget, update_budget
from outlast.model.model import Check

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

_NONE: Final = "none"
_UNITS: Final = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_DIGITS: Final = 4  # enough for any time ago


def task_reference(word: str) -> str:
    """Return a task's id as the plan knows it; `#3` is `3`."""
    return word.removeprefix("#")


def task_references(lists: tuple[str, ...]) -> list[str]:
    """Return the tasks of lists such as `1,2`."""
    return [task_reference(word) for words in lists for word in words.replace(",", " ").split()]


def is_task_number(word: str) -> bool:
    """Return whether a word is a task's number: `3`, `#3` or `step_3`."""
    digits = task_reference(word).removeprefix("step_")
    return digits.isascii() and digits.isdigit()


def parse_revision(word: str) -> int:
    """Return the number of a revision: `12` or `r12`."""
    digits = word.removeprefix("r")
    if not (digits.isascii() and digits.isdigit() and len(digits) < len(str(2**53))):
        raise WrongUsage("not_a_revision", given=visible(word))
    return int(digits)


def parse_revision_range(word: str, newest: int) -> tuple[int, int]:
    """Return both revisions of `r12..r15`; a missing one is the first or the newest."""
    old, dots, new = word.partition("..")
    if not dots:
        raise WrongUsage("not_a_span", given=visible(word))
    return parse_revision(old) if old else 1, parse_revision(new) if new else newest


def parse_time(word: str, now: datetime) -> datetime:
    """Return the moment that `2026-11-16`, `2026-11-16 14:30`, `14:30` or `2h` (ago) stands for.

    A moment without a zone is in the zone of this machine.
    """
    from datetime import datetime, timedelta

    number, unit = word[:-1], word[-1:]
    if unit in _UNITS and number.isascii() and number.isdigit() and len(number) <= _DIGITS:
        return now - timedelta(seconds=int(number) * _UNITS[unit])
    here = now.astimezone()
    try:
        if ":" in word and "-" not in word:
            word = f"{here:%Y-%m-%d} {word}"
        return datetime.fromisoformat(word).astimezone()
    except (ValueError, OverflowError):
        raise WrongUsage("not_a_time", given=visible(word)) from None


def parse_checks(rules: Iterable[str]) -> tuple[Check, ...]:
    """Return checks spelled as in `task_plan.md`."""
    return tuple(map(_parse_check, rules))


def _parse_check(rule: str) -> Check:
    from outlast.model.check_rules import parse_rule

    parsed = parse_rule(rule.strip())
    if not parsed.rule.strip():
        raise InvalidArgument("name_blank", argument="--check")
    return Check(parsed.kind, parsed.rule.strip())


def parse_patterns(lists: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns of lists such as `src/**, tests/**`; `none` stands for no pattern."""
    patterns = [pattern.strip() for listed in lists for pattern in listed.split(",")]
    return () if patterns == [_NONE] else tuple(filter(None, patterns))


def is_none(words: tuple[str, ...]) -> bool:
    """Return whether a list is `none`."""
    return [word.strip().lower() for word in words] == [_NONE]


def parse_limits(limits: str, current: Budget = NO_LIMIT) -> Budget:
    """Return `current` with the named limits replaced; `none` removes all limits."""
    if is_none((limits,)):
        return NO_LIMIT
    from outlast.config.amounts import parse_budget

    return update_budget(current, parse_budget(limits))
