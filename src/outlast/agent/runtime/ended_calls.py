"""Ended tool calls: find the last ones in the journal, and their results in the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from outlast.model.changes import AttemptBegan, AttemptEnded, TaskReopened
from outlast.model.ledger import THINK
from outlast.plan.tools.call_record import parse_call_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.model.changes import Commit


class EndedCall(NamedTuple):
    """The start and the end of a tool call."""

    began: AttemptBegan
    end: AttemptEnded

    @property
    def tool(self) -> str:
        """The name of the tool."""
        return _tool_name(self.began)


def last_ended_calls(
    commits: Iterable[Commit], task: int | None, is_relevant: Callable[[str], bool]
) -> list[EndedCall]:
    """Return the ended calls of the model's last reply that has any, oldest first.

    Only calls of tools that are relevant count, and only those for `task`, unless it is None. A
    lost call is left out: it was not done. So is one for a task that was reopened since: it is to
    be done again.
    """
    reply, begun = 0, dict[str, tuple[int, AttemptBegan]]()
    ends = dict[str, AttemptEnded]()
    for change in (change for commit in commits for change in commit.changes):
        match change:
            case AttemptBegan() if task not in (None, change.task):
                pass
            case AttemptBegan() if change.kind == THINK:
                reply += 1
            case AttemptBegan() if is_relevant(_tool_name(change)):
                begun[change.id] = reply, change
            case AttemptEnded() if change.id in begun and change.outcome != "lost":
                ends[change.id] = change
            case TaskReopened():
                begun = {id_: entry for id_, entry in begun.items() if entry[1].task != change.id}
    last = max((begun[attempt][0] for attempt in ends if attempt in begun), default=0)
    in_last_reply = (began for reply, began in begun.values() if reply == last)
    return [EndedCall(began, ends[began.id]) for began in in_last_reply if began.id in ends]


def recorded_result(entries: Iterable[dict[str, Any]], attempt: str) -> tuple[str, str] | None:
    """Return the output and the error of a call, if the entries of a transcript have them."""
    for entry in entries:
        if entry.get("kind") == "acted" and entry.get("attempt") == attempt:
            return str(entry.get("output", "")), str(entry.get("failed", ""))
    return None


def _tool_name(began: AttemptBegan) -> str:
    return parse_call_line(began.what)[0]
