"""What the fields of a task may hold: its texts, its checks, what it makes and must not touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.limits import (
    LARGEST_LIST,
    check_choice,
    check_name,
    check_text,
    check_tuple,
    wrong_type,
)
from outlast.domain.model import CHECK_KINDS, Check
from outlast.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.domain.commands import EditTask, NewTask
    from outlast.domain.model import Task

_NONE: Final[tuple[object, ...]] = ()
RULES: Final = ("checks", "run", "files", "protect")  # none of which an attempt changes of its own


def check_fields(fields: NewTask | EditTask, where: str) -> None:
    """Refuse texts and rules that no task can have; None is left alone."""
    for field in ("reasoning", "active_form", "kind"):
        value = getattr(fields, field)
        if value is not None:
            check_text(value, where + field)
    check_rules(fields, where)


def check_rules(fields: NewTask | EditTask | Task, where: str) -> None:
    """Refuse what is no check, no command to run, or no list of patterns."""
    if fields.run is not None and fields.run != "":
        check_name(fields.run, f"{where}run")
    if fields.checks is not _NONE:  # most tasks have the empty tuple, of which there is one
        _check_each(fields.checks, f"{where}checks", check_check)
    if fields.files is not _NONE:
        _check_each(fields.files, f"{where}files", _check_pattern)
    if fields.protect is not _NONE:
        _check_each(fields.protect, f"{where}protect", _check_pattern)


def _check_each(
    values: tuple[object, ...] | None, argument: str, check: Callable[[object, str], object]
) -> None:
    if values is not None:
        check_tuple(values, argument, LARGEST_LIST)
        for value in values:
            check(value, argument)


def _check_pattern(pattern: object, argument: str) -> None:
    """Refuse a pattern that leads out of the workspace, where nothing is looked at."""
    named = check_name(pattern, argument)
    if named.startswith("/") or ".." in named.split("/"):
        raise InvalidArgument("pattern_outside", argument=argument, pattern=named)


def check_check(check: object, argument: str) -> None:
    """Refuse what is no check."""
    if type(check) is not Check:
        raise wrong_type(argument, "Check", check)
    check_choice(check.kind, argument, CHECK_KINDS)
    check_name(check.rule, argument)
