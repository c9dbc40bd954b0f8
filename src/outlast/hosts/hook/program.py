"""Answer one hook: read the payload, print the answer. A failure never holds an agent up."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from outlast.hosts.hook_answer import answer_hook, check_moment, is_off, render_status_line
from outlast.hosts.sessions import check_host, log_file
from outlast.plan.home.find import DISK
from outlast.system.logs import LOG, log_to

if TYPE_CHECKING:
    from logging import Handler

LARGEST_PAYLOAD: Final = 16 << 20
_LOCK_SECONDS: Final = 5.0  # an agent waits for its hooks
_STATUS_LINE: Final = "status-line"


def main(arguments: list[str]) -> int:
    """Answer the hook that `hook.sh` was called for; the exit code is always 0."""
    if is_off():
        return 0
    with suppress(BaseException):
        DISK.longest_wait = _LOCK_SECONDS
        log_to(_open_log)
        try:
            moment, host = arguments
            with os.fdopen(_take_stdout(), "wb") as out:
                reply = answer(moment, host, sys.stdin.buffer.read(LARGEST_PAYLOAD))
                out.write(reply.encode(errors="replace"))
        except BaseException:
            LOG.exception("the hook %s failed", " ".join(arguments))
    return 0


def _take_stdout() -> int:
    """Return a descriptor for the answer; what hooks and checks print is no part of it."""
    answers = os.dup(1)
    os.dup2(2, 1)
    return answers


def answer(moment: str, host: str, payload: bytes) -> str:
    """Return what the hook prints."""
    if moment == _STATUS_LINE:
        return render_status_line(host, payload)
    return answer_hook(check_host(host), check_moment(moment), payload)


def _open_log() -> Handler:
    from outlast.hosts.hook.log_file import LogFile

    return LogFile(log_file())
