"""F36: a run that is stopped by a signal keeps what has ended, and settles the rest."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from outlast import Plan, open_plan
from outlast.model.changes import AttemptEnded
from tests.cli.agent_scripts import isolated_environment, isolated_home
from tests.cli.terminals import Terminal
from tests.system.test_processes import wait_for

pytestmark = pytest.mark.slow
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
KEY = "job"
PATIENCE = 60.0  # seconds: a guard against hanging, not a promise
LATE = 'trap "" TERM; echo begin >>log; sleep 0.6; echo sent >>mail'
HANGS = "echo begin >>log; sleep 60; echo sent >>mail"

# Stands for the real command: it needs a while, and reports also while it is told to stop. Asked
# what was done of a session, it answers by what is there.
CLAUDE = """#!/bin/sh
trap "" TERM
while [ $# -gt 0 ]; do
    case $1 in
    --session-id | --resume) session=$2 ;;
    --permission-mode) mode=$2 ;;
    esac
    shift
done
status=SUCCESS
printf '{"type":"system","session_id":"%s"}\\n' "$session"
if [ "$mode" = plan ]; then
    echo "$session" >>asked
    [ -e mail ] || status=PARTIAL_SUCCESS
else
    echo begin >>log
    sleep "$(cat naptime)"
    echo sent >>mail
fi
printf '{"type":"result","session_id":"%s","structured_output":' "$session"
printf '{"status":"%s","results":"told","pitfalls":"","next_steps":""}}\\n' "$status"
"""


class Scene:
    """A workspace with a plan in a file, and runs on it."""

    def __init__(self, here: Path, plan: str) -> None:
        self.here = here
        (here / "bin").mkdir(parents=True)
        (here / "plan.md").write_text(f"# Job\n\n{plan}\n")
        program = here / "bin" / "claude"
        program.write_text(CLAUDE)
        program.chmod(0o755)
        settings = Path(isolated_home(here)["XDG_CONFIG_HOME"], "outlast")
        settings.mkdir(parents=True)
        (settings / "config.toml").write_text("[orchestrator]\npreflight = false\n")

    def environment(self) -> dict[str, str]:
        path = f"{self.here / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {**isolated_environment(self.here), "PATH": path}

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "outlast", *words],
            cwd=self.here,
            encoding="utf-8",
            env=self.environment(),
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )

    def run(self, *words: str) -> tuple[int, str]:
        """Let a command come to its end; return its exit code, and what it printed."""
        with self.start(*words) as process:
            printed, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, printed

    def stop(
        self, *words: str, by: signal.Signals, when: Callable[[], bool] | None = None
    ) -> tuple[int, str]:
        """Start a command, and send it a signal once its agent is at work."""
        with self.start(*words) as process:
            assert wait_for(when or (lambda: self.count("log") > 0))
            process.send_signal(by)
            printed, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, printed

    def count(self, name: str) -> int:
        """Return how many lines were left in a file."""
        file = self.here / name
        return len(file.read_text().splitlines()) if file.exists() else 0

    def plan(self) -> Plan:
        return open_plan(self.here, KEY)

    def ends(self) -> list[tuple[str, str]]:
        """Return how the attempts ended, and what settled them."""
        with self.plan() as plan:
            return [
                (change.outcome, change.settled_by)
                for commit in plan.core.store.commits_since(0)
                for change in commit.changes
                if isinstance(change, AttemptEnded)
            ]


RUN = ("run", "plan.md", "--yes", "--agent")


def shell_scene(tmp_path: Path, command: str, *lines: str) -> Scene:
    task = "\n".join(("- [ ] One", f"  - run: {command}", *lines))
    return Scene(tmp_path / "here", task)


def claude_scene(tmp_path: Path, naptime: float) -> Scene:
    scene = Scene(tmp_path / "here", "- [ ] One")
    (scene.here / "naptime").write_text(f"{naptime}")
    return scene


@pytest.mark.parametrize("by", SIGNALS)
def test_f36_a_command_that_ends_with_success_while_its_run_is_stopped_is_not_run_again(
    tmp_path: Path, by: signal.Signals
) -> None:
    scene = shell_scene(tmp_path, LATE)
    code, printed = scene.stop(*RUN, "shell", by=by)
    assert (code, scene.count("mail")) == (130, 1), printed
    assert "Traceback" not in printed
    with scene.plan() as plan:
        assert plan.status == "paused"
    code, printed = scene.run("resume")
    assert (code, scene.count("mail"), scene.count("log")) == (0, 1, 1), printed
    assert scene.ends() == [("done", "")]


@pytest.mark.parametrize("by", SIGNALS)
def test_f36_a_report_that_comes_while_its_run_is_stopped_is_kept(
    tmp_path: Path, by: signal.Signals
) -> None:
    scene = claude_scene(tmp_path, 0.6)
    code, printed = scene.stop(*RUN, "claude-code", by=by)
    assert (code, scene.count("mail")) == (130, 1), printed
    code, printed = scene.run("resume")
    assert (code, scene.count("mail"), scene.count("log")) == (0, 1, 1), printed
    assert scene.count("asked") == 0, "nobody has to be asked for what is known"
    assert scene.ends() == [("done", "")]


def test_f36_an_agent_that_is_stopped_is_asked_by_its_session_and_has_not_failed(
    tmp_path: Path,
) -> None:
    """More interruptions than the three tries, and no question."""
    scene = claude_scene(tmp_path, 60)
    first = ("run", "plan.md", "--yes", "--agent", "claude-code")
    for number in range(4):
        began = number + 1
        words = first if not number else ("resume",)
        scene.stop(*words, by=SIGNALS[number % 3], when=lambda: scene.count("log") >= began)  # noqa: B023
        with scene.plan() as plan:
            assert (plan.task(1).retry_count, plan.questions.open()) == (0, ())
    (scene.here / "naptime").write_text("0")
    code, printed = scene.run("resume")
    assert (code, scene.count("mail"), scene.count("asked")) == (0, 1, 4), printed
    assert scene.ends() == [*[("lost", "session")] * 4, ("done", "")]


def test_f36_a_command_that_is_cut_off_is_settled_by_its_checks(tmp_path: Path) -> None:
    scene = shell_scene(
        tmp_path, "echo sent >>mail; echo begin >>log; sleep 60", "  - check: test -e mail"
    )
    scene.stop(*RUN, "shell", by=signal.SIGTERM)
    code, printed = scene.run("resume")
    assert (code, scene.count("mail")) == (0, 1), printed
    assert scene.ends() == [("done", "check")]


def test_f36_a_command_that_is_cut_off_and_has_no_check_waits_for_a_person(tmp_path: Path) -> None:
    scene = shell_scene(tmp_path, HANGS)
    scene.stop(*RUN, "shell", by=signal.SIGINT)
    code, printed = scene.run("resume")
    assert (code, scene.count("log")) == (1, 1), printed
    with scene.plan() as plan:
        (question,) = plan.questions.open()
    assert (question.kind, question.task) == ("settle", 1)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_f36_a_second_signal_ends_a_run_at_once(tmp_path: Path, by: signal.Signals) -> None:
    scene = shell_scene(tmp_path, 'trap "" TERM; echo begin >>log; sleep 60')
    with scene.start(*RUN, "shell") as process:
        assert wait_for(lambda: scene.count("log") > 0)
        process.send_signal(signal.SIGTERM)
        assert process.stdout
        while "again to end at once" not in (line := process.stdout.readline()):
            assert line
        process.send_signal(by)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + by
    assert scene.ends() == [], "as after a crash"


def test_f36_a_run_whose_terminal_is_closed_pauses(tmp_path: Path) -> None:
    scene = shell_scene(tmp_path, LATE)
    terminal = Terminal(scene.here, *RUN, "shell")
    assert wait_for(lambda: scene.count("log") > 0)
    terminal.close()
    assert terminal.process.wait(PATIENCE) > 0, "no signal has killed it"
    with scene.plan() as plan:
        assert plan.status == "paused"
    code, printed = scene.run("resume")
    assert (code, scene.count("mail"), scene.count("log")) == (0, 1, 1), printed


def test_f36_a_run_under_nohup_outlives_its_terminal(tmp_path: Path) -> None:
    scene = shell_scene(tmp_path, "echo begin >>log; sleep 1; echo sent >>mail")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = scene.start(*RUN, "shell")
    finally:
        signal.signal(signal.SIGHUP, before)
    with process:
        assert wait_for(lambda: scene.count("log") > 0)
        process.send_signal(signal.SIGHUP)
        printed, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, scene.count("mail")) == (0, 1), printed


def test_f36_a_signal_to_all_processes_of_a_service_is_no_failed_attempt(tmp_path: Path) -> None:
    """A service manager ends the command and its run at the same moment."""
    scene = shell_scene(tmp_path, "echo $$ >>log; sleep 60", "  - check: test -e mail")
    with scene.start(*RUN, "shell") as process:
        assert wait_for(lambda: scene.count("log") > 0)
        os.kill(int((scene.here / "log").read_text()), signal.SIGTERM)
        time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
    assert scene.ends() == []
    with scene.plan() as plan:
        assert (plan.status, plan.task(1).retry_count) == ("paused", 0)
