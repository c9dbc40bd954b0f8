"""What is kept beside the tasks: findings, errors, what came out, people's own lines."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.domain import note_changes as c
from outlast.domain.limits import (
    LARGEST_ID,
    REF_CHARACTERS,
    check_choice,
    check_length,
    check_name,
    check_number,
    check_text,
    check_tuple,
    wrong_type,
)
from outlast.domain.loop_changes import StrikesCleared
from outlast.domain.model import CATEGORIES, ErrorRecord, Finding, Prose
from outlast.domain.strikes import strike_key
from outlast.errors import InvalidArgument

if TYPE_CHECKING:
    from outlast.domain import note_commands as commands
    from outlast.domain.changes import Change
    from outlast.domain.state import PlanState


def note_finding(
    state: PlanState, command: commands.NoteFinding, now: datetime
) -> tuple[Change, ...]:
    """Keep a finding under the next number."""
    finding = Finding(
        id=state.notes.noted + 1,
        category=command.category,
        title=command.title,
        content=command.content,
        at=now,
        source=command.source,
        author=_check_label(command.actor, "actor"),
    )
    return (c.FindingNoted(_check_finding(finding)),)


def edit_finding(
    state: PlanState, command: commands.EditFinding, _now: datetime
) -> tuple[Change, ...]:
    """Change what a finding says; when and by whom it was found stays."""
    number = check_number(command.finding, "finding", 1, LARGEST_ID)
    wanted = {
        field: value
        for field in ("category", "title", "content", "source")
        if (value := getattr(command, field)) is not None
    }
    old = _finding(state, number)
    new = _check_finding(replace(old, **wanted))
    return () if new == old else (c.FindingNoted(new),)


def forget_finding(
    state: PlanState, command: commands.ForgetFinding, _now: datetime
) -> tuple[Change, ...]:
    """Take a finding out."""
    number = check_number(command.finding, "finding", 1, LARGEST_ID)
    return (c.FindingForgotten(_finding(state, number).id),)


def note_error(state: PlanState, command: commands.NoteError, now: datetime) -> tuple[Change, ...]:
    """Keep an error as it showed last, and count it if it has shown before."""
    tool = check_name(command.tool, "tool")
    for field in ("message", "params", "stack"):
        check_text(getattr(command, field), field)
    count = check_number(command.count, "count", 1, LARGEST_ID)
    key = strike_key(tool, command.message)
    known = state.notes.errors.get(key)
    at = now if command.at is None else min(_check_time(command.at), now)
    error = ErrorRecord(
        id=known.id if known else state.notes.logged + 1,
        tool=tool,
        message=command.message,
        first_at=min(known.first_at, at) if known else at,
        at=max(known.at, at) if known else at,
        count=min(count + known.count if known else count, LARGEST_ID),
        params=command.params,
        stack=command.stack,
    )
    return (c.ErrorNoted(key, error),)


def _check_time(at: object) -> datetime:
    if not isinstance(at, datetime) or at.tzinfo is None:
        raise wrong_type("at", "datetime", at)
    return at


def forget_errors(
    state: PlanState, command: commands.ForgetErrors, _now: datetime
) -> tuple[Change, ...]:
    """Take errors out, and the strikes of their tools; one that is not known is none."""
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
    struck = (StrikesCleared(tool) for tool in tools if tool in state.ledger.struck)
    return c.ErrorsForgotten(keys), *struck


def deliver(state: PlanState, command: commands.Deliver, _now: datetime) -> tuple[Change, ...]:
    """Say what came out of the plan."""
    text = check_text(command.text, "text")
    return () if text == state.notes.deliverable else (c.Delivered(text),)


def keep_prose(state: PlanState, command: commands.KeepProse, _now: datetime) -> tuple[Change, ...]:
    """Keep people's own lines instead of those that were kept."""
    prose, now = _check_all(command.prose, "prose"), state.notes.prose
    if command.known is not None:
        prose = _with_news(prose, _check_all(command.known, "known"), now)
    return () if prose == now else (c.ProseKept(prose),)


def _with_news(
    prose: tuple[Prose, ...], known: tuple[Prose, ...], now: tuple[Prose, ...]
) -> tuple[Prose, ...]:
    """Return lines together with those that are there now and were not known."""
    seen = {"", *(line for one in (*prose, *known) for line in one.lines)}
    found: dict[str, tuple[str, ...]] = {}
    for one in prose:
        found[one.anchor] = (*found.get(one.anchor, ()), *one.lines)
    for one in now:
        news = [line for line in one.lines if line not in seen]
        found[one.anchor] = (*found.get(one.anchor, ()), *news)
    return tuple(Prose(anchor, lines) for anchor, lines in found.items() if lines)


def _finding(state: PlanState, number: int) -> Finding:
    found = state.notes.findings.get(number)
    if found is None:
        raise InvalidArgument("finding_not_found", argument="finding", finding=number)
    return found


def _check_finding(finding: Finding) -> Finding:
    check_choice(finding.category, "category", CATEGORIES)
    check_name(finding.title, "title")
    check_text(finding.content, "content")
    _check_label(finding.source, "source")
    return finding


def _check_label(value: str, argument: str) -> str:
    """Accept a line, or nothing."""
    return "" if value == "" else check_name(value, argument)


def _check_all(prose: tuple[Prose, ...], argument: str) -> tuple[Prose, ...]:
    check_tuple(prose, argument)
    for index, one in enumerate(prose):
        _check_prose(one, f"{argument}[{index}]")
    return prose


def _check_prose(prose: Prose, where: str) -> None:
    if type(prose) is not Prose:
        raise wrong_type(where, "Prose", prose)
    check_length(prose.anchor, f"{where}.anchor", REF_CHARACTERS)
    check_tuple(prose.lines, f"{where}.lines")
    for line in prose.lines:
        if "\n" in check_text(line, f"{where}.lines"):
            raise InvalidArgument("name_not_one_line", argument=f"{where}.lines")
