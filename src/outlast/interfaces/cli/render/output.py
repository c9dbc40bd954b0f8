"""From an answer or an error to what is printed and the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TextIO

from msgspec import Struct, json

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
from outlast.texts import explain, visible

if TYPE_CHECKING:
    from outlast.interfaces.cli.call import Call

Json = dict[str, Any]

OK: Final = 0
REFUSED: Final = 1
USAGE: Final = 2
NO_PLAN: Final = 3
TROUBLE: Final = 4
_TAIL: Final = 10  # lines of what a check printed

# The first that fits counts.
_CODES: Final[tuple[tuple[type[OutlastError], int], ...]] = (
    (InvalidArgument, USAGE),
    (WrongUsage, USAGE),
    (PlanNotFound, NO_PLAN),
    (PlanExists, REFUSED),
    (Refused, REFUSED),
    (Unconfirmed, REFUSED),
    (OutlastError, TROUBLE),
)


class Answer(Struct, frozen=True):
    """What a command answers: to programs, and in words to people; only one of them is made."""

    shape: Callable[[], Json]
    words: Callable[[], str]
    code: int = OK


def on_terminal() -> bool:
    """Tell whether what is printed may have colours."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(sys.stdout and sys.stdout.isatty())


def content(answer: Answer, call: Call) -> Json | str:
    """Return what an answer says, in the form that was asked for."""
    return answer.shape() if call.as_json else answer.words()


def rendered(said: Json | str, code: int, call: Call) -> str:
    """Return an answer as it is printed."""
    if isinstance(said, str):
        return said
    return encoded({"ok": code == OK, **said, **_noticed(call)})


def _noticed(call: Call) -> Json:
    said = [{"code": key, "message": call.say(key, **facts)} for key, facts in call.notices]
    return {"notices": said} if said else {}


def say_notices(call: Call, unless: str = "") -> None:
    """Tell a person in a line each what is to be said beside the answer, but for one text."""
    said = [call.say(key, **facts) for key, facts in call.notices if key != unless]
    if said and not call.as_json:
        write("\n".join(f"outlast: {visible(one)}" for one in said), sys.stderr)


def complaint(error: OutlastError, call: Call) -> str:
    """Return an error as it is printed."""
    if call.as_json:
        details = {"code": error.code, "message": explain(error), "details": error.details}
        return encoded({"ok": False, "error": details, **_noticed(call)})
    from outlast.interfaces.cli.render.errors import worded

    lines = [f"outlast: {visible(worded(error, call))}"]
    for failed in _failed_checks(error):
        lines += tail_lines(failed["tail"])
    return "\n".join([*lines, *_hints(error, call)])


def _hints(error: OutlastError, call: Call) -> list[str]:
    """Return what can be done on the command line about an error."""
    if isinstance(error, PlanNotFound) and error.details.get("candidates"):
        return [call.say("hint_name_plan")]
    if isinstance(error, TaskClaimed):
        return [call.say("hint_claimed") if error.details.get("task_id") else _watching(call)]
    if not isinstance(error, CheckFailed):
        return []
    number = error.details["task_id"]
    asked = any(one["says"] == "unconfirmed" for one in _failed_checks(error))
    confirm = [call.say("advice_confirm", number=number)] if asked else []
    return [*confirm, call.say("hint_check_failed", number=number)]


def _watching(call: Call) -> str:
    """Return how a run is followed that holds the plan; no token lets another one in."""
    from outlast.interfaces.cli.render.next_command import again

    return call.say("run_go_on_watch", command=again(call, "watch"))


def _failed_checks(error: OutlastError) -> list[dict[str, str]]:
    found: Any = error.details.get("failed") if isinstance(error, CheckFailed) else None
    return found or []


def tail_lines(tail: str) -> list[str]:
    """Return the end of what a check printed, for a person."""
    return [f"        {visible(line)}" for line in tail.splitlines()[-_TAIL:]]


def exit_code(error: OutlastError) -> int:
    """Return the exit code of an error."""
    return next(code for kind, code in _CODES if isinstance(error, kind))


def encoded(data: Json) -> str:
    """Return JSON in one line; a terminal is shown no raw control character."""
    try:
        written = json.encode(data).decode()
    except UnicodeEncodeError:  # a path that is no UTF-8
        written = json.encode(_spelled(data)).decode()
    if written.isprintable():
        return written
    return "".join(c if c.isprintable() else _escaped(c) for c in written)


def _spelled(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {key: _spelled(one) for key, one in value.items()}
    return [_spelled(one) for one in value] if isinstance(value, list) else value


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def write(lines: str, stream: TextIO | None) -> int:
    """Print; return what the exit code becomes if that fails. Whoever reads may stop early."""
    error = sent(lines, stream)
    if error is None or isinstance(error, BrokenPipeError):
        return OK
    if stream is not sys.stderr:
        write(f"outlast: {os.strerror(error.errno or 0)}", sys.stderr)
    return TROUBLE


def sent(lines: str, stream: TextIO | None) -> OSError | None:
    """Print; return why nobody could read it, if so, after which nothing is printed any more."""
    if stream is None:  # closed before we began
        return None
    try:
        stream.reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]
        stream.write(f"{lines}\n")
        stream.flush()
    except OSError as error:
        _let_go(stream)
        return error
    return None


def _let_go(stream: TextIO) -> None:
    """Send what is left in a stream nowhere, so that the interpreter does not try it again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
