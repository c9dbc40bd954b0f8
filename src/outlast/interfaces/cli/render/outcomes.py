"""What became of each task between two revisions, in as few lines as say it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from outlast.application.proof.labels import LABEL_TEXTS
from outlast.interfaces.cli.render.diff import detail, told
from outlast.texts import clauses, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from outlast.domain.history.diff import Difference
    from outlast.interfaces.cli.call import Call

# What a change of status says by itself, where it is said.
_SAID_WITH_STATUS: Final = ("status", "how", "actor", "result", "error", "retry_count")
_SAID_WITH_RETRY: Final = ("error", "retry_count")
_OUTCOMES: Final = {
    "in_progress": "log_task_started",
    "completed": "log_task_completed",
    "failed": "log_task_failed",
    "skipped": "log_task_skipped",
}


def lines(call: Call, found: Iterable[Difference]) -> Iterator[str]:
    """Yield differences in words; those of a task are put together."""
    for (about, _), group in groupby(found, key=lambda one: (one.about, one.id)):
        if about == "task":
            yield from _of_task(call, list(group))
        else:
            yield from (told(call, one) for one in group)


def _of_task(call: Call, group: list[Difference]) -> Iterator[str]:
    fields = {one.field: one for one in group if one.kind == "changed"}
    outcome, said = _outcome(fields)
    left = [one for name, one in fields.items() if name not in said]
    first = group[0]
    if first.kind == "added":
        details = clauses([detail(call, one) for one in left], call.language)
        yield _bracketed(told(call, first), details)
    else:
        yield from (told(call, one) for one in group if one.kind != "changed" or one in left)
    if outcome:
        what = _bracketed(f"{first.id} {visible(first.name)}", ", ".join(_known(call, fields)))
        yield call.say(outcome, what=what) + _came_out(fields)


def _outcome(fields: Mapping[str, Difference]) -> tuple[str, tuple[str, ...]]:
    """Return the text for what became of a task, and the fields that it speaks of."""
    status = fields.get("status")
    if _is_retried(fields) and (status is None or status.new == "pending"):
        return "log_task_retried", _SAID_WITH_STATUS if status else _SAID_WITH_RETRY
    if status is None:
        return "", ()
    back = "log_task_returned" if status.old == "in_progress" else "log_task_reopened"
    return _OUTCOMES.get(str(status.new), back), _SAID_WITH_STATUS


def _is_retried(fields: Mapping[str, Difference]) -> bool:
    count: Any = fields.get("retry_count")
    return count is not None and count.new > count.old


def _known(call: Call, fields: Mapping[str, Difference]) -> list[str]:
    """Return by what and by whom it came about, and how often it was tried."""
    how, actor, retries = (_new(fields, name) for name in ("how", "actor", "retry_count"))
    return [
        *([call.say(LABEL_TEXTS[how])] if how else []),
        *([call.say("diff_by", actor=visible(actor))] if actor else []),
        *([call.say("diff_retry", count=retries)] if _is_retried(fields) else []),
    ]


def _came_out(fields: Mapping[str, Difference]) -> str:
    result, error = _new(fields, "result"), _new(fields, "error")
    if result:
        return f"  → {visible(result)}"
    return f"  ! {visible(error)}" if error else ""


def _new(fields: Mapping[str, Difference], name: str) -> Any:  # noqa: ANN401 - any value of a field
    return fields[name].new if name in fields else None


def _bracketed(what: str, details: str) -> str:
    return f"{what} ({details})" if details else what
