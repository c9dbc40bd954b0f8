"""What another process does to a plan: `python -m tests.plan.other_process WORKSPACE KEY N`."""

import sys

from outlast import PlanManager, open_plan


def main() -> None:
    """Add so many tasks, one commit each, as a model would."""
    workspace, key, count = sys.argv[1:]
    with open_plan(workspace, key) as plan:
        manager = PlanManager(plan, actor="other")
        for number in range(int(count)):
            assert manager.addTask(f"other {number}")["success"]


if __name__ == "__main__":
    main()
