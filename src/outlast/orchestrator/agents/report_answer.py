"""A report as the JSON object with which agents end their work."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from outlast.agent.work import Report
from outlast.documents.contracts.contract import Parsed, fit_contract
from outlast.model.model import ReportStatus

REPORT_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["SUCCESS", "FAILED", "PARTIAL_SUCCESS"]},
        "results": {"type": "string", "description": "What was done, with the names of files."},
        "pitfalls": {"type": "string", "description": "What went wrong or was hard, or empty."},
        "next_steps": {"type": "string", "description": "What should follow, or empty."},
    },
    "required": ["status", "results", "pitfalls", "next_steps"],
    "additionalProperties": False,
}


class ReportAnswer(Struct, frozen=True):
    """What an agent answers about its work."""

    status: ReportStatus
    results: str
    pitfalls: str = ""
    next_steps: str = ""

    def report(self, session: str = "") -> Report:
        """Return the report of a session."""
        return Report(self.status, session, self.results, self.pitfalls, self.next_steps)


def read_answer(value: object) -> Parsed[ReportAnswer]:
    """Return the report in an answer, or every problem that it has."""
    return fit_contract(value, ReportAnswer)
