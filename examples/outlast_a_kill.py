"""A loop that is killed in the middle of its work, and a second one that goes on.

Run it with `./dev run`. The model is a script, so that no key is needed. All else is real: the plan
in files, the tools, the two processes, and the SIGKILL that the first of them dies of.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from outlast import create_plan, open_plan
from outlast.errors import TaskClaimed
from outlast.ports.effects import CallEnded, Event
from outlast.testing import Call, ScriptedModel, Turn
from outlast.wiring.running import file_tools, run_loop

GOAL = "Publish version 1.2"
CHANGES = "Plans are kept in files.\n"
UPDATE = "Run `pip install --upgrade outlast`.\n"
RELEASE = f"# Version 1.2\n\n{CHANGES}\n{UPDATE}"
TASKS = [
    {"name": "Write changes.md"},
    {"name": "Write update.md"},
    {"name": "Put both into release.md", "dependencies": [1, 2]},
]
KILLED_AFTER = "update.md"
LEASE_SECONDS = 2  # for so long a process that died still holds the plan
OUTLAST = str(Path(sys.executable).with_name("outlast"))


# The model: what it answers when it is shown a text, the first that fits


def write(path: str, content: str) -> Call:
    return Call("write_file", {"path": path, "content": content})


def done(task: int) -> Call:
    return Call("completeTask", {"task_id": task, "result": "written"})


PLAN = Call("initializePlan", {"goal": GOAL, "tasks": TASKS})
START = Call("startNextTask")
MODEL = ScriptedModel(
    (
        Turn("- Progress: 0/0", calls=(PLAN, START)),
        Turn("- Current step: 1.", calls=(write("changes.md", CHANGES), done(1), START)),
        Turn("- Current step: 3.", calls=(write("release.md", RELEASE), done(3))),
        Turn("Interrupted, and had been done: write_file", calls=(done(2), START)),
        Turn("- Current step: 2.", calls=(write("update.md", UPDATE), done(2), START)),
    )
)


# The process that works


def work(where: str, freeze_after: str = "") -> None:
    """Let the model work on the plan, as soon as nobody else holds it."""

    def tell(event: Event) -> None:
        if isinstance(event, CallEnded):
            path = event.call.params.get("path", "")
            print(f"  {event.call.name} {path}".rstrip(), flush=True)
            if path and path == freeze_after:
                signal.pause()  # the file is there, and the plan does not know it yet

    with open_plan(where) as plan:
        while True:
            loop = run_loop(
                GOAL, plan, MODEL, file_tools(where), on_event=tell, lease_seconds=LEASE_SECONDS
            )
            try:
                stopped = asyncio.run(loop)
                break
            except TaskClaimed as error:
                print(f"  {error}", flush=True)
                time.sleep(LEASE_SECONDS)
    print(f"  {stopped.why}: {stopped.text}")


# The process that watches, kills, and begins another one


def main() -> None:
    where = tempfile.mkdtemp(prefix="outlast-")
    create_plan(where, GOAL, "release").close()
    head(f"A loop works on a plan in {where}")
    with begin(where, KILLED_AFTER) as first:
        for line in first.stdout or ():
            print(line, end="")
            if KILLED_AFTER in line:
                first.kill()
    head(f"Killed by signal {-first.returncode}: {KILLED_AFTER} is written, and not noted")
    show(where)
    head("Another process goes on, from the plan alone")
    with begin(where) as second:
        for line in second.stdout or ():
            print(line, end="")
    head("The plan at the end")
    show(where)
    head("What its log says of task 2, the newest first")
    print(*(line for line in log(where) if " 2#" in line), sep="\n")
    head("release.md")
    print(Path(where, "release.md").read_text(encoding="utf-8"), end="")
    head("Try next")
    print(f"  cd {where}")
    for command in ("log --plan release -n 100", "undo --plan release", 'new "A goal of my own"'):
        print(f"  {OUTLAST} {command}")


def begin(where: str, *freeze_after: str) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "work", where, *freeze_after]
    return subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")  # noqa: S603 - this file


def show(where: str) -> None:
    subprocess.run([OUTLAST, "show", "--plan", "release"], cwd=where, check=True)  # noqa: S603 - our own


def log(where: str) -> list[str]:
    command = [OUTLAST, "log", "--plan", "release", "-n", "100"]
    return subprocess.check_output(command, cwd=where, encoding="utf-8").splitlines()  # noqa: S603 - our own


def head(line: str) -> None:
    print(f"\n{line}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(*sys.argv[2:])
    else:
        main()
