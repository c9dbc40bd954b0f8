"""Notes beside the tasks: findings, errors, the deliverable, prose."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.errors import InvalidArgument
from outlast.model import changes as c
from outlast.model import commands
from outlast.model.changes import Change, StrikesCleared
from outlast.model.ledger import strike_key
from outlast.model.limits import (
    LARGEST_ID,
    REF_CHARACTERS,
    check_choice,
    check_flag,
    check_length,
    check_name,
    check_number,
    check_text,
    check_tuple,
    wrong_type_error,
)
from outlast.model.model import CATEGORIES, ErrorRecord, Finding, Prose

if TYPE_CHECKING:
    from outlast.model.state import PlanState


def note_finding(
    state: PlanState, command: commands.NoteFinding, now: datetime
) -> tuple[Change, ...]:
    """Add a finding under the next number, or count an equal one again."""
    finding = _check_finding(
        Finding(
            id=state.notes.last_finding + 1,
            category=command.category,
            title=command.title,
            content=command.content,
            at=now,
            source=command.source,
            author=_check_optional_line(command.actor, "actor"),
            count=check_number(command.count, "count", 1, LARGEST_ID),
        )
    )
    for known in state.notes.findings.values():
        if _substance(known) == _substance(finding):
            count = min(known.count + finding.count, LARGEST_ID)
            again = replace(known, source=known.source or finding.source, count=count)
            return (c.FindingNoted(again),)
    return (c.FindingNoted(finding),)


def _substance(finding: Finding) -> tuple[str, str, str]:
    return finding.title, finding.content, finding.category


def edit_finding(
    state: PlanState, command: commands.EditFinding, _now: datetime
) -> tuple[Change, ...]:
    """Edit a finding; its time and author stay."""
    number = check_number(command.finding, "finding", 1, LARGEST_ID)
    wanted = {
        field: value
        for field in ("category", "title", "content", "source")
        if (value := getattr(command, field)) is not None
    }
    old = _find_finding(state, number)
    new = _check_finding(replace(old, **wanted))
    return () if new == old else (c.FindingNoted(new),)


def forget_finding(
    state: PlanState, command: commands.ForgetFinding, _now: datetime
) -> tuple[Change, ...]:
    """Remove a finding."""
    number = check_number(command.finding, "finding", 1, LARGEST_ID)
    return (c.FindingForgotten(_find_finding(state, number).id),)


def note_error(state: PlanState, command: commands.NoteError, now: datetime) -> tuple[Change, ...]:
    """Record an error, or count it again if its key is known.

    Without parameters or a stack of its own, it keeps those of the last time.
    """
    tool = check_name(command.tool, "tool")
    for field in ("message", "params", "stack"):
        check_text(getattr(command, field), field)
    count = check_number(command.count, "count", 1, LARGEST_ID)
    key = strike_key(tool, command.message)
    known = state.notes.errors.get(key)
    at = now if command.at is None else min(_check_time(command.at), now)
    error = ErrorRecord(
        id=known.id if known else state.notes.last_error + 1,
        tool=tool,
        message=command.message,
        first_at=min(known.first_at, at) if known else at,
        at=max(known.at, at) if known else at,
        count=min(count + known.count if known else count, LARGEST_ID),
        params=command.params or (known.params if known else ""),
        stack=command.stack or (known.stack if known else ""),
    )
    return (c.ErrorNoted(key, error),)


def _check_time(at: object) -> datetime:
    if not isinstance(at, datetime) or at.tzinfo is None:
        raise wrong_type_error("at", "datetime", at)
    return at


def forget_errors(
    state: PlanState, command: commands.ForgetErrors, _now: datetime
) -> tuple[Change, ...]:
    """Remove errors and the strikes of their tools; unknown keys are ignored."""
    errors = state.notes.errors
    if command.keys is None:
        keys = tuple(errors)
    else:
        check_tuple(command.keys, "keys")
        wanted = dict.fromkeys(check_text(key, "keys") for key in command.keys)
        keys = tuple(key for key in wanted if key in errors)
    if not keys:
        return ()
    tools = dict.fromkeys(errors[key].tool for key in keys)
    struck = (StrikesCleared(tool) for tool in tools if tool in state.ledger.strikes)
    return c.ErrorsForgotten(keys), *struck


def deliver(state: PlanState, command: commands.Deliver, _now: datetime) -> tuple[Change, ...]:
    """Set the deliverable of the plan, or the closing answer of a run."""
    text, answer = check_text(command.text, "text"), check_flag(command.answer, "answer")
    known = state.notes.answer if answer else state.notes.deliverable
    return () if text == known else (c.Delivered(text, answer),)


def keep_prose(state: PlanState, command: commands.KeepProse, _now: datetime) -> tuple[Change, ...]:
    """Replace the prose of the plan."""
    prose, now = _check_each_prose(command.prose, "prose"), state.notes.prose
    if command.known is not None:
        prose = _merge_prose(prose, _check_each_prose(command.known, "known"), now)
    return () if prose == now else (c.ProseKept(prose),)


def _merge_prose(
    prose: tuple[Prose, ...], known: tuple[Prose, ...], now: tuple[Prose, ...]
) -> tuple[Prose, ...]:
    """Add to the prose the lines that were added since `known` was read."""
    known_lines = {"", *(line for block in (*prose, *known) for line in block.lines)}
    merged: dict[str, tuple[str, ...]] = {}
    for block in prose:
        merged[block.anchor] = (*merged.get(block.anchor, ()), *block.lines)
    for block in now:
        new_lines = [line for line in block.lines if line not in known_lines]
        merged[block.anchor] = (*merged.get(block.anchor, ()), *new_lines)
    return tuple(Prose(anchor, lines) for anchor, lines in merged.items() if lines)


def _find_finding(state: PlanState, number: int) -> Finding:
    finding = state.notes.findings.get(number)
    if finding is None:
        raise InvalidArgument("finding_not_found", argument="finding", finding=number)
    return finding


def _check_finding(finding: Finding) -> Finding:
    check_choice(finding.category, "category", CATEGORIES)
    check_name(finding.title, "title")
    check_text(finding.content, "content")
    _check_optional_line(finding.source, "source")
    return finding


def _check_optional_line(value: str, argument: str) -> str:
    """Accept one line, or nothing."""
    return "" if value == "" else check_name(value, argument)


def _check_each_prose(prose: tuple[Prose, ...], argument: str) -> tuple[Prose, ...]:
    check_tuple(prose, argument)
    for index, block in enumerate(prose):
        _check_prose(block, f"{argument}[{index}]")
    return prose


def _check_prose(prose: Prose, where: str) -> None:
    if type(prose) is not Prose:
        raise wrong_type_error(where, "Prose", prose)
    check_length(prose.anchor, f"{where}.anchor", REF_CHARACTERS)
    check_tuple(prose.lines, f"{where}.lines")
    for line in prose.lines:
        if "\n" in check_text(line, f"{where}.lines"):
            raise InvalidArgument("name_not_one_line", argument=f"{where}.lines")
