"""An agent in a process of its own: it completes its share of the tasks, and tells which."""

import sys
import time

from outlast import open_plan
from outlast.errors import Refused


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
                time.sleep(0.1)  # it works


def tell(what: str, task: int) -> None:
    """Say what is done before anything else happens."""
    sys.stdout.write(f"{what} {task}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
