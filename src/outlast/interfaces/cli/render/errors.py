"""Errors in the words of the command line: options by their flags, tasks by their numbers."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from outlast.texts import explain

if TYPE_CHECKING:
    from outlast.errors import OutlastError
    from outlast.interfaces.cli.call import Call

_FLAGS: Final = {
    "actor": "--as",
    "after_task_id": "--after",
    "checks": "--check",
    "dependencies": "--needs",
    "files": "--files",
    "force": "--force",
    "phase": "--phase",
    "progress": "--progress",
    "protect": "--protect",
    "task_id": "N",
}
_PART: Final = r"(tasks|phases)\[(.+)\](?:\.(\w+))?"


def worded(error: OutlastError, call: Call) -> str:
    """Return an error as people read it here; its details stay as programs know them."""
    details = error.details
    told = dict(details)
    argument = details.get("argument")
    if isinstance(argument, str):
        told["argument"] = _flag(argument)
    until = details.get("until")
    if isinstance(until, str):
        told["until"] = f"{datetime.fromisoformat(until).astimezone():%Y-%m-%d %H:%M}"
    if error.text == "cannot_undo_since":
        told["what"] = [_part(call, str(one)) for one in _listed(details["what"])]
    return explain(type(error)(error.text, **told), call.language)


def _flag(argument: str) -> str:
    """Return `--needs` for `tasks[0].dependencies`; what has no flag as it is called."""
    name = argument.rpartition(".")[2]
    return _FLAGS.get(name.partition("[")[0], name)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _part(call: Call, path: str) -> str:
    """Return `task 3 (name)` for `tasks[3].name`."""
    from outlast.interfaces.cli.render.fields import FIELDS

    found = re.fullmatch(_PART, path)
    kind, number, field = found.groups() if found else ("", "", path)
    said = call.say(FIELDS[field]) if field in FIELDS else field
    if not kind:
        return said
    what = call.say("undo_task" if kind == "tasks" else "diff_phase", what=number)
    return f"{what} ({said})" if said else what
