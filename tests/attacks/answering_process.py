"""A process that a tool leaves behind: it drops its mark and answers questions for the person.

Usage: `answering_process.py OUTCOMES`. It appends how each `outlast answer yes` ended, and ends
itself when the file `stop` is there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 100.0


def leave() -> None:
    """Leave the group of the tool: fork, new session, fork, no output that somebody waits for."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)  # until it has left: then the group is killed
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)


def main(outcomes: Path) -> None:
    unmarked = {name: value for name, value in os.environ.items() if "OUTLAST_MARK_" not in name}
    if len(unmarked) < len(os.environ):
        os.execve(sys.executable, (sys.executable, __file__, str(outcomes)), unmarked)  # noqa: S606
    leave()
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not Path("stop").exists():
        ended = subprocess.run(
            (sys.executable, "-m", "outlast", "answer", "yes"),
            capture_output=True,
            check=False,
            text=True,
        )
        with outcomes.open("a") as file:
            file.write(f"{ended.returncode} {ended.stdout} {ended.stderr}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
