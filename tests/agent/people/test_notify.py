"""The notify command never blocks or fails a run."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from outlast.agent.people.notify import NotifyCommand, command_notifier
from tests.system.test_processes import is_alive, numbers, wait_for

ENDING = """
import sys
from outlast.agent.people.notify import NotifyCommand
from outlast.agent.people.terminal import TerminalPerson
NotifyCommand(sys.argv[1]).notify("finished", "done")
"""


def is_written(file: Path) -> bool:
    return file.exists() and file.read_text().endswith("\n")


def test_a_command_gets_the_text_and_the_occasion(tmp_path: Path) -> None:
    file = tmp_path / "told"
    command = f'{{ echo "$OUTLAST_OCCASION"; cat; echo; }} > {file}.new; mv {file}.new {file}'
    NotifyCommand(command).notify("question", "Which colour? 蓝\n$(touch no) `x`")
    assert wait_for(lambda: is_written(file))
    assert file.read_text() == "question\nWhich colour? 蓝\n$(touch no) `x`\n"
    assert not (tmp_path / "no").exists()


def test_a5_no_secret_is_passed_on(tmp_path: Path) -> None:
    file = tmp_path / "told"
    key = "sk-ant-api03-" + "a1b2" * 10
    NotifyCommand(f"cat > {file}.new; echo >> {file}.new; mv {file}.new {file}").notify(
        "blocked", f"tell {key} " + "x" * 100_000
    )
    assert wait_for(lambda: is_written(file))
    assert key not in file.read_text()
    assert len(file.read_text()) < 5_000


@pytest.mark.slow
def test_f12_a_command_that_does_not_end_is_killed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stubborn = "trap '' TERM; echo $$ >> pids; sleep 60 & echo $! >> pids; wait; sleep 60"
    with caplog.at_level(logging.WARNING, "outlast"):
        NotifyCommand(f"cd {tmp_path} && {stubborn}", seconds=1).notify("budget", "80 %")
        assert wait_for(lambda: len(numbers(tmp_path)) == 2)
        assert wait_for(lambda: not any(map(is_alive, numbers(tmp_path))))
        assert wait_for(lambda: "budget ended with" in caplog.text)


def test_nothing_is_left_of_one_that_ended(tmp_path: Path) -> None:
    NotifyCommand(f"cd {tmp_path} && sleep 60 & echo $! > {tmp_path}/pids").notify("budget", "x")
    assert wait_for(lambda: bool(numbers(tmp_path)))
    assert wait_for(lambda: not any(map(is_alive, numbers(tmp_path))))


def test_what_fails_is_logged_and_never_raised(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "outlast"):
        NotifyCommand("exit 3").notify("finished", "done")
        assert wait_for(lambda: "finished ended with 3" in caplog.text)
        NotifyCommand("a\0b").notify("finished", "done")
        assert "could not be started" in caplog.text


def test_it_goes_on_when_we_have_ended(tmp_path: Path) -> None:
    file = tmp_path / "told"
    command = f"sleep 0.3; cat > {file}; echo >> {file}"
    subprocess.run([sys.executable, "-c", ENDING, command], check=True)  # noqa: S603 - our own
    assert wait_for(lambda: is_written(file))


def test_without_a_command_there_is_no_notifier() -> None:
    assert command_notifier("") is None
    assert command_notifier("  ") is None
    assert isinstance(command_notifier("true"), NotifyCommand)
    assert os.environ.get("OUTLAST_OCCASION") is None
