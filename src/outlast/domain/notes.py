"""Notes of a plan beside its tasks: findings, errors, the deliverable, prose."""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

from msgspec import Struct, field

from outlast.domain.model import ErrorRecord, Finding, Prose


class Notes(Struct, omit_defaults=True):
    """Findings by id and errors by strike key, in order of arrival, and their last ids."""

    findings: dict[int, Finding] = {}
    errors: dict[str, ErrorRecord] = {}
    last_finding: int = field(default=0, name="noted")
    last_error: int = field(default=0, name="logged")
    deliverable: str = ""
    prose: tuple[Prose, ...] = ()
