"""Run the command `outlast` in a process of its own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from outlast.system.caller import HOST_VARIABLES
from tests.cli import forks
from tests.gate.snippets import FENCE, commands

PERSON_NAME = "mira"
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
_CLOCK = re.compile(r"\b\d\d:\d\d:\d\d\b")
_STAMP = re.compile(r"\d{8}T\d{6}\.\d{6}")
_PYTHON = Path(sys.executable)
_SIZE = ("COLUMNS", "LINES")  # of the terminal; a parallel test run sets them


def environment(**variables: str) -> dict[str, str]:
    """Return the variables of a process that a person starts, without this machine's settings."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OUTLAST_") and name not in (*HOST_VARIABLES, *_SIZE)
    }
    path = f"{_PYTHON.parent}{os.pathsep}{os.environ['PATH']}"
    fixed = {
        "LC_ALL": "C.UTF-8",
        "OUTLAST_NAME": PERSON_NAME,
        "PATH": path,
        "PYTHONUTF8": "1",
        "TZ": "UTC",
    }
    return {**kept, **fixed, **variables}


def outlast(
    cwd: Path, *arguments: str | bytes, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command, with an empty standard input."""
    done = forks.run(cwd, arguments, environment(**variables))
    out, error = (text.decode().replace("\r\n", "\n") for text in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, error)


def stdout_of(cwd: Path, *arguments: str, **variables: str) -> str:
    """Return what a command prints that works and complains about nothing."""
    done = outlast(cwd, *arguments, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def json_of(cwd: Path, *arguments: str, code: int = 0, **variables: str) -> dict[str, Any]:
    """Return the JSON that a command answers with."""
    done = outlast(cwd, *arguments, "--json", **variables)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (code, "", 1)
    answer = json.loads(done.stdout)
    assert answer["ok"] is (code == 0)
    return dict(answer)


def replay(transcript: str, cwd: Path, **variables: str) -> None:
    """Run the lines that begin with `$ ` and compare what is printed with what stands below."""
    for line, output in commands(transcript):
        done = subprocess.run(  # noqa: S603 - lines of our own
            ["/bin/sh", "-c", line],
            check=False,
            cwd=cwd,
            encoding="utf-8",
            env=environment(**variables),
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=60,
        )
        printed = done.stdout.replace(str(cwd), "HERE")
        assert _without_times(printed) == _without_times(output), line


def consoles(page: Path) -> str:
    """Return the console blocks of a page, one after the other."""
    fences = FENCE.finditer(page.read_text(encoding="utf-8"))
    return "".join(fence["body"] for fence in fences if fence["language"] == "console")


def _without_times(text: str) -> str:
    text = _CLOCK.sub("12:00:00", _STAMP.sub("20260101T120000.000000", text))
    return _TIME.sub("2026-01-01 12:00", text)
