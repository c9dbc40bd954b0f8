"""The report of `report --json`. Every key is always present."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from outlast.console.render.json import evidence_json, task_json

if TYPE_CHECKING:
    from outlast.console.render.output import Json
    from outlast.model.budget import Spend
    from outlast.model.history.work_record import AttemptRecord, CheckRecord, TaskRecord, WorkRecord
    from outlast.model.model import Footprint


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
        "spent": _spend_json(record.spent),
        "planning": _spend_json(record.planning),
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
        "spent": _spend_json(record.spent),
        "revision": record.revision,
        "footprint": _footprint_json(record.footprint),
    }


def _attempt_json(attempt: AttemptRecord) -> Json:
    report = attempt.report
    return {
        **asdict(attempt),
        "agent": attempt.agent,
        "seconds": attempt.seconds,
        "spent": _spend_json(attempt.spent),
        "report": None if report is None else asdict(report),
        "decisions": [asdict(decision) for decision in attempt.decisions],
        "footprint": _footprint_json(attempt.footprint),
    }


def _footprint_json(footprint: Footprint | None) -> Json | None:
    return None if footprint is None else asdict(footprint)


def _check_json(record: CheckRecord) -> Json:
    results = ["green" if ok else "red" for ok in record.results]
    last = None if record.last is None else evidence_json(record.last)
    return {"check": record.check, "results": results, "last": last, "at": record.at}


def _spend_json(spend: Spend) -> Json:
    return asdict(spend)
