"""A plan of 20 tasks, carried out by `outlast run` in a process that is killed again and again.

Each agent leaves a line in `sent/N` when it is told to do task N, and makes the directory `done/N`
when it has done it, which can be done only once: a second time leaves a line in `doubled`.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any, Literal

from outlast import open_plan
from outlast.model.changes import AttemptBegan, AttemptEnded
from tests.cli.agent_scripts import isolated_environment, isolated_home
from tests.faults.orchestrated import check_attempts

Kind = Literal["shell", "mailbox", "claude-code"]
KINDS: tuple[Kind, ...] = ("shell", "mailbox", "claude-code")
TASKS = 20
KEY = "twenty-tasks"
INTERRUPTED = 128 + signal.SIGINT
OUTLAST = ("-m", "outlast")
FINISHED = f"{TASKS}/{TASKS} completed"  # what a run prints as it ends; once more is a new plan
PATIENCE = 120.0  # seconds: a guard against hanging, not a promise
_DEED = "echo $$ >>sent/{n}; sleep 0.03; mkdir done/{n} || echo {n} >>doubled; sleep 0.02"
_TASK = re.compile(r"file: done/(\d+)")

# Stands for the real command: it works, and remembers by session which task it had.
_CLAUDE = rf"""#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    --session-id | --resume) session=$2 ;;
    --permission-mode) mode=$2 ;;
    esac
    shift
done
if [ "$mode" = plan ]; then
    [ -e "sessions/$session" ] || {{ echo "No conversation found"; exit 1; }}
    task=$(cat "sessions/$session")
    status=PARTIAL_SUCCESS
    [ -d "done/$task" ] && status=SUCCESS
else
    task=$(sed -n 's/.*file: done\/\([0-9]*\).*/\1/p' | head -n 1)
    echo "$task" >"sessions/$session.new" && mv "sessions/$session.new" "sessions/$session"
    {_DEED.replace("{n}", "$task")}
    status=SUCCESS
fi
printf '{{"type":"result","session_id":"%s","structured_output":' "$session"
printf '{{"status":"%s","results":"task %s","pitfalls":"","next_steps":""}}}}\n' "$status" "$task"
"""


def plan_text() -> str:
    lines = ["# Twenty tasks", ""]
    for n in range(1, TASKS + 1):
        lines.append(f"- [ ] Task {n}")
        if n > 4:
            lines.append(f"  - needs: {n - 4}" + (f", {n - 3}" if n % 3 else ""))
        lines += [f"  - run: {_DEED.format(n=n)}", f"  - check: file: done/{n}"]
        lines.append(f"  - files: done/{n}, sent/{n}, sessions")
    return "\n".join(lines)


class Arena:
    """A workspace with the plan, an agent of a kind, and the runs on it."""

    def __init__(self, here: Path, kind: Kind) -> None:
        self.here, self.kind = here, kind
        for name in ("", "sent", "done", "sessions", "bin"):
            (here / name).mkdir()
        (here / "plan.md").write_text(plan_text(), encoding="utf-8")
        program = here / "bin" / "claude"
        program.write_text(_CLAUDE, encoding="utf-8")
        program.chmod(0o755)
        settings = Path(isolated_home(here)["XDG_CONFIG_HOME"], "outlast")
        settings.mkdir(parents=True)
        (settings / "config.toml").write_text("[orchestrator]\npreflight = false\n")

    def start(
        self, *words: str, output: int = subprocess.PIPE, program: tuple[str, ...] = OUTLAST
    ) -> subprocess.Popen[str]:
        """Start a run in a process of its own, with more options."""
        agent = ("--mailbox", "box") if self.kind == "mailbox" else ("--agent", self.kind)
        words = ("run", "plan.md", *agent, "--parallel", "4", "--yes", *words)
        path = f"{self.here / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, *program, *words],
            cwd=self.here,
            encoding="utf-8",
            env={**isolated_environment(self.here), "PATH": path},
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            stdout=output,
        )

    def run(self) -> str:
        """Let a run come to its end; return what it printed."""
        with self.start() as process:
            try:
                printed, _ = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        assert process.returncode == 0, printed
        return printed

    def kill_within(self, seconds: float, how: signal.Signals = signal.SIGKILL) -> bool:
        """Start a run and end it some time after it has begun; return whether that cut it off.

        A run that has printed that the plan is finished has come to its end.
        """
        with self.start() as process:
            assert process.stdout
            printed = process.stdout.readline()  # it is at work
            time.sleep(seconds)
            process.send_signal(how)
            printed += process.stdout.read()
        assert process.returncode in (0, -signal.SIGKILL, INTERRUPTED), printed
        assert process.returncode or FINISHED in printed, printed
        return FINISHED not in printed

    def outcome(self) -> dict[str, Any]:
        """Return what was reached: all but times, revisions and attempts."""
        with open_plan(self.here, KEY) as plan:
            settled = {
                change.id.partition("#")[0]
                for commit in plan.core.store.commits_since(0)
                for change in commit.changes
                if isinstance(change, AttemptEnded) and change.settled_by
            }
            return {
                "status": plan.status,
                "tasks": [(task.name, task.status, task.how) for task in plan.tasks()],
                "results": {
                    task.id: task.result for task in plan.tasks() if str(task.id) not in settled
                },
                "questions": [question.text for question in plan.questions.open()],
                "sessions": plan.core.read(lambda state: dict(state.ledger.sessions)),
            }

    def check(self) -> None:
        """Check that each task was done once, and that nobody was sent what is not recorded."""
        done = sorted(int(path.name) for path in (self.here / "done").iterdir())
        assert done == list(range(1, TASKS + 1))
        assert not (self.here / "doubled").exists(), "something was done twice"
        begun = Counter[int]()
        with open_plan(self.here, KEY) as plan:
            commits = list(plan.core.store.commits_since(0))
        check_attempts(commits)
        for commit in commits:
            begun.update(c.task for c in commit.changes if isinstance(c, AttemptBegan))
        for n in range(1, TASKS + 1):
            sent = len((self.here / "sent" / str(n)).read_text().split())
            assert 1 <= sent <= begun[n], f"task {n}"
            if self.kind == "mailbox":
                assert sent == 1, f"task {n}"
        assert self.left_behind() == []

    def left_behind(self) -> list[str]:
        """Return the processes that still work here."""
        found = []
        for process in Path("/proc").iterdir():
            try:
                where = str((process / "cwd").readlink()) if process.name.isdecimal() else ""
                if where.startswith(str(self.here)):
                    found.append((process / "cmdline").read_bytes().decode(errors="replace"))
            except OSError:  # it has ended
                continue
        return found


class ForeignWorkers:
    """Agents of somebody else behind the mailbox: they know nothing but its files (R1.02, R1.03).

    They outlive every orchestrator.
    """

    def __init__(self, here: Path, count: int = 4) -> None:
        self._here, self._box, self._ended = here, here / "box", Event()
        self._threads = [Thread(target=self._serve, args=(Random(n),)) for n in range(count)]  # noqa: S311

    def __enter__(self) -> None:
        for thread in self._threads:
            thread.start()

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _serve(self, dice: Random) -> None:
        while not self._ended.wait(0.01):
            pending = [*self._box.glob("commands/pending/task-*.md")]
            dice.shuffle(pending)
            for path in pending:
                taken = self._box / "commands" / "processed" / path.name
                try:
                    path.rename(taken)
                except FileNotFoundError:
                    continue  # another one was quicker
                self._work(path.stem, taken.read_text(encoding="utf-8"), dice)

    def _work(self, command: str, text: str, dice: Random) -> None:
        found = _TASK.search(text)
        if found is None:  # a session ends
            return
        with (self._here / "sent" / found[1]).open("a") as file:
            file.write(f"{command}\n")
        time.sleep(dice.uniform(0.0, 0.15))
        (self._here / "done" / found[1]).mkdir()
        lines = ("---", "status: SUCCESS", f"session_id: s-{found[1]}", "---", "## Core results")
        report = self._box / "reports" / "pending" / f"report-{command}.md"
        written = report.with_suffix(".tmp")
        written.write_text("\n".join((*lines, f"task {found[1]}", "")), encoding="utf-8")
        written.rename(report)
