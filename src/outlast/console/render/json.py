"""The parts of `--json` answers. Every key is always present."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.plan.core import has_ended

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from outlast.console.render.output import Json
    from outlast.model.changes import Commit
    from outlast.model.model import Evidence, Task
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan
    from outlast.proof.labels import ProofStatus


def task_json(task: Task, blocked_by: Sequence[int] = ()) -> Json:
    """Return a task."""
    progress = task.progress
    return {
        "id": task.id,
        "name": task.name,
        "phase": task.phase,
        "status": task.status,
        "needs": task.needs,
        "blocked_by": blocked_by,
        "reasoning": task.reasoning,
        "description": task.description,
        "constraints": task.constraints,
        "expected": task.expected,
        "result": task.result,
        "error": task.error,
        "retry_count": task.retry_count,
        "progress": {"current": progress.current, "total": progress.total} if progress else None,
        "checks": task.checks,
        "run": task.run,
        "files": task.files,
        "protect": task.protect,
        "how": task.how,
        "actor": task.actor,
        "started_at": task.started_at,
        "ended_at": task.ended_at,
    }


def plan_json(plan: Plan) -> Json:
    """Return a plan without its tasks."""
    moment = plan.core.now()
    return plan.core.read(lambda state: _plan_json(state, moment))


def _plan_json(state: PlanState, moment: datetime) -> Json:
    return {
        "key": state.key,
        "title": state.title,
        "status": state.status,
        "condition": state.condition(moment, has_ended),
        "is_aborted": state.hold == "aborted",
        "done": state.finished_count,
        "total": len(state.tasks),
        "goal": state.goal,
        "order": state.order,
        "needs_approval": state.needs_approval,
        "last_run": state.last_run,
        "revision": state.revision,
        "created_at": state.created_at,
        "updated_at": state.updated_at,
    }


def commit_json(commit: Commit) -> Json:
    """Return a commit; its changes have the form that they have in the journal."""
    return {
        "revision": commit.revision,
        "at": commit.at,
        "author": commit.author,
        "person": commit.person,
        "reason": commit.reason,
        "changes": commit.changes,
    }


def proof_json(status: ProofStatus) -> Json:
    """Return the label of a task and the latest evidence of its checks."""
    proof = status.proof
    return {
        "task": status.task,
        "proof": status.label,
        "at": proof.at if proof else None,
        "evidence": [evidence_json(evidence) for evidence in proof.evidence] if proof else [],
    }


def evidence_json(evidence: Evidence) -> Json:
    """Return what a check showed."""
    return {
        "kind": evidence.check.kind,
        "rule": evidence.check.rule,
        "ok": evidence.ok,
        "says": evidence.says,
        "tail": evidence.tail,
        "code": evidence.code,
        "before": evidence.baseline,
    }
