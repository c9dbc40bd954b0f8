"""Print answers: JSON or text, notices, broken streams."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final, TextIO

from msgspec import json

from outlast.console.call import FAILURE, OK, Answer, Call, Json
from outlast.language import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.store.port import Notice

_TAIL: Final = 10  # lines of a check's output
_PRINTED_AT_ONCE: Final = "lock_wait"


def has_colours() -> bool:
    """Return whether the output is a terminal that may have colours."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(sys.stdout and sys.stdout.isatty())


def terminal_width() -> int:
    """Return the columns of the terminal that the answer goes to; 0 if it goes elsewhere."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else 0


def answer_content(answer: Answer, call: Call) -> Json | str:
    """Render an answer as the call wants it; it says which plan it is about."""
    if call.wants_json:
        return {**plan_key_json(call), **answer.as_json()}
    text = answer.as_text()
    return with_key(text, call) if text and not answer.bare else text


def format_content(content: Json | str, code: int, call: Call) -> str:
    """Return the content as it is printed."""
    if isinstance(content, str):
        return content
    return encode_json({"ok": code == OK, **content, **notices_json(call)})


def plan_key_json(call: Call) -> Json:
    """Return the key of the plan for `--json`, once it is known."""
    return {"plan": {"key": call.context.key}} if call.context.key else {}


def with_key(lines: str, call: Call) -> str:
    """Return a text that begins with the key of its plan, if the workspace has other plans."""
    context = call.context
    return f"[{visible(context.key)}] {lines}" if context.is_one_of_several else lines


def notices_json(call: Call) -> Json:
    """Return the call's notices for `--json`, if there are any."""
    notices = [{"code": key, "message": call.text(key, **facts)} for key, facts in call.notices]
    return {"notices": notices} if notices else {}


def print_notices(call: Call, unless: str = "") -> None:
    """Print the call's notices to the standard error, except those with this text key."""
    notices = [
        _notice_line(call, *notice)
        for notice in call.notices
        if notice[0] != unless and not notice[0].startswith(_PRINTED_AT_ONCE)
    ]
    if notices and not call.wants_json:
        write("\n".join(notices), sys.stderr)


def print_notice(call: Call, notice: Notice) -> None:
    """Print a notice at once to the standard error: the command goes on waiting."""
    write(_notice_line(call, *notice), sys.stderr)


def _notice_line(call: Call, key: str, facts: Mapping[str, object]) -> str:
    """Return a notice with the key of its plan, unless it names a file, which may be another's."""
    notice = visible(call.text(key, **facts))
    names_file = "path" in facts or "where" in facts
    return f"outlast: {notice if names_file else with_key(notice, call)}"


def tail_lines(tail: str) -> list[str]:
    """Return the end of a check's output."""
    return [f"        {visible(line)}" for line in tail.splitlines()[-_TAIL:]]


def encode_json(data: Json) -> str:
    """Return JSON in one line, with control characters escaped."""
    try:
        text = json.encode(data).decode()
    except UnicodeEncodeError:  # a path that is not UTF-8
        text = json.encode(_escape_surrogates(data)).decode()
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape_character(c) for c in text)


def _escape_surrogates(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {key: _escape_surrogates(item) for key, item in value.items()}
    return [_escape_surrogates(item) for item in value] if isinstance(value, list) else value


def _escape_character(character: str) -> str:
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def write(lines: str, stream: TextIO | None) -> int:
    """Print; return the exit code if that fails. A reader that stops early is no failure."""
    error = try_write(lines, stream)
    if error is None or isinstance(error, BrokenPipeError):
        return OK
    if stream is not sys.stderr:
        write(f"outlast: {os.strerror(error.errno or 0)}", sys.stderr)
    return FAILURE


def try_write(lines: str, stream: TextIO | None) -> OSError | None:
    """Print; return the error if the stream is broken, after which it discards everything."""
    if stream is None:  # closed before the process started
        return None
    try:
        stream.reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]
        stream.write(f"{lines}\n")
        stream.flush()
    except OSError as error:
        _discard_rest(stream)
        return error
    return None


def _discard_rest(stream: TextIO) -> None:
    """Redirect a broken stream to the null device, so that the interpreter's exit does not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
