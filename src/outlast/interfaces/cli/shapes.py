"""What programs are shown with `--json`: every key is always there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.domain.changes import Commit
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.output import Json


def task_shape(task: Task, blocked_by: Sequence[int] = ()) -> Json:
    """Return a task."""
    progress = task.progress
    return {
        "id": task.id,
        "name": task.name,
        "phase": task.phase,
        "status": task.status,
        "dependencies": task.dependencies,
        "blocked_by": blocked_by,
        "reasoning": task.reasoning,
        "result": task.result,
        "error": task.error,
        "retry_count": task.retry_count,
        "progress": {"current": progress.current, "total": progress.total} if progress else None,
        "actor": task.actor,
        "started_at": task.started_at,
        "ended_at": task.ended_at,
    }


def plan_shape(state: PlanState) -> Json:
    """Return a plan without its tasks."""
    return {
        "key": state.key,
        "title": state.title,
        "status": state.status,
        "done": state.finished,
        "total": len(state.tasks),
        "goal": state.goal,
        "order": state.order,
        "revision": state.revision,
        "created_at": state.created_at,
        "updated_at": state.updated_at,
    }


def commit_shape(commit: Commit) -> Json:
    """Return a commit; its changes have the form that they have in the journal."""
    return {
        "revision": commit.revision,
        "at": commit.at,
        "author": commit.author,
        "reason": commit.reason,
        "changes": commit.changes,
    }
