"""`note`: record findings and errors, and show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from outlast.console.call import Answer, Call
from outlast.errors import WrongUsage
from outlast.language import visible, with_colon, with_details
from outlast.model.limits import default_title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.model import Category, ErrorRecord, Finding
    from outlast.plan.plan import Plan

_SHOWN: Final = 20


def note(  # noqa: PLR0913 - one keyword for each thing the command takes
    plan: Plan,
    call: Call,
    *,
    words: tuple[str, ...] = (),
    category: Category | None = None,
    title: str | None = None,
    source: str = "",
    error: str | None = None,
    allow: bool = False,
) -> Answer:
    """Record a finding or a tool's error; without a text, show both or allow the tool again."""
    text = " ".join(words)
    if allow:
        if error is None or text.strip() or category or title or source:
            raise WrongUsage("options_apart", options=["--error TOOL --allow", "TEXT"])
        return _allow_tool(plan, call, error)
    if not text.strip():
        if title is not None or source:
            raise WrongUsage("argument_required", argument="TEXT", usage="outlast note TEXT")
        return _show_notes(plan, call, category, error)
    if error is not None:
        if category is not None or title is not None:
            raise WrongUsage("options_apart", options=["--error", "--category", "--title"])
        return _log_error(plan, call, error, text)
    finding = plan.notes.add_finding(
        category or "insight", title or default_title(text), text, source
    )
    facts = {"id": finding.id, "category": finding.category, "title": visible(finding.title)}
    return Answer(lambda: {"finding": asdict(finding)}, lambda: call.text("say_noted", **facts))


def _allow_tool(plan: Plan, call: Call, tool: str) -> Answer:
    count = plan.notes.clear_errors(tool)
    facts = {"tool": visible(tool), "count": count}
    return Answer(
        lambda: {"allowed": tool, "errors": count}, lambda: call.text("say_tool_allowed", **facts)
    )


def _log_error(plan: Plan, call: Call, tool: str, text: str) -> Answer:
    record = plan.notes.add_error(tool, text)
    facts = {"tool": visible(record.tool), "count": record.count}
    return Answer(lambda: {"logged": asdict(record)}, lambda: call.text("say_noted_error", **facts))


def _show_notes(plan: Plan, call: Call, category: Category | None, tool: str | None) -> Answer:
    findings = () if tool is not None else plan.notes.findings(category)
    errors = () if category is not None else plan.notes.errors(tool, _SHOWN)

    def as_text() -> str:
        lines = [*_finding_lines(call, findings), *_error_lines(call, errors)]
        return "\n".join(lines) or call.text("say_no_notes")

    return Answer(
        lambda: {"findings": list(map(asdict, findings)), "errors": list(map(asdict, errors))},
        as_text,
    )


def _finding_lines(call: Call, findings: tuple[Finding, ...]) -> Iterator[str]:
    if findings:
        yield call.text("say_findings")
    for finding in findings:
        title = _with_count(call, visible(finding.title), finding.count)
        yield f"  {finding.id} [{finding.category}] {title}"
        if finding.content.strip() != finding.title:
            yield from (f"      {visible(line)}" for line in finding.content.splitlines())
        if finding.source:
            yield "      " + call.text("say_source", source=visible(finding.source))


def _error_lines(call: Call, errors: tuple[ErrorRecord, ...]) -> Iterator[str]:
    if errors:
        yield call.text("say_errors")
    for error in errors:
        first, *more = error.message.splitlines() or [""]
        tool = _with_count(call, visible(error.tool), error.count)
        yield "  " + with_colon(tool, visible(first), call.language)
        yield from (f"      {visible(line)}" for line in more)


def _with_count(call: Call, what: str, count: int) -> str:
    times = call.text("say_times", count=count) if count > 1 else ""
    return with_details(what, times, call.language)
