"""Colours on terminals only, and no raw control characters."""

import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outlast import create_plan
from outlast.language.columns import text_width
from outlast.model.model import Check
from tests.cli.processes import environment, stdout_of
from tests.cli.terminals import HANG, read_before

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x08\x7f\x9b31m\u202e\u200b\ufeff[red]b"
STYLE = re.compile(r"\x1b\[[\d;]*m")


def on_a_terminal(cwd: Path, *arguments: str, **variables: str) -> str:
    """Return what a terminal is sent, both streams together."""
    ours, its = pty.openpty()
    with subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", *arguments],
        cwd=cwd,
        env=environment(**{"TERM": "xterm-256color", "COLUMNS": "200"} | variables),
        stdin=its,
        stdout=its,
        stderr=its,
    ) as process:
        os.close(its)
        try:
            return _all_of(ours)
        finally:
            process.kill()  # the terminal is closed, so the process has ended


def _all_of(terminal: int) -> str:
    output, latest = "", time.monotonic() + HANG
    try:
        while part := read_before(latest, terminal, output):
            output += part
    except OSError:  # Linux says so when the last one has let go
        pass
    finally:
        os.close(terminal)
    return output


def test_colours_are_for_terminals_only(tmp_path: Path) -> None:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("a")
        plan.start()
    assert STYLE.search(on_a_terminal(tmp_path))
    assert "└── ◐ 1 a" in STYLE.sub("", on_a_terminal(tmp_path, "show"))
    assert "\x1b" not in on_a_terminal(tmp_path, NO_COLOR="1")
    assert "\r\n  ◐ 1 a" in on_a_terminal(tmp_path, TERM="dumb")
    assert "\x1b" not in on_a_terminal(tmp_path, "next")
    assert "\x1b" not in stdout_of(tmp_path, "show")


@pytest.mark.slow
def test_a6_no_field_reaches_a_terminal_raw(tmp_path: Path) -> None:
    with create_plan(str(tmp_path), HOSTILE, HOSTILE, actor=HOSTILE) as plan:
        plan.add_phase(HOSTILE)
        for _ in range(4):
            plan.add(HOSTILE)
        plan.add(
            *(HOSTILE, (), HOSTILE),
            phase=plan.phases[1].id,
            checks=[Check("person", HOSTILE), Check("command", f"echo '{HOSTILE}'; false")],
            run=HOSTILE,
            files=[HOSTILE],
        )
        plan.notes.add_finding("insight", HOSTILE, HOSTILE, HOSTILE)
        plan.notes.add_error(HOSTILE, HOSTILE)
        plan.complete(1, HOSTILE)
        plan.fail(2, HOSTILE)
        plan.skip(3, HOSTILE)
        plan.start(4)
        plan.pause(HOSTILE)
    for arguments in (
        *([], ["list"], ["log"], ["next"], ["resume"], ["next", "--all"], ["doctor"]),
        *(["done", "1"], ["fail", "2", HOSTILE], ["rm", "5"], ["undo"], ["done", HOSTILE]),
        *(["add", "x", "--phase", HOSTILE], ["add", "x", "--needs", HOSTILE], ["show", "--json"]),
        *(["note"], ["note", HOSTILE], ["note", HOSTILE, "--error", HOSTILE], ["graph"]),
        *(["graph", "--format", "dot"], ["graph", "--format", "mermaid"], ["watch", "--once"]),
        *(["check"], ["check", "5", "--approve"], ["done", "5"], ["export"], ["doctor"]),
        *(["export", "--format", "plan.json"], ["export", "--format", "manager"]),
        *(["export", "--format", "checklist"], ["export", f"{tmp_path}/x{HOSTILE}/y"]),
        *(["import", HOSTILE], ["claim", "5"], ["report"], ["archive"]),
        *(["edit", "5", "--name", HOSTILE + "y"], ["edit", "--title", HOSTILE + "z"], ["reset"]),
        *(["reset", "--as", HOSTILE, "--yes"], ["log", "--diff", "1.."], ["show", "--at", "3"]),
        *(["--plan", HOSTILE + "x", "show"], ["new", HOSTILE], ["show"], [HOSTILE]),
    ):
        shown = STYLE.sub("", on_a_terminal(tmp_path, *arguments))
        raw = [c for c in shown if not c.isprintable() and c not in "\r\n"]
        assert (raw, shown != "") == ([], True), arguments


def test_columns_are_counted_as_a_terminal_does() -> None:
    assert [text_width(text) for text in ("abc", "中文", "é", "e\u0301", "")] == [3, 4, 1, 1, 0]
