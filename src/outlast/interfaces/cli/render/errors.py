"""Errors as the command line shows them: options by their flags, hints, exit codes."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

from outlast.errors import (
    CheckFailed,
    InvalidArgument,
    OutlastError,
    PlanExists,
    PlanNotFound,
    Refused,
    TaskClaimed,
    Unconfirmed,
    WrongUsage,
)
from outlast.interfaces.cli.render.output import (
    FAILURE,
    NO_PLAN,
    REFUSED,
    USAGE,
    encode_json,
    notices_json,
    tail_lines,
)
from outlast.system.workspace_root import current_directory
from outlast.texts import explain, visible, with_details

if TYPE_CHECKING:
    from outlast.interfaces.cli.call import Call


_FLAGS: Final = {
    "actor": "--as",
    "approve": "--approve",
    "checks": "--check",
    "files": "--files",
    "force": "--force",
    "insert_after": "--insert-after",
    "needs": "--needs",
    "phase": "--phase",
    "progress": "--progress",
    "protect": "--protect",
    "task": "N",
}
_TEXTS_OF_FLAGS: Final = {"task_claimed_pass_lease": "task_claimed"}  # a hint names the flag
_ARCHIVE_TEXTS: Final = ("not_archived", "which_archived")
_TAKES_TOKEN: Final = ("done", "edit", "fail", "release")
_PART: Final = r"(tasks|phases)\[(.+)\](?:\.(\w+))?"
# The first match counts.
_CODES: Final[tuple[tuple[type[OutlastError], int], ...]] = (
    (InvalidArgument, USAGE),
    (WrongUsage, USAGE),
    (PlanNotFound, NO_PLAN),
    (PlanExists, REFUSED),
    (Refused, REFUSED),
    (Unconfirmed, REFUSED),
    (OutlastError, FAILURE),
)


def error_text(error: OutlastError, call: Call) -> str:
    """Return an error's text for people, who know flags and local times; its details stay."""
    details = error.details
    facts = dict(details)
    argument = details.get("argument")
    if isinstance(argument, str):
        facts["argument"] = _flag(argument)
    until = details.get("until")
    if isinstance(until, str):
        facts["until"] = f"{datetime.fromisoformat(until).astimezone():%Y-%m-%d %H:%M}"
    if error.text == "cannot_undo_since":
        facts["what"] = [_part_text(call, str(path)) for path in _as_list(details["what"])]
    text = _TEXTS_OF_FLAGS.get(error.text, error.text)
    return explain(type(error)(text, **facts), call.language)


def _flag(argument: str) -> str:
    """Return `--needs` for `tasks[0].needs`; a name without a flag is returned as it is."""
    name = argument.rpartition(".")[2]
    return _FLAGS.get(name.partition("[")[0], name)


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _part_text(call: Call, path: str) -> str:
    """Return `task 3 (name)` for `tasks[3].name`."""
    from outlast.interfaces.cli.render.diff import FIELDS

    match = re.fullmatch(_PART, path)
    kind, number, field = match.groups() if match else ("", "", path)
    field_name = call.text(FIELDS[field]) if field in FIELDS else field
    if not kind:
        return field_name
    what = call.text("undo_task" if kind == "tasks" else "diff_phase", what=number)
    return with_details(what, field_name, call.language)


def exit_code(error: OutlastError) -> int:
    """Return the exit code of an error."""
    return next(code for kind, code in _CODES if isinstance(error, kind))


def render_error(error: OutlastError, call: Call) -> str:
    """Return an error as it is printed."""
    if call.wants_json:
        details = {"code": error.code, "message": explain(error), "details": error.short_details()}
        return encode_json({"ok": False, "error": details, **notices_json(call)})
    lines = [f"outlast: {visible(error_text(error, call))}"]
    for failed in _failed_checks(error):
        lines += tail_lines(failed["tail"])
    return "\n".join([*lines, *_hints(error, call)])


def _hints(error: OutlastError, call: Call) -> list[str]:
    """Return what to do about an error on the command line."""
    if isinstance(error, PlanNotFound):
        return _missing_plan_hints(error, call)
    if isinstance(error, TaskClaimed):
        if not error.details.get("task_id"):
            return [_watch_hint(call)]
        return [call.text("hint_claim_token")] if call.command in _TAKES_TOKEN else []
    if not isinstance(error, CheckFailed):
        return []
    number = error.details["task_id"]
    unconfirmed = any(check["says"] == "unconfirmed" for check in _failed_checks(error))
    confirm = [call.text("advice_confirm", number=number)] if unconfirmed else []
    return [*confirm, call.text("hint_check_failed", number=number)]


def _missing_plan_hints(error: PlanNotFound, call: Call) -> list[str]:
    """Return how to name a plan that exists, and how to see an archived one with the same key."""
    candidates = bool(error.details.get("candidates"))
    if error.text in _ARCHIVE_TEXTS:
        return [call.text("hint_name_archived")] if candidates else []
    hints = [call.text("hint_name_plan")] if candidates else []
    if call.plan is not None:
        from outlast.wiring.archive import find_archived_names

        with suppress(OutlastError):  # the error that is being reported counts
            for name in find_archived_names(current_directory(), call.plan)[-1:]:
                hints.insert(0, call.text("hint_in_archive", name=visible(quote(name))))
    return hints


def _watch_hint(call: Call) -> str:
    """Return how to watch the run that leases the plan; no token admits a second run."""
    from outlast.interfaces.cli.render.next_command import suggest_command

    return call.text("run_continue_watch", command=suggest_command(call, "watch"))


def _failed_checks(error: OutlastError) -> list[dict[str, str]]:
    failed: Any = error.details.get("failed") if isinstance(error, CheckFailed) else None
    return failed or []
