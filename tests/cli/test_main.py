"""Exit codes, streams that end early, and interrupts."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outlast import create_plan
from outlast.cli.main import finish
from outlast.console.call import Call
from outlast.errors import StoreError
from outlast.store.journal import add_checksum
from tests.cli.processes import environment, json_of, outlast, stdout_of
from tests.cli.terminals import HANG
from tests.open_files import open_files


def journal(cwd: Path) -> Path:
    return cwd / ".outlast" / "plans" / "ship" / "journal.jsonl"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("a")
        plan.add("b", [1])
    return tmp_path


def test_1_is_a_refusal_by_a_rule_of_the_plan(workspace: Path) -> None:
    for arguments, words in (
        (("done", "2"), "Task 2 is blocked: it needs 1 to finish first"),
        (("done",), "human has no task in progress; give a task number, or start a task first"),
        (("rm", "1"), "Task 1 cannot be removed: it is needed by 2"),
        (("reopen", "1"), "Task 1 "),
        (("new", "Again", "--key", "ship"), "There is already a plan at "),
    ):
        done = outlast(workspace, *arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"outlast: {words}")


def test_2_is_a_value_of_the_wrong_form(workspace: Path) -> None:
    for arguments, words in (
        (("new", ""), "goal: expected some text, got a blank string"),
        (("new", " ", "\n"), "goal: expected some text, got a blank string"),
        (("add", " "), "name: expected some text, got a blank string"),
        (("done", ""), 'N: expected a task id such as 3, "3" or "step_3"'),
        (("fail", "1"), 'say why 1 failed: outlast fail 1 "the reason"'),
        (("next", "--as", ""), "--as: expected some text, got a blank string"),
    ):
        done = outlast(workspace, *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"outlast: {words}")


def test_3_is_no_such_plan(workspace: Path) -> None:
    done = outlast(workspace, "next", "--plan", "other")
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        3,
        "outlast: There is no plan other; plans here: ship",
    )
    refused = json_of(workspace, "next", "--plan", "other", code=3)["error"]
    assert (refused["code"], refused["details"]["candidates"]) == ("PLAN_NOT_FOUND", ["ship"])


def test_f17_4_is_a_plan_of_a_newer_outlast(workspace: Path) -> None:
    journal(workspace).write_bytes(add_checksum(b'{"outlast":"journal","format":99,"key":"ship"}'))
    done = outlast(workspace, "next", "--plan", "ship")
    assert done.returncode == 4
    assert "update Outlast" in done.stderr


def test_4_is_a_deleted_directory(tmp_path: Path) -> None:
    line = 'mkdir gone && cd gone && rmdir ../gone && outlast next 2>&1; echo "$?"'
    assert piped(tmp_path, line)[0] == "outlast: There is no directory .\n4\n"


def test_f6_a_repair_is_reported_once(workspace: Path) -> None:
    with journal(workspace).open("ab") as file:
        file.write(b'{"revision":4')
    first, second = outlast(workspace, "next"), outlast(workspace, "next")
    assert first.stdout == second.stdout
    assert (first.returncode, second.returncode, second.stderr) == (0, 0, "")
    assert first.stderr.startswith("outlast: An incomplete last line of 13 bytes was set aside")
    assert first.stderr.count("\n") == 1


def test_f6_each_repair_is_reported_in_a_line(workspace: Path) -> None:
    with journal(workspace).open("ab") as file:
        file.write(b'{"revision":4')
    journal(workspace).with_name("snapshot.json.1.2.new").write_bytes(b"half")
    done = outlast(workspace, "done", "9")
    *repaired, refused, hint = done.stderr.splitlines()
    assert [line.partition(": ")[0] for line in repaired] == ["outlast", "outlast"]
    assert refused == "outlast: Task with ID 9 not found"
    assert hint == "See the tasks: outlast show"


def piped(cwd: Path, line: str) -> tuple[str, str]:
    done = subprocess.run(  # noqa: S603 - a line of our own
        ["/bin/sh", "-c", line],
        capture_output=True,
        check=True,
        cwd=cwd,
        encoding="utf-8",
        env=environment(),
        timeout=60,
    )
    return done.stdout, done.stderr


def test_a_reader_that_stops_early_is_no_error(workspace: Path) -> None:
    stdout_of(workspace, "add", *map(str, range(9_999)))
    assert piped(workspace, "{ outlast show; echo code $? >&2; } | head -n 1") == (
        "Ship it  0/10001 idle  [ship]\n",
        "code 0\n",
    )
    assert piped(workspace, "outlast next >&-; echo $?")[0] == "0\n"
    assert piped(workspace, "outlast done 99999 2>&-; echo $?")[0] == "1\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_f5_an_output_that_cannot_be_written_is_reported(workspace: Path) -> None:
    shown = os.strerror(errno.ENOSPC)
    assert piped(workspace, "outlast next >/dev/full; echo $?") == ("4\n", f"outlast: {shown}\n")


def test_130_is_an_interrupt_and_nothing_was_done(workspace: Path) -> None:
    path = journal(workspace)
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with subprocess.Popen(
            [sys.executable, "-m", "outlast", "done", "1", "--plan", "ship"],
            cwd=workspace,
            env=environment(),
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            latest = time.monotonic() + HANG
            while process.poll() is None and str(path) not in open_files(process.pid):
                assert time.monotonic() < latest, "it never waited for the journal"
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=HANG) == (b"", b"")
            assert process.returncode == 130
    assert "○ 1 a" in stdout_of(workspace)


def test_f7_each_refused_edit_is_reported_in_a_line(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    stdout_of(tmp_path, "add", "Build", "--check", "file: out.txt", "--files", "out.txt")
    stdout_of(tmp_path, "add", "Free", "Other")
    file = tmp_path / ".outlast/plans/ship/task_plan.md"
    text = file.read_text().replace("- [ ] ○ **1** Build", "- [x] ○ **1** Build")
    file.write_text(text + "\n- [?] what\n")
    lines = outlast(tmp_path, "next").stderr.splitlines()
    assert sum(line.startswith("outlast: task_plan.md, line ") for line in lines) == 2
    assert all(line.startswith("outlast: ") for line in lines)
    file.write_text("")
    held = outlast(tmp_path, "next").stderr
    assert "tasks that it would reopen: none; " in held


def test_what_fails_after_the_answer_is_logged_and_the_rest_is_done(
    caplog: pytest.LogCaptureFixture,
) -> None:
    done = list[str]()

    def fail() -> None:
        raise StoreError("plan_closed")

    finish(Call("run", {}, {}, at_end=[fail, lambda: done.append("released")]))
    assert done == ["released"]
    assert "after the end of run" in caplog.text
