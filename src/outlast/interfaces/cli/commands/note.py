"""`note`: keeps what was learned and what went wrong, and shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.limits import default_title
from outlast.errors import WrongUsage
from outlast.interfaces.cli.render.json import error_shape, finding_shape
from outlast.interfaces.cli.render.output import Answer
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Category, ErrorRecord, Finding
    from outlast.interfaces.cli.call import Call

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
    """Keep a finding, or an error of a tool; without a text show both, or allow the tool again."""
    text = " ".join(words)
    if allow:
        if error is None or text.strip() or category or title or source:
            raise WrongUsage("options_apart", options=["--error TOOL --allow", "TEXT"])
        return _allowed(plan, call, error)
    if not text.strip():
        if title is not None or source:
            raise WrongUsage("argument_left_out", argument="TEXT", usage="outlast note TEXT")
        return _shown(plan, call, category, error)
    if error is not None:
        if category is not None or title is not None:
            raise WrongUsage("options_apart", options=["--error", "--category", "--title"])
        return _noted_error(plan, call, error, text)
    made = plan.note(category or "insight", title or default_title(text), text, source)
    said = {"id": made.id, "category": made.category, "title": visible(made.title)}
    return Answer(lambda: {"finding": finding_shape(made)}, lambda: call.say("say_noted", **said))


def _allowed(plan: Plan, call: Call, tool: str) -> Answer:
    count = plan.clear_errors(tool)
    said = {"tool": visible(tool), "count": count}
    return Answer(
        lambda: {"allowed": tool, "errors": count}, lambda: call.say("say_tool_allowed", **said)
    )


def _noted_error(plan: Plan, call: Call, tool: str, text: str) -> Answer:
    made = plan.log_error(tool, text)
    said = {"tool": visible(made.tool), "count": made.count}
    return Answer(
        lambda: {"logged": error_shape(made)}, lambda: call.say("say_noted_error", **said)
    )


def _shown(plan: Plan, call: Call, category: Category | None, tool: str | None) -> Answer:
    findings = () if tool is not None else plan.findings(category)
    errors = () if category is not None else plan.errors(tool, _SHOWN)

    def words() -> str:
        lines = [*_findings(call, findings), *_errors(call, errors)]
        return "\n".join(lines) or call.say("say_no_notes")

    return Answer(
        lambda: {
            "findings": [finding_shape(one) for one in findings],
            "errors": [error_shape(one) for one in errors],
        },
        words,
    )


def _findings(call: Call, findings: tuple[Finding, ...]) -> Iterator[str]:
    if findings:
        yield call.say("say_findings")
    for one in findings:
        yield f"  {one.id} [{one.category}] {visible(one.title)}"
        if one.content.strip() != one.title:
            yield from (f"      {visible(line)}" for line in one.content.splitlines())
        if one.source:
            yield "      " + call.say("say_source", source=visible(one.source))


def _errors(call: Call, errors: tuple[ErrorRecord, ...]) -> Iterator[str]:
    if errors:
        yield call.say("say_errors")
    for one in errors:
        first, *more = one.message.splitlines() or [""]
        times = f" ({call.say('say_times', count=one.count)})" if one.count > 1 else ""
        yield f"  {visible(one.tool)}{times}: {visible(first)}"
        yield from (f"      {visible(line)}" for line in more)
