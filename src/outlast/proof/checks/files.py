"""Check files and reports: one must exist, or a pattern must match in its text.

A file check is `PATH` or `PATH ~ PATTERN`, a report check looks at a field of an agent's report.

`^` and `$` match at line boundaries. A pattern with special characters runs in a separate process
with a timeout, because a regular expression may take forever.
"""

from __future__ import annotations

import os
import re
import sys
from hashlib import sha256
from stat import S_ISDIR, S_ISREG
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final

from outlast.model.model import BEFORE_PATTERN, Check, Evidence, TaskReport
from outlast.proof.checks.programs import not_started, outcome, shows_nothing
from outlast.system.disk import describe_error

if TYPE_CHECKING:
    from outlast.proof.checks.programs import CheckRunner

LIMIT: Final = 1024 * 1024
SECONDS: Final = 10.0
_SEARCH_RESULTS: Final = {0: "passed", 3: "bad_pattern", 4: "no_match"}

_SEARCH_SCRIPT: Final = r"""
import re, sys, warnings
warnings.simplefilter("ignore")
with open(int(sys.argv[2]), encoding="utf-8-sig", errors="replace") as file:
    text = file.read()
try:
    match = re.compile(sys.argv[1], re.MULTILINE).search(text)
except Exception:
    sys.exit(3)
sys.exit(0 if match else 4)
"""


def check_file(check: Check, runner: CheckRunner) -> Evidence:
    """Run a file check."""
    path = runner.files.resolve(check.path)
    if path is None:
        return Evidence(check, ok=False, says="outside")
    try:
        fd = runner.files.open(path)
    except (FileNotFoundError, NotADirectoryError):
        return Evidence(check, ok=False, says="missing")
    except OSError as error:
        return Evidence(check, ok=False, says=_unreadable_reason(error))
    try:
        return _inspect(check, fd, runner)
    except OSError as error:
        return Evidence(check, ok=False, says=_unreadable_reason(error))
    finally:
        os.close(fd)


def _inspect(check: Check, fd: int, runner: CheckRunner) -> Evidence:
    status = os.fstat(fd)
    separator = BEFORE_PATTERN in check.rule
    if not (S_ISREG(status.st_mode) or (S_ISDIR(status.st_mode) and not separator)):
        return Evidence(check, ok=False, says="no_file")
    if not separator:
        return Evidence(check, ok=True, says="passed")
    if status.st_size > LIMIT:
        return Evidence(check, ok=False, says=f"large {LIMIT}")
    data = os.pread(fd, LIMIT, 0)
    ok, says = _search(check.pattern, data, fd, runner)
    return Evidence(check, ok=ok, says=says, digest=f"sha256:{sha256(data).hexdigest()}")


def _search(pattern: str, data: bytes, fd: int, runner: CheckRunner) -> tuple[bool | None, str]:
    """Search a text, which is in an open file too; return whether it matches, and what to say.

    A search that shows nothing is made once more.
    """
    if pattern == re.sub(r"[^\w \-:/,;=<>@!%&'\"]", "", pattern):  # no special character
        found = pattern in data.decode(errors="replace")
        return found, "passed" if found else "no_match"
    ok, says = _run_search(pattern, fd, runner)
    return _run_search(pattern, fd, runner) if ok is None else (ok, says)


def _run_search(pattern: str, fd: int, runner: CheckRunner) -> tuple[bool | None, str]:
    arguments = (sys.executable, "-I", "-S", "-c", _SEARCH_SCRIPT, pattern, str(fd))
    seconds = min(SECONDS, runner.seconds)
    os.lseek(fd, 0, os.SEEK_SET)  # an earlier search has read it
    try:
        ended = runner.run(arguments, seconds=seconds, keep=(fd,))
    except OSError as error:
        return None, not_started(error)
    if ended.how == "timeout":
        return None, f"slow_pattern {seconds:g}"
    says = _SEARCH_RESULTS.get(ended.code, outcome(ended, seconds))
    return None if shows_nothing(ended, sys.executable) else says == "passed", says


def _unreadable_reason(error: OSError) -> str:
    return f"unreadable {describe_error(error)}"


def check_report(check: Check, report: TaskReport | None, runner: CheckRunner) -> Evidence:
    """Look at a report; what it says is not proved by that."""
    if report is None:
        return Evidence(check, ok=False, says="no_report")
    data = str(getattr(report, check.subject, "")).strip().encode()
    if not data:
        return Evidence(check, ok=False, says="empty")
    ok, says = _search_text(check.pattern, data, runner) if check.pattern else (True, "passed")
    return Evidence(check, ok=ok, says=says, digest=f"sha256:{sha256(data).hexdigest()}")


def _search_text(pattern: str, data: bytes, runner: CheckRunner) -> tuple[bool | None, str]:
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        ok, says = _search(pattern, data, file.fileno(), runner)
    return ok, "no_text" if says == "no_match" else says
