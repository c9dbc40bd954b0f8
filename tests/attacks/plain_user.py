"""An agent's commands go for the keys of the process that runs them; run as a plain user.

Usage: `plain_user.py WORKSPACE STATE`. Each way writes what it saw into a file of its own name, so
that no redaction stands between. Our environment has the keys.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from outlast.agent.tools.choice import built_in_tools
from outlast.model.model import Check, Task
from outlast.proof.checks.checker import Checker
from outlast.system.state_home import StateHome

READ = "import sys; print(open(f'/proc/{sys.argv[1]}/environ').read())"
WAYS = {
    "own": "env",
    "ps": "ps eww -p $PPID",
    "ps-all": "ps axeww",
    "environ": "cat /proc/$PPID/environ",
    "indirect": "P=/proc/$PPID; cat ${P:-x}/environ",
    "tasks": "cat /proc/$PPID/task/*/environ",
    "all": "cat /proc/[0-9]*/environ",
    "python": f'{sys.executable} -c "{READ}" $PPID',
    "memory": "grep -a canary /proc/$PPID/mem",
}
PERSON = "human"


def into(folder: str, way: str) -> str:
    return f"{{ {WAYS[way]}; }} >{folder}/{way} 2>&1; true"


def main(workspace: Path, state: Path) -> None:
    for folder in ("before", "bash", "check"):
        (workspace / folder).mkdir()
    for way in WAYS:  # shows that a way works as long as nothing is done against it
        subprocess.run(  # noqa: S603 - the attack
            ("/bin/sh", "-c", into("before", way)), cwd=workspace, check=True, timeout=100
        )
    tools = {tool.name: tool for tool in built_in_tools(str(workspace))}
    for way in WAYS:
        asyncio.run(tools["bash"].run({"command": into("bash", way)}))
    checks = tuple(Check("command", into("check", way)) for way in WAYS)
    checker = Checker(str(workspace), StateHome(str(state)), 100)
    checker.trust.approve("plan", checks)
    now = datetime.now(UTC)
    task = Task(1, "one", checks=checks)
    checker.run("plan", task, "later", actor=PERSON, confirmed=(), baseline=None, now=now)
    asyncio.run(tools["write_file"].run({"path": "new/file.txt", "content": "still works\n"}))
    sys.stdout.write(asyncio.run(tools["grep"].run({"pattern": "still w.rks", "path": "new"})))
    sys.stdout.write(asyncio.run(tools["read_file"].run({"path": "new/file.txt"})))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
