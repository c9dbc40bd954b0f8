"""Checks on files: `PATH` has to be there, or `PATH ~ PATTERN` has to match in it.

The pattern is searched for in the text, line by line as far as `^` and `$` go. Since a pattern may
take for ever, one with more in it than plain characters is searched for in a process of its own,
under a time limit.
"""

from __future__ import annotations

import os
import re
import sys
from hashlib import sha256
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Final

from outlast.domain.model import Evidence

if TYPE_CHECKING:
    from outlast.adapters.checks.runner import Desk
    from outlast.domain.model import Check

LIMIT: Final = 1024 * 1024
SECONDS: Final = 10.0
_SIGN: Final = " ~ "
_FOUND: Final = {0: "passed", 3: "bad_pattern", 4: "no_match"}

_SEARCH: Final = r"""
import re, sys, warnings
warnings.simplefilter("ignore")
with open(int(sys.argv[2]), encoding="utf-8-sig", errors="replace") as file:
    text = file.read()
try:
    found = re.compile(sys.argv[1], re.MULTILINE).search(text)
except Exception:
    sys.exit(3)
sys.exit(0 if found else 4)
"""


def path_of(check: Check) -> str:
    """Return the path that the rule of a file check begins with."""
    return check.rule.partition(_SIGN)[0].strip()


def run(check: Check, desk: Desk) -> Evidence:
    """Look at the file."""
    found = desk.inside.find(path_of(check))
    if found is None:
        return Evidence(check, ok=False, says="outside")
    try:
        fd = desk.inside.open(found)
    except (FileNotFoundError, NotADirectoryError):
        return Evidence(check, ok=False, says="missing")
    except OSError as error:
        return Evidence(check, ok=False, says=_unreadable(error))
    try:
        return _looked_at(check, fd, desk)
    except OSError as error:
        return Evidence(check, ok=False, says=_unreadable(error))
    finally:
        os.close(fd)


def _looked_at(check: Check, fd: int, desk: Desk) -> Evidence:
    status = os.fstat(fd)
    _, sign, pattern = check.rule.partition(_SIGN)
    if not (S_ISREG(status.st_mode) or (S_ISDIR(status.st_mode) and not sign)):
        return Evidence(check, ok=False, says="no_file")
    if not sign:
        return Evidence(check, ok=True, says="passed")
    if status.st_size > LIMIT:
        return Evidence(check, ok=False, says=f"large {LIMIT}")
    data = os.pread(fd, LIMIT, 0)
    says = _searched(pattern.strip(), data, fd, desk)
    digest = f"sha256:{sha256(data).hexdigest()}"
    return Evidence(check, ok=says == "passed", says=says, digest=digest)


def _searched(pattern: str, data: bytes, fd: int, desk: Desk) -> str:
    if pattern == re.sub(
        r"[^\w \-:/,;=<>@!%&'\"]", "", pattern
    ):  # nothing that is more than itself
        return "passed" if pattern in data.decode(errors="replace") else "no_match"
    arguments = (sys.executable, "-I", "-S", "-c", _SEARCH, pattern, str(fd))
    seconds = min(SECONDS, desk.seconds)
    ended = desk.run(arguments, seconds=seconds, keep=(fd,))
    if ended.how == "timeout":
        return f"slow_pattern {seconds:g}"
    return _FOUND.get(ended.code, f"exit {ended.code}")


def _unreadable(error: OSError) -> str:
    return f"unreadable {os.strerror(error.errno or 0)}"
