"""The diff between two revisions, as text and as JSON."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from outlast.documents.change_words import FIELD_TEXTS, WORDS
from outlast.language import clauses, listing, status_words, visible, with_colon, with_details
from outlast.model import changes as c
from outlast.model.model import LABEL_TEXTS, MAIN_PHASE, Check, Progress, write_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from outlast.console.call import Call, Json
    from outlast.model.changes import Change
    from outlast.model.history.diff import Difference, Value


_STATUSES: Final = ("status", "marked", "hold")
_ADDED_OR_REMOVED: Final[dict[tuple[str, str], type[Change]]] = {
    ("added", "task"): c.TaskAdded,
    ("added", "phase"): c.PhaseAdded,
    ("removed", "task"): c.TaskRemoved,
    ("removed", "phase"): c.PhaseRemoved,
}
# Fields that the text on a new status or on a retry covers.
_PART_OF_STATUS: Final = ("status", "how", "actor", "result", "error", "retry_count")
_PART_OF_RETRY: Final = ("error", "retry_count")
_OUTCOMES: Final[dict[str, type[Change]]] = {
    "in_progress": c.TaskStarted,
    "completed": c.TaskCompleted,
    "failed": c.TaskFailed,
    "skipped": c.TaskSkipped,
}


def difference_json(difference: Difference) -> Json:
    """Return a difference for `--json`."""
    fields = {name: getattr(difference, name) for name in difference.__struct_fields__}
    return fields | {"old": _value_json(difference.old), "new": _value_json(difference.new)}


def _value_json(value: Value) -> object:
    if isinstance(value, Progress):
        return {"current": value.current, "total": value.total}
    return value


def difference_text(call: Call, difference: Difference) -> str:
    """Return a difference as text."""
    if difference.kind == "changed":
        return _change_text(call, difference)
    if difference.kind == "moved":
        return _move_text(call, difference)
    what = visible(
        f"{difference.id} {difference.name}" if difference.about == "task" else difference.name
    )
    words = WORDS[_ADDED_OR_REMOVED[difference.kind, difference.about]]
    line = call.text(words.line, what=what)
    if difference.new in (None, MAIN_PHASE):
        return line
    return call.text("diff_in_phase", what=line, phase=visible(str(difference.new)))


def _change_text(call: Call, difference: Difference) -> str:
    if difference.field == "id":
        return call.text("diff_replaced")
    field = call.text(FIELD_TEXTS[difference.field])
    old = _value_text(call, difference.field, difference.old)
    new = _value_text(call, difference.field, difference.new)
    return call.text("diff_changed", what=_subject(call, difference), field=field, old=old, new=new)


def new_value_text(call: Call, difference: Difference) -> str:
    """Return the value of a field of an added task."""
    value = _value_text(call, difference.field, difference.new)
    field = call.text(FIELD_TEXTS[difference.field])
    return with_colon(field, value, call.language)


def _move_text(call: Call, difference: Difference) -> str:
    what, where = _subject(call, difference), visible(str(difference.new))
    if difference.field == "phase":
        return call.text("diff_moved_to", what=what, phase=where)
    if difference.new in (0, ""):
        return call.text("diff_moved_first", what=what)
    return call.text("diff_moved_after", what=what, after=where)


def _subject(call: Call, difference: Difference) -> str:
    if difference.about == "plan":
        return call.text("log_the_plan")
    if difference.about == "phase":
        return call.text("diff_phase", what=visible(difference.name))
    return f"{difference.id} {visible(difference.name)}"


def _value_text(call: Call, field: str, value: Value) -> str:
    if value in (None, "", ()):
        return call.text("nothing")
    if field in _STATUSES:
        return status_words(str(value), call.language)
    if isinstance(value, Progress):
        return f"{value.current}/{value.total}"
    if isinstance(value, tuple):
        return visible(listing(map(_item_text, value), call.language))
    return visible(str(value))


def _item_text(value: int | str | Check) -> str:
    return write_rule(value) if isinstance(value, Check) else str(value)


def difference_lines(call: Call, differences: Iterable[Difference]) -> Iterator[str]:
    """Yield differences as lines; those of one task are put together."""
    for (about, _), group in groupby(
        differences, key=lambda difference: (difference.about, difference.id)
    ):
        if about == "task":
            yield from _task_lines(call, list(group))
        else:
            yield from (difference_text(call, difference) for difference in group)


def _task_lines(call: Call, group: list[Difference]) -> Iterator[str]:
    fields = {difference.field: difference for difference in group if difference.kind == "changed"}
    outcome, covered = _outcome(fields)
    left = [difference for name, difference in fields.items() if name not in covered]
    first = group[0]
    if first.kind == "added":
        details = clauses([new_value_text(call, difference) for difference in left], call.language)
        yield with_details(difference_text(call, first), details, call.language)
    else:
        yield from (
            difference_text(call, difference)
            for difference in group
            if difference.kind != "changed" or difference in left
        )
    if outcome:
        details = listing(_outcome_details(call, fields), call.language)
        what = with_details(f"{first.id} {visible(first.name)}", details, call.language)
        yield call.text(WORDS[outcome].line, what=what) + _result_text(fields)


def _outcome(fields: Mapping[str, Difference]) -> tuple[type[Change] | None, tuple[str, ...]]:
    """Return the change that tells what became of a task, and the fields that it covers."""
    status = fields.get("status")
    if _is_retried(fields) and (status is None or status.new == "pending"):
        return c.TaskRetried, _PART_OF_STATUS if status else _PART_OF_RETRY
    if status is None:
        return None, ()
    back = c.TaskReturned if status.old == "in_progress" else c.TaskReopened
    return _OUTCOMES.get(str(status.new), back), _PART_OF_STATUS


def _is_retried(fields: Mapping[str, Difference]) -> bool:
    count: Any = fields.get("retry_count")
    return count is not None and count.new > count.old


def _outcome_details(call: Call, fields: Mapping[str, Difference]) -> list[str]:
    """Return the label, the actor and the number of retries."""
    how, actor, retries = (_new_value(fields, name) for name in ("how", "actor", "retry_count"))
    return [
        *([call.text(LABEL_TEXTS[how])] if how else []),
        *([call.text("diff_by", actor=visible(actor))] if actor else []),
        *([call.text("diff_retry", count=retries)] if _is_retried(fields) else []),
    ]


def _result_text(fields: Mapping[str, Difference]) -> str:
    result, error = _new_value(fields, "result"), _new_value(fields, "error")
    if result:
        return f"  → {visible(result)}"
    return f"  ! {visible(error)}" if error else ""


def _new_value(fields: Mapping[str, Difference], name: str) -> Any:  # noqa: ANN401 - any value of a field
    return fields[name].new if name in fields else None
