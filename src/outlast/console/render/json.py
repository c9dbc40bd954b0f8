"""The parts of `--json` answers. Every key is always present."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from outlast.model.model import RESULT_WORDS
from outlast.plan.core import holder_state

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from outlast.console.call import Json
    from outlast.model.changes import Commit
    from outlast.model.history.work_record import AttemptRecord, CheckRecord, TaskRecord, WorkRecord
    from outlast.model.model import Evidence, Footprint, Task
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
        "condition": state.condition(moment, holder_state),
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


def work_json(record: WorkRecord) -> Json:
    """Return the work on a plan."""
    return {
        "condition": record.condition,
        "revision": record.revision,
        "at": record.at,
        "counts": record.counts,
        "tasks": [_task_json(task) for task in record.tasks],
        "other_attempts": [_attempt_json(attempt) for attempt in record.other_attempts],
        "questions": [asdict(question) for question in record.questions],
        "spent": asdict(record.spent),
        "planning": asdict(record.planning),
        "summary": record.summary,
    }


def _task_json(record: TaskRecord) -> Json:
    return {
        **task_json(record.task),
        "proof": record.label,
        "worth": record.worth,
        "agents": record.agents,
        "attempts": [_attempt_json(attempt) for attempt in record.attempts],
        "check_runs": [asdict(run) for run in record.check_runs],
        "check_results": [_check_json(check) for check in record.checks],
        "seconds": record.seconds,
        "spent": asdict(record.spent),
        "revision": record.revision,
        "footprint": _footprint_json(record.footprint),
    }


def _attempt_json(attempt: AttemptRecord) -> Json:
    report = attempt.report
    return {
        **asdict(attempt),
        "agent": attempt.agent,
        "seconds": attempt.seconds,
        "spent": asdict(attempt.spent),
        "report": None if report is None else asdict(report),
        "decisions": [asdict(decision) for decision in attempt.decisions],
        "footprint": _footprint_json(attempt.footprint),
    }


def _footprint_json(footprint: Footprint | None) -> Json | None:
    return None if footprint is None else asdict(footprint)


def _check_json(record: CheckRecord) -> Json:
    results = [RESULT_WORDS[ok] for ok in record.results]
    last = None if record.last is None else evidence_json(record.last)
    return {"check": record.check, "results": results, "last": last, "at": record.at}
