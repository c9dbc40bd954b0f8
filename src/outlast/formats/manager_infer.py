"""What R2's form leaves unsaid and its reader infers, so that its writer need not say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from outlast.domain.model import Hold, How, Task


def infer_stand(status: str, tasks: Collection[Task]) -> tuple[bool, Hold]:
    """Return whether work has begun and what holds the plan, as far as the status tells."""
    if status == "paused":
        return any(task.status != "pending" for task in tasks), "paused"
    if status == "failed":
        failed = any(task.status == "failed" for task in tasks)
        return True, "" if failed else "aborted"
    return status != "idle", ""


def infer_work(status: str) -> tuple[How, str]:
    """Return how a task was found done and who works on it, as far as its status tells."""
    return "reported" if status == "completed" else "", "agent" if status == "in_progress" else ""
