"""Report checks: a field of an agent's report says something, or matches a pattern."""

from __future__ import annotations

from hashlib import sha256
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from outlast.model.model import Evidence
from outlast.proof.checks import files

if TYPE_CHECKING:
    from outlast.model.model import Check, TaskReport
    from outlast.proof.checks.runner import CheckRunner


def run(check: Check, report: TaskReport | None, runner: CheckRunner) -> Evidence:
    """Look at a report; what it says is not proved by that."""
    if report is None:
        return Evidence(check, ok=False, says="no_report")
    data = str(getattr(report, check.subject, "")).strip().encode()
    if not data:
        return Evidence(check, ok=False, says="empty")
    says = _search(check.pattern, data, runner) if check.pattern else "passed"
    digest = f"sha256:{sha256(data).hexdigest()}"
    return Evidence(check, ok=says == "passed", says=says, digest=digest)


def _search(pattern: str, data: bytes, runner: CheckRunner) -> str:
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        says = files.search(pattern, data, file.fileno(), runner)
    return "no_text" if says == "no_match" else says
