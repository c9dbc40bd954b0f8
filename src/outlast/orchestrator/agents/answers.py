"""What the programs of agents print: values that should be of a kind, and may be of any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.orchestrator.agents.mailbox.report_answer import read_answer

if TYPE_CHECKING:
    from outlast.agent.work import Report


def read_report(value: object, session: str) -> Report | None:
    """Return the report in an answer that follows `REPORT_SCHEMA`; None if it does not."""
    answer = read_answer(value).value
    return None if answer is None else answer.report(session)


def text_of(value: object) -> str:
    """Return a value that should be a text; anything else is an empty one."""
    return value if isinstance(value, str) else ""


def sum_counts(usage: object, names: tuple[str, ...]) -> int:
    """Return the sum of some numbers of tokens; what is no such number does not count."""
    if not isinstance(usage, dict):
        return 0
    return sum(value for name in names if type(value := usage.get(name)) is int and value > 0)
