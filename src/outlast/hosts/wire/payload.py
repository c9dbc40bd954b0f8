"""Read what a coding agent writes to a hook: one JSON object, alike for all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError
from msgspec.json import decode

from outlast.errors import InvalidDocument
from outlast.hosts.wire.events import HostEvent, HostName, Json, ListedTodo, Moment

if TYPE_CHECKING:
    from collections.abc import Iterator


TOOL_NAMES: Final[dict[HostName, dict[str, str]]] = {
    "claude-code": {
        "Bash": "bash",
        "Write": "write_file",
        "Edit": "edit_file",
        "MultiEdit": "edit_file",
        "NotebookEdit": "edit_file",
        "Read": "read_file",
        "Glob": "glob",
        "Grep": "grep",
        "LS": "list_directory",
        "WebFetch": "web_fetch",
        "WebSearch": "web_fetch",
    },
    "codex": {"Bash": "bash", "apply_patch": "edit_file"},
    "gemini": {
        "run_shell_command": "bash",
        "write_file": "write_file",
        "replace": "edit_file",
        "read_file": "read_file",
        "read_many_files": "read_file",
        "glob": "glob",
        "search_file_content": "grep",
        "list_directory": "list_directory",
        "web_fetch": "web_fetch",
        "google_web_search": "web_fetch",
    },
}
PLAN_MODE: Final = "ExitPlanMode"
SESSION: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
_EXIT_LINE: Final = "\nExit Code: "
_FAILED: Final = tuple("-123456789")
# Gemini puts what hooks say at the start of a session before the first prompt.
_HOOK_CONTEXT: Final = "<hook_context>", "</hook_context>"
_NO_ERRORS: Final = ("", "(none)")
_STATUSES: Final = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
    "deleted": "deleted",
    "cancelled": "deleted",
}
# Tools that replace the agent's whole list: the field of the list, and of an entry's name.
_LISTS: Final = {
    "TodoWrite": ("todos", "content"),
    "update_plan": ("plan", "step"),
    "write_todos": ("todos", "description"),
}
_ACCEPTED: Final = ("post-tool", PLAN_MODE)  # before the tool, the user has accepted nothing
_TASK_CREATED: Final = "TaskCreate"
_TASK_UPDATED: Final = "TaskUpdate"
_CREATED_ID: Final = re.compile(r"#(\w+)")
PLAN_TOOLS: Final = (PLAN_MODE, *_LISTS, _TASK_CREATED, _TASK_UPDATED)


def our_tool_name(host: HostName, tool: str) -> str:
    """Return our name of an agent's tool; its own where we have none."""
    return TOOL_NAMES[host].get(tool, tool)


def host_tools(host: HostName, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return an agent's names of some of our tools."""
    return tuple(name for name, ours in TOOL_NAMES[host].items() if ours in kinds)


def parse_event(host: HostName, moment: Moment, payload: bytes) -> HostEvent:
    """Parse the payload of a hook; raise `InvalidDocument` for one that is no such object.

    Fields that an agent leaves out, or fills in with another type, count as empty: a newer version
    may have changed them, and the event is answered as far as it is understood.
    """
    try:
        fields = _decode(payload)
    except (ValueError, RecursionError) as broken:
        raise InvalidDocument("hook_payload", agent=host) from broken
    session = _text(fields, "session_id") if isinstance(fields, dict) else ""
    if not SESSION.fullmatch(session):
        raise InvalidDocument("hook_payload", agent=host)
    tool, given = _text(fields, "tool_name"), _object(fields, "tool_input")
    response = fields.get("tool_response")
    error, has_failed = _text(fields, "error"), moment == "tool-failure"
    if host == "gemini":  # it reports failures as results
        error = error or _error_of(response)
        has_failed = bool(error)
    elif has_failed and not error and isinstance(response, str):
        error = response  # of Codex, which tells the exit code elsewhere
    return HostEvent(
        moment,
        session,
        _text(fields, "cwd"),
        source=_text(fields, "source"),
        prompt=_without_hook_context(_text(fields, "prompt")),
        tool=our_tool_name(host, tool),
        tool_input=given,
        succeeded=not has_failed,
        error=error,
        approved_plan=_approved_plan(fields, given) if (moment, tool) == _ACCEPTED else "",
        todos=tuple(_todos(tool, given, response)),
        last_message=_text(fields, "last_assistant_message") or _text(fields, "prompt_response"),
        was_blocked=fields.get("stop_hook_active") is True,
        is_inner=bool(_text(fields, "agent_id")),
    )


def _decode(payload: bytes) -> Any:  # noqa: ANN401 - any JSON
    """Decode JSON as JavaScript writes it: strings may have halves of characters."""
    try:
        return decode(payload)
    except DecodeError:
        import json

        return json.loads(payload)


def _text(fields: Json, name: str) -> str:
    """Return a field that is a text; empty otherwise. Half a character cannot be stored."""
    value = fields.get(name)
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def _object(fields: Json, name: str) -> Json:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def _approved_plan(fields: Json, given: Json) -> str:
    """Return the plan that the user accepted, with their edits.

    A subagent's plan is accepted by its agent, not by the user.
    """
    response = _object(fields, "tool_response")
    if _text(fields, "agent_id") or response.get("isAgent") is True:
        return ""
    return _text(response, "plan") or _text(given, "plan")


def _error_of(response: object) -> str:
    """Return what went wrong: Gemini gives `error`, or a text that ends with the exit code."""
    if not isinstance(response, dict):
        return ""
    error = response.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    if isinstance(error, str) and error not in _NO_ERRORS:
        return error
    output = _text(response, "llmContent")
    code = output.rpartition(_EXIT_LINE)[2]
    return output if _EXIT_LINE in output and code.startswith(_FAILED) else ""


def _without_hook_context(prompt: str) -> str:
    begin, end = _HOOK_CONTEXT
    while (stripped := prompt.lstrip()).startswith(begin) and end in stripped:
        prompt = stripped.partition(end)[2].lstrip()
    return prompt


def _todos(tool: str, given: Json, response: object) -> Iterator[ListedTodo]:
    if tool in _LISTS:
        field, name = _LISTS[tool]
        items = given.get(field)
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict):
                yield ListedTodo(
                    _line(item, name), _status(item) or "pending", _line(item, "activeForm")
                )
    elif tool in (_TASK_CREATED, _TASK_UPDATED):
        is_new = tool == _TASK_CREATED
        yield ListedTodo(
            _line(given, "subject"),
            "pending" if is_new else _status(given),
            _line(given, "activeForm"),
            _created_id(response) if is_new else _number(given, "taskId"),
            _text(given, "description").strip(),
        )


def _line(fields: Json, name: str) -> str:
    return " ".join(_text(fields, name).split())


def _status(fields: Json) -> Any:  # noqa: ANN401 - one of the literals
    return _STATUSES.get(_text(fields, "status"), "")


def _number(fields: Json, name: str) -> str:
    """Return a number, which may be written as a text."""
    value = fields.get(name)
    return str(value) if type(value) is int else _line(fields, name)


def _created_id(response: object) -> str:
    """Return the number that the agent gave a new task: `{task: {id}}`, or `Task #3 created`."""
    if isinstance(response, dict):
        return _number(_object(response, "task"), "id")
    found = _CREATED_ID.search(response) if isinstance(response, str) else None
    return found[1] if found else ""
