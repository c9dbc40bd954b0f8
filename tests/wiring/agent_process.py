"""An agent in a process of its own: it completes its share of the tasks, and tells which."""

import sys
import time
from pathlib import Path

from outlast import open_plan
from outlast.errors import Refused

EDITS = "edits"  # a file in the workspace that grows by a byte with each edit of the person
PAUSE = 10


def main(workspace: str, name: str, share: int) -> None:
    """Complete the odd or the even tasks of twenty, and add a task for each."""
    with open_plan(workspace, "x", actor=name) as plan:
        for task in range(1, 21):
            if task % 2 == share:
                try:
                    plan.complete(task, f"by {name}")
                except Refused:
                    continue  # the person has ticked it, or taken it out
                tell("done", task)
                tell("added", plan.add(f"after {task}").id)
                let_edit(Path(workspace, EDITS))


def let_edit(edits: Path) -> None:
    """Work until the person has edited the plan a few times."""
    enough = edits.stat().st_size + PAUSE
    while edits.stat().st_size < enough:
        time.sleep(0.01)


def tell(what: str, task: int) -> None:
    """Say what is done before anything else happens."""
    sys.stdout.write(f"{what} {task}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
