"""Tagged blocks that hooks and loops put into a conversation, in the words of their document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.context.escape import escape
from outlast.context.summary import GOAL, NAME
from outlast.language import Language, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outlast.model.model import ErrorRecord, Finding, Task

ToolNames = dict[str, str]
# The full set has no tool that saves a finding.
TOOL_NAMES: Final[dict[str, ToolNames]] = {
    "default": {
        "add": "add_tasks",
        "complete": "complete_task",
        "fail": "fail_task",
        "skip": "skip_task",
        "read": "plan_read",
        "details": "plan_details",
        "note": "findings_write",
    },
    "full": {
        "add": "addTask",
        "complete": "completeTask",
        "fail": "failTask",
        "skip": "skipTask",
        "read": "getTaskList",
        "details": "plan_details",
        "note": "",
    },
}
_TITLE: Final = 200
_MESSAGE: Final = 200
_STEP: Final = 200
_NAME: Final = 60
_PROBLEM: Final = 2_000
_NOTE_LINES: Final = 40  # of a user's hook
_NOTE_LINE: Final = 400
_TITLES: Final = 3  # findings of each category


class PlanOutline(Struct, frozen=True):
    """The few facts about a plan that a new session is shown."""

    title: str
    objective: str
    done: int
    total: int
    paused: bool = False


def existing_plan(
    plan: PlanOutline, current: tuple[str, str] | None, language: Language = "en"
) -> str:
    """Describe an existing plan; `current` is a phase and its step in progress."""
    lines = [
        text("hook_plan", language, title=escape(plan.title, _TITLE)),
        text("hook_objective", language, objective=escape(plan.objective, _TITLE)),
        text("hook_progress", language, done=plan.done, total=plan.total),
        "",
    ]
    if current is not None:
        lines.append(text("hook_current", language))
        lines += (f"- {line}" for line in _step_lines(*current, language))
    lines += ("", text("hook_paused" if plan.paused else "hook_continue", language))
    return _block("existing-plan", lines)


def current_task(phase: str, step: str, language: Language = "en") -> str:
    """Name the phase and the step in progress."""
    return _block("current-task", _step_lines(phase, step, language))


def error_history(tool: str, errors: Iterable[ErrorRecord], language: Language = "en") -> str:
    """List the recent errors of a tool, each with its own lines."""
    failures = (
        text("hook_failure", language, message=_lines(error.message), count=error.count)
        for error in errors
    )
    head = text("hook_failures", language, tool=escape(tool, _NAME))
    return _block("error-history", (head, *failures, text("hook_avoid", language)))


def view_reminder(count: int, language: Language = "en", tools: ToolNames | None = None) -> str:
    """Ask the model to write down what it learned; with `tools`, by the plan's tools."""
    return _block(
        "reminder", (_advice("hook_views", "hook_views_tools", language, tools, count=count),)
    )


def write_reminder(language: Language = "en", tools: ToolNames | None = None) -> str:
    """Ask the model to update the plan; with `tools`, by the plan's tools."""
    return _block("reminder", (_advice("hook_written", "hook_written_tools", language, tools),))


def strike_warning(count: int, language: Language = "en", tools: ToolNames | None = None) -> str:
    """Warn the model not to repeat a failing call."""
    return _block(
        "three-strike-warning",
        (_advice("hook_strikes", "hook_strikes_tools", language, tools, count=count),),
    )


def strike_refusal(tool: str, language: Language = "en") -> str:
    """Explain that a failing call is not repeated."""
    message = text("hook_struck", language, tool=escape(tool, _NAME))
    return _block("three-strike-warning", (message,))


def repeat_note(tool: str, count: int, language: Language = "en") -> str:
    """Tell the model that a call keeps failing and what to do instead."""
    note = text("hook_repeated", language, tool=escape(tool, _NAME), count=count)
    return _block("three-strike-warning", (note,))


def completion_check(
    phases: Sequence[tuple[str, Sequence[str]]], hidden: int, language: Language = "en"
) -> str:
    """List the open steps by phase; `hidden` more steps are only counted."""
    lines = [text("hook_incomplete", language), "", text("hook_items", language)]
    for phase, steps in phases:
        lines.append(text("hook_phase", language, phase=escape(phase, _TITLE)))
        lines += (f"  - {escape(step, _STEP)}" for step in steps)
    if hidden:
        lines.append(text("summary_hidden", language, count=hidden))
    return _block("completion-check", (*lines, "", text("hook_complete_all", language)))


def hook_note(name: str, note_text: str) -> str:
    """Return the text of a user's hook, labelled with its name."""
    lines = note_text.strip().splitlines()[:_NOTE_LINES]
    escaped = [escape(line, _NOTE_LINE) for line in lines]
    return _block("hook-note", (f"[{escape(name, _NAME)}]", *escaped))


def _step_lines(phase: str, step: str, language: Language) -> tuple[str, str]:
    return (
        text("hook_phase", language, phase=escape(phase, _TITLE)),
        text("hook_step", language, step=escape(step, _STEP)),
    )


def _lines(message: str) -> str:
    """Return a message with its line breaks; lines after the first are indented."""
    cut = message if len(message) <= _MESSAGE else f"{message[: _MESSAGE - 1]}…"
    return "\n  ".join(escape(line, _MESSAGE) for line in cut.strip().splitlines())


def _advice(
    with_files: str, with_tools: str, language: Language, tools: ToolNames | None, **values: int
) -> str:
    """Return a text of the document, or the one that names the plan's tools instead of files."""
    if tools is None:
        return text(with_files, language, **values)
    return text(with_tools, language, **tools, **values)


def _block(tag: str, lines: Iterable[str]) -> str:
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>"))


def check_refusal(
    task: Task, problem: str, language: Language = "en", key: str = "check_refused"
) -> str:
    """Explain why a task does not count as done; `key` is that of the first line."""
    head = text(key, language, id=task.id, name=escape(task.name, NAME))
    return f"<check-result>\n{head}\n{escape(problem, _PROBLEM)}\n</check-result>"


def reopened_note(task: int, language: Language = "en") -> str:
    """Explain that a completed task was reopened."""
    return text("step_reopened", language, id=task)


def findings_summary(findings: Iterable[Finding], language: Language = "en") -> str:
    """Return the titles of a few findings of each category; empty if there are none."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.category, []).append(finding)
    if not groups:
        return ""
    count = sum(map(len, groups.values()))
    lines = ["<findings-summary>", text("findings_total", language, count=count), ""]
    for category, group in groups.items():
        titles = (f"- {escape(finding.title, GOAL)}" for finding in group[:_TITLES])
        lines += (f"**{category}:**", *titles, "")
    return "\n".join((*lines, "</findings-summary>"))
