"""Errors as the command line shows them: options by their flags, hints, exit codes."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from outlast.console.call import FAILURE, NO_PLAN, REFUSED, USAGE, Call, shell_word
from outlast.console.render.output import (
    encode_json,
    notices_json,
    plan_key_json,
    tail_lines,
    with_key,
)
from outlast.errors import (
    CheckFailed,
    CheckUnknown,
    InvalidArgument,
    OutlastError,
    PlanExists,
    PlanNotFound,
    Refused,
    TaskClaimed,
    Unconfirmed,
    UnknownForm,
    WrongUsage,
)
from outlast.language import explain, visible, with_details
from outlast.model.model import PERSON
from outlast.system.workspace_root import current_directory

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
# What to type after a refusal, by the key of its text: keys of hints.
_HINTS: Final = {
    "actor_busy": ("hint_done",),
    "already_undone": ("hint_undo_by",),
    "cannot_undo_since": ("hint_undo_by",),
    "claim_lost": ("hint_task",),
    "no_open_plan": ("hint_new",),
    "no_own_task": ("hint_start",),
    "nothing_ready_failed": ("hint_reopen", "hint_skip"),
    "nothing_ready_waiting": ("hint_return",),
    "plan_aborted": ("hint_add",),
    "plan_empty": ("hint_add",),
    "plan_cannot_resume": ("hint_next",),
    "run_not_stopped": ("hint_drop",),
    "task_failed": ("hint_reopen",),
    "task_needed": ("hint_skip",),
    "task_not_found": ("hint_tasks",),
    "undo_not_own_instead": ("hint_undo_own",),
}
_COMMAND_WORDS: Final = {  # details that are words of a command in the text
    "cancel_at_work": ("key",),
    "current_plan_ended": ("other",),
    "no_current_plan": ("other",),
    "not_archived": ("candidates",),
    "plan_archived": ("name",),
    "plan_file_unreadable": ("key",),
    "plan_in_archive": ("name",),
    "plan_over": ("key",),
    "plan_over_new_goal": ("key", "goal"),
    "plan_to_tell_missing": ("key",),
    "restore_key_in_use": ("key",),
    "use_by_agent": ("key",),
    "which_archived": ("candidates",),
}
_PAUSED: Final = ("no_own_task_paused", "plan_paused")
_MUST_BE_PENDING: Final = (
    "checks_locked",
    "task_already",
    "task_not_editable",
    "task_not_removable",
)
_STOPS_RUN: Final = ("abort", "drop")
_TAKES_TOKEN: Final = ("done", "edit", "fail", "release")
_PART: Final = r"(tasks|phases)\[(.+)\](?:\.(\w+))?"
# The first match counts.
_CODES: Final[tuple[tuple[type[OutlastError], int], ...]] = (
    (InvalidArgument, USAGE),
    (UnknownForm, USAGE),
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
    facts = _with_command_words(error)
    argument = details.get("argument")
    if isinstance(argument, str):
        facts["argument"] = _flag(argument)
    until = details.get("until")
    if isinstance(until, str):
        facts["until"] = f"{datetime.fromisoformat(until).astimezone():%Y-%m-%d %H:%M}"
    if error.text == "cannot_undo_since":
        facts["what"] = [_part_text(call, str(path)) for path in _as_list(details["what"])]
    text = _TEXTS_OF_FLAGS.get(error.text, error.text)
    return explain(type(error)(text, **facts), call.language, **call.command_options)


def _with_command_words(error: OutlastError) -> dict[str, object]:
    """Return the details; those that are words of a command are quoted for a shell."""
    names = _COMMAND_WORDS.get(error.text, ())
    return {**error.details, **{name: _command_word(error.details[name]) for name in names}}


def _command_word(value: object) -> object:
    """Return a word quoted for a shell, or several."""
    return [*map(_command_word, value)] if isinstance(value, list) else shell_word(str(value))


def _flag(argument: str) -> str:
    """Return `--needs` for `tasks[0].needs`; a name without a flag is returned as it is."""
    name = argument.rpartition(".")[2]
    return _FLAGS.get(name.partition("[")[0], name)


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _part_text(call: Call, path: str) -> str:
    """Return `task 3 (name)` for `tasks[3].name`."""
    from outlast.documents.change_words import FIELD_TEXTS

    match = re.fullmatch(_PART, path)
    kind, number, field = match.groups() if match else ("", "", path)
    field_name = call.text(FIELD_TEXTS[field]) if field in FIELD_TEXTS else field
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
        message = explain(error, call.language, **call.command_options)
        details = {"code": error.code, "message": message, "details": error.short_details()}
        hints = error_hints(error, call)
        content = {**details, "hints": hints} if hints else details
        about = {**plan_key_json(call), "error": content}
        return encode_json({"ok": False, **about, **notices_json(call)})
    lines = [f"outlast: {with_key(visible(error_text(error, call)), call)}"]
    for failed in _failed_checks(error):
        lines += tail_lines(failed["tail"])
    return "\n".join([*lines, *error_hints(error, call)])


def error_hints(error: OutlastError, call: Call) -> list[str]:
    """Return what to do about an error on the command line."""
    details = error.details
    if isinstance(error, PlanNotFound) and (gone := gone_keys()):
        return [call.text("say_plans_gone", keys=gone)]
    keys = _hint_keys(error, call)
    if keys:
        ids: Any = details.get("ids") or [details.get("task_id")]
        words = {"task_id": visible(str(ids[0])), "key": _key_argument(str(details.get("key")))}
        return [call.text(key, **{**details, **words}) for key in keys]
    if isinstance(error, TaskClaimed) and error.text != "cancel_at_work":
        return _claim_hints(error, call)
    if error.text == "which_archived":
        return [_archived_hint(error, call)]
    return _check_hints(error, call) if isinstance(error, CheckFailed | CheckUnknown) else []


def _check_hints(error: CheckFailed | CheckUnknown, call: Call) -> list[str]:
    number = error.details["task_id"]
    if isinstance(error, CheckUnknown):
        return [call.text("hint_check_unknown", number=number)]
    unconfirmed = any(check["says"] == "unconfirmed" for check in _failed_checks(error))
    confirm = [call.text("advice_confirm", number=number)] if unconfirmed else []
    return [*confirm, call.text("hint_check_failed", number=number)]


def gone_keys() -> list[str]:
    """Return the keys of plans that were here and can be brought back."""
    from outlast.plan.home.find import gone_plans

    try:
        return [shell_word(plan.key) for plan in gone_plans(current_directory())]
    except OutlastError:  # the current directory is gone itself
        return []


def _hint_keys(error: OutlastError, call: Call) -> tuple[str, ...]:
    """Return the keys of the hints that depend on the error's text only, and on who acts."""
    if error.text in _PAUSED:
        is_person = call.actor == PERSON  # people may complete tasks of a paused plan
        return ("hint_done_paused", "hint_resume") if is_person else ("hint_resume",)
    if error.text in _MUST_BE_PENDING:
        is_started = error.details["status"] == "in_progress"
        started = "hint_done" if error.text == "task_already" else "hint_release"
        return (started if is_started else "hint_reopen",)
    if error.text == "plan_exists_already" and "key" in error.details:
        return ("hint_use",) if call.asker == PERSON else ()
    return _HINTS.get(error.text, ())


def _key_argument(key: str) -> str:
    """Return a key as an argument of a command; one that begins with `-` is no option."""
    return f"-- {shell_word(key)}" if key.startswith("-") else shell_word(key)


def _claim_hints(error: TaskClaimed, call: Call) -> list[str]:
    if call.command in _STOPS_RUN:
        return [call.text("hint_stop_run", command=call.command)]
    if not error.details.get("task_id"):
        return [call.text("run_continue_watch", command=call.suggest("watch"))]  # no token helps
    return [call.text("hint_claim_token")] if call.command in _TAKES_TOKEN else []


def _archived_hint(error: OutlastError, call: Call) -> str:
    """Return the command again, with the whole name of an archived plan."""
    option = () if call.command == "restore" else ("--archived",)
    name = str(_as_list(error.details["candidates"])[-1])
    return call.text("hint_archived", command=call.suggest(call.command, *option, name))


def _failed_checks(error: OutlastError) -> list[dict[str, str]]:
    failed: Any = (
        error.details.get("failed") if isinstance(error, CheckFailed | CheckUnknown) else None
    )
    return failed or []
