"""What is remembered of a coding agent's session that works on a plan."""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from outlast.hosts.wire.events import HostName


class SessionRecord(Struct, frozen=True, omit_defaults=True):
    """A session that is attached to a plan, and what it has been told.

    `host_process` identifies the agent's process. `shown_plan` is a digest of the plan block that
    the model was shown last, `shown_step` of the step. `blocked_stops` counts how often its stop
    was blocked since so many tasks were finished (`finished`), `blocked_text` is a digest of what
    it was told then. `held` has the tasks whose checks were red, each with the id of the content:
    no stop is blocked twice for it. `reminded_step` is the step at which it was reminded last.
    `todos` are our tasks by the agent's numbers of them, `done_early` those that it lists as
    completed and that tasks before them keep open, as of the plan's `early_revision`. `refused` are
    the tasks that it reported done in this turn while their check failed; `unapproved` those of
    which it was told that a person has to approve their checks.
    `views` counts what it has looked at since a reminder, `failures` how often a call has failed.
    `reported` are the hooks of the user whose failure was reported; `announced` is the newest
    question that the user was told of.
    With `guard` it may not stop while tasks are open. With `awaits_plan` its user has typed the
    goal of the plan, and has accepted no plan yet.
    """

    host: HostName
    session: str
    root: str
    key: str
    plan_id: str
    host_process: str = ""
    guard: bool = False
    awaits_plan: bool = False
    shown_plan: str = ""
    shown_step: str = ""
    blocked_stops: int = 0
    blocked_text: str = ""
    held: tuple[str, ...] = ()
    finished: int = 0
    reminded_step: str = ""
    todos: dict[str, int] = {}
    done_early: tuple[int, ...] = ()
    early_revision: int = 0
    refused: tuple[int, ...] = ()
    unapproved: tuple[int, ...] = ()
    views: int = 0
    failures: dict[str, int] = {}
    reported: tuple[str, ...] = ()
    announced: int = 0


def merge_changes(before: SessionRecord, own: SessionRecord, now: SessionRecord) -> SessionRecord:
    """Return the record as it is now, with what we have changed since it was as `before`."""
    changed = {
        name: value
        for name in SessionRecord.__struct_fields__
        if (value := getattr(own, name)) != getattr(before, name)
    }
    for name, value in changed.items():
        if isinstance(value, dict):
            changed[name] = _merge_tables(getattr(before, name), value, getattr(now, name))
    return replace(now, **changed)


def _merge_tables(
    before: Mapping[str, Any], own: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[str, Any]:
    kept = {key: value for key, value in now.items() if key in own or key not in before}
    return kept | {key: value for key, value in own.items() if before.get(key) != value}


class Offers(Struct, frozen=True):
    """What the shell shows by itself, without a look at the plan; an empty text is not shown.

    `before_tool` and `reminder` are whole answers, each shown once, the reminder after so many
    views; None leaves in place what was offered before. `status_line` is shown as often as it is
    asked for. The shell asks the full program before and after every tool if `decides_tools`, and
    after every failure if `decides_failures`.
    """

    before_tool: str | None = None
    reminder: str | None = None
    views: int = 2
    status_line: str = ""
    decides_tools: bool = False
    decides_failures: bool = False
