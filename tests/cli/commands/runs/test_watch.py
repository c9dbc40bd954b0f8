"""`watch` in one process while others work on the plan."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from outlast import create_plan, open_plan
from tests.cli.processes import environment, json_of, outlast, stdout_of
from tests.cli.terminals import HANG, read_before
from tests.console.render.test_output import HOSTILE

_PIPES = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


@contextmanager
def start_watch(cwd: Path, *arguments: str, **streams: Any) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", "watch", *arguments],
        cwd=cwd,
        encoding="utf-8",
        env=environment(TERM="xterm-256color", COLUMNS="120", LINES="24"),
        **{**_PIPES, **streams},
    ) as process:
        guard = Timer(HANG, process.kill)
        guard.start()
        try:
            yield process
        finally:
            guard.cancel()
            process.kill()


def lines_until(process: subprocess.Popen[str], words: str) -> list[str]:
    """Return what is printed up to the first line with these words."""
    assert process.stdout
    found: list[str] = []
    for line in process.stdout:
        found.append(line)
        if words in line:
            return found
    raise AssertionError(found)


def test_r0_01_a_plan_that_is_archived_is_watched_on_as_the_next_one_of_its_key(
    workspace: Path,
) -> None:
    with start_watch(workspace, "--json") as process:
        lines_until(process, '"plan"')
        for command in (("done", "1"), ("done", "2"), ("archive",)):
            stdout_of(workspace, *command)
        time.sleep(0.5)
        stdout_of(workspace, "new", "Again", "--key", "ship")
        assert '"revision":1' in lines_until(process, "Again")[-1]


def test_x6_it_follows_what_other_processes_do(workspace: Path) -> None:
    with start_watch(workspace) as process:
        first = lines_until(process, "added 2 b")
        assert first[:3] == ["Ship it  0/2 idle  [ship]\n", "  ○ 1 a\n", "  ○ 2 b\n"]
        stdout_of(workspace, "start", "--as", "ada")
        assert "ada  work started; started 1 a" in lines_until(process, "started")[-1]
        stdout_of(workspace, "add", "c")
        assert "human (mira)  added 3 c" in lines_until(process, "added")[-1]
        with open_plan(str(workspace), actor="bot") as plan:
            plan.complete(2, "well")
        assert "bot  started 2 b; completed 2 b" in lines_until(process, "completed")[-1]
        process.send_signal(signal.SIGINT)
        assert process.wait(HANG) == 0
        assert process.stderr
        assert process.stderr.read() == ""


def test_f7_it_follows_edits(workspace: Path) -> None:
    file = workspace / ".outlast/plans/ship/task_plan.md"
    with start_watch(workspace) as process:
        lines_until(process, "added 2 b")
        file.write_text(file.read_text().replace("- [ ] ○ **1** a", "- [x] ○ **1** a"))
        assert (
            "human  work started; started 1 a; completed 1 a" in lines_until(process, "compl")[-1]
        )


def test_x6_json_has_a_line_for_each_commit(workspace: Path) -> None:
    with start_watch(workspace, "--json") as process:
        assert process.stdout
        first = json.loads(process.stdout.readline())
        assert [task["name"] for task in first["tasks"]] == ["a", "b"]
        assert [one["revision"] for one in first["commits"]] == [1, 2, 3]
        stdout_of(workspace, "done", "1")
        line_data = json.loads(process.stdout.readline())
        assert line_data["ok"] is True
        assert [one["type"] for one in line_data["commit"]["changes"]][-1] == "TaskCompleted"
        process.send_signal(signal.SIGINT)
        last = json.loads(process.stdout.readline())
        about = {"plan": {"key": "ship"}, "ended": "interrupted", "revision": 4}
        assert last == {"ok": True, **about}
        assert process.wait(HANG) == 0


def test_it_ends_after_the_given_time(workspace: Path) -> None:
    assert stdout_of(workspace, "watch", "--for", "1").startswith("Ship it  0/2 idle  [ship]\n")
    assert stdout_of(workspace, "watch", "--once").count("\n") == 6
    once = json_of(workspace, "watch", "--once")
    assert list(once) == ["ok", "plan", "phases", "tasks", "costs", "questions", "commits"]
    assert outlast(workspace, "watch", "--for", "0").returncode == 2


def test_it_ends_when_the_reader_is_gone(workspace: Path) -> None:
    with start_watch(workspace) as process:
        lines_until(process, "added 2 b")
        assert process.stdout
        process.stdout.close()
        stdout_of(workspace, "start")
        assert process.wait(HANG) == 0


@pytest.mark.slow
def test_a6_on_a_terminal_the_tree_is_redrawn_and_nothing_is_raw(tmp_path: Path) -> None:
    with create_plan(str(tmp_path), HOSTILE, "ship", actor=HOSTILE) as plan:
        for _ in range(60):
            plan.add(HOSTILE)
    ours, its = pty.openpty()
    with start_watch(tmp_path, stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        drawn = _read_until(ours, " more)")
        assert "1 a\\x1b]0;owned" in drawn
        stdout_of(tmp_path, "done", "40")
        assert "40 a" in _read_until(ours, "work started")
        process.send_signal(signal.SIGINT)
        assert process.wait(HANG) == 0
    os.close(ours)


def _read_until(terminal: int, words: str) -> str:
    """Return what a terminal is sent up to some words, without what rich may send it."""
    found, latest = "", time.monotonic() + HANG
    while words not in found:
        found += read_before(latest, terminal, found)
    plain = re.sub(r"\x1b\[\??[\d;]*[A-Za-z]", "", found)
    raw = [c for c in plain if not c.isprintable() and c not in "\r\n"]
    assert raw == []
    return plain
