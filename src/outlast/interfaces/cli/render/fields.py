"""What the fields of a plan, a phase and a task are called: keys of texts."""

from __future__ import annotations

from typing import Final

FIELDS: Final = {
    "goal": "field_goal",
    "title": "field_title",
    "order": "field_order",
    "hold": "field_hold",
    "notes": "field_notes",
    "marked": "field_marked",
    "name": "field_name",
    "needs": "field_dependencies",
    "reasoning": "field_reasoning",
    "status": "field_status",
    "result": "field_result",
    "error": "field_error",
    "retry_count": "field_retry_count",
    "progress": "field_progress",
    "active_form": "field_active_form",
    "kind": "field_kind",
    "checks": "field_checks",
    "run": "field_run",
    "files": "field_files",
    "protect": "field_protect",
    "how": "field_how",
    "actor": "field_actor",
    "findings": "field_findings",
    "errors": "field_errors",
    "deliverable": "field_deliverable",
    "prose": "field_prose",
}
