"""F36: runs ended by TERM, INT, HUP and KILL at random moments, and resumed: no task twice.

The deed of a task cannot be done twice unnoticed, and leaves its mark in one step. A check tells
about a part of the tasks only; about the others a person answers by what they see.
"""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Literal

import pytest

from outlast.errors import PlanNotFound
from tests.faults.orchestrated import check_attempts
from tests.faults.test_stopped_runs import PATIENCE, Scene

pytestmark = [pytest.mark.soak, pytest.mark.slow]
STOPS = int(os.environ.get("OUTLAST_STOPS", "100"))
HOW = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)
Kind = Literal["shell", "claude-code"]
TASKS, SIDE_BY_SIDE, LIFE = 8, 4, 1.2
DEED = "sleep 0.15; mkdir done/{n} || echo {n} >>doubled; sleep {after}"
# Every second command is deaf to the signal, so that it comes to its end while it is stopped.
DEAF = 'trap "" TERM; '

CLAUDE = """#!/bin/sh
trap "" TERM
while [ $# -gt 0 ]; do
    case $1 in
    --session-id | --resume) session=$2 ;;
    --permission-mode) mode=$2 ;;
    esac
    shift
done
if [ "$mode" = plan ]; then
    [ -e "sessions/$session" ] || exit 1
    task=$(cat "sessions/$session")
    status=PARTIAL_SUCCESS
    [ -d "done/$task" ] && status=SUCCESS
else
    task=$(sed -n 's/.*Deed \\([0-9]*\\).*/\\1/p' | head -n 1)
    echo "$task" >"sessions/$session.new" && mv "sessions/$session.new" "sessions/$session"
    printf '{"type":"system","session_id":"%s"}\\n' "$session"
    sleep 0.15; mkdir "done/$task" || echo "$task" >>doubled; sleep 0.2
    status=SUCCESS
fi
printf '{"type":"result","session_id":"%s","structured_output":' "$session"
printf '{"status":"%s","results":"told","pitfalls":"","next_steps":""}}\\n' "$status"
"""


def plan_text(kind: Kind) -> str:
    lines = list[str]()
    for n in range(1, TASKS + 1):
        lines.append(f"- [ ] Deed {n}")
        if kind == "shell":
            deed = DEED.format(n=n, after=0.2 if n % 2 else 0.05)
            lines.append(f"  - run: {DEAF if n % 2 else ''}{deed}")
        if n % 3:
            lines.append(f"  - check: file: done/{n}")
        lines.append(f"  - files: done/{n}")
    return "\n".join(lines)


def play(here: Path, kind: Kind, dice: Random, stops: int) -> int:
    """Stop and resume a run until it is done; return how often it was stopped."""
    scene, stopped = Scene(here, plan_text(kind)), 0
    (scene.here / "bin" / "claude").write_text(CLAUDE)
    for name in ("done", "sessions"):
        (here / name).mkdir()
    run = ("run", "plan.md", "--agent", kind, "--yes", "--parallel", "2")
    has_begun = False
    while True:
        resumes = has_begun and dice.random() < 0.5  # the other way is the same command again
        with scene.start(*(("resume",) if resumes else run)) as process:
            assert process.stdout
            first = process.stdout.readline()
            if stopped < stops:
                time.sleep(dice.uniform(0.0, LIFE))
                process.send_signal(dice.choice(HOW))
                stopped += 1
            rest, _ = process.communicate(timeout=PATIENCE)
        printed = first + rest
        # An interrupt before the event loop runs may end up in a callback of the interpreter.
        assert "Traceback" not in printed or "Exception ignored in" in printed, printed
        assert process.returncode in (0, 1, 130, -9, -15, -2, -1), printed
        if f"{TASKS}/{TASKS} completed" in printed:
            break
        has_begun = answer_by_what_is_there(scene)
    assert sorted(int(path.name) for path in (here / "done").iterdir()) == [*range(1, TASKS + 1)]
    assert scene.count("doubled") == 0, "something was done twice"
    with scene.plan() as plan:
        check_attempts(list(plan.core.store.commits_since(0)))
        assert {task.status for task in plan.tasks()} == {"completed"}
        assert {task.retry_count for task in plan.tasks()} == {0}, "no interruption is a failure"
    assert left_behind(here) == []
    return stopped


def answer_by_what_is_there(scene: Scene) -> bool:
    """Answer as a person who looks whether a task is done; only what no check can tell is asked.

    Return whether the plan remembers a run.
    """
    try:
        plan = scene.plan()
    except PlanNotFound:  # the run was killed before it had one
        return False
    with plan:
        asked, has_begun = plan.questions.open(), plan.last_run is not None
    for question in asked:
        assert question.kind == "settle", question.text
        assert question.task is not None
        assert question.task % 3 == 0, "its check tells"
        is_done = (scene.here / "done" / str(question.task)).is_dir()
        words = ("done",) if is_done else ("not", "done")
        code, printed = scene.run("answer", str(question.id), *words)
        assert code == 0, printed
    return has_begun


def left_behind(here: Path) -> list[str]:
    """Return the processes that still work here."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            where = str((process / "cwd").readlink()) if process.name.isdecimal() else ""
            if where.startswith(str(here)):
                found.append((process / "cmdline").read_bytes().decode(errors="replace"))
        except OSError:  # it has ended
            continue
    return found


@pytest.mark.parametrize("kind", ["shell", "claude-code"])
def test_f36_runs_ended_by_any_signal_and_resumed_do_no_task_twice(
    tmp_path: Path, kind: Kind
) -> None:
    wanted, most, stopped, numbers = STOPS // 2, 5, 0, count()

    def play_one(number: int) -> int:
        return play(tmp_path / str(number), kind, Random(f"{kind} {STOPS} {number}"), most)  # noqa: S311

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        while stopped < wanted:  # a plan may be done before it was stopped so often
            side_by_side = min(SIDE_BY_SIDE, -(-(wanted - stopped) // most))
            stopped += sum(pool.map(play_one, islice(numbers, side_by_side)))
