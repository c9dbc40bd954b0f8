"""The blocks that hooks put into a conversation, in the words and the tags of their document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.application.context.escape import escape
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outlast.domain.model import ErrorRecord
    from outlast.texts import Language

_TITLE: Final = 200
_MESSAGE: Final = 200
_STEP: Final = 200
_NAME: Final = 60
_LINES: Final = 40  # of a hook of a user's
_LINE: Final = 400


class FoundPlan(Struct, frozen=True):
    """A plan that a session finds, in short."""

    title: str
    objective: str
    done: int
    total: int
    paused: bool = False


def existing_plan(
    plan: FoundPlan, current: tuple[str, str] | None, language: Language = "en"
) -> str:
    """Tell of the plan that a session finds; `current` are a phase and its step in progress."""
    lines = [
        text("hook_plan", language, title=escape(plan.title, _TITLE)),
        text("hook_objective", language, objective=escape(plan.objective, _TITLE)),
        text("hook_progress", language, done=plan.done, total=plan.total),
        "",
    ]
    if current is not None:
        lines.append(text("hook_current", language))
        lines += (f"- {line}" for line in _whereabouts(*current, language))
    lines += ("", text("hook_paused" if plan.paused else "hook_continue", language))
    return _block("existing-plan", lines)


def current_task(phase: str, step: str, language: Language = "en") -> str:
    """Tell what is being done."""
    return _block("current-task", _whereabouts(phase, step, language))


def error_history(tool: str, errors: Iterable[ErrorRecord], language: Language = "en") -> str:
    """Tell what a tool has done wrong lately."""
    told = (
        text("hook_failure", language, message=escape(one.message, _MESSAGE), count=one.count)
        for one in errors
    )
    head = text("hook_failures", language, tool=escape(tool, _NAME))
    return _block("error-history", (head, *told, text("hook_avoid", language)))


def view_reminder(count: int, language: Language = "en") -> str:
    """Remind of keeping what was learned."""
    return _block("reminder", (text("hook_views", language, count=count),))


def write_reminder(language: Language = "en") -> str:
    """Remind of keeping the plan up to date."""
    return _block("reminder", (text("hook_written", language),))


def strike_warning(count: int, language: Language = "en") -> str:
    """Warn of doing again what keeps failing."""
    return _block("three-strike-warning", (text("hook_strikes", language, count=count),))


def strike_refusal(tool: str, language: Language = "en") -> str:
    """Say that what keeps failing is not done again."""
    said = text("hook_struck", language, tool=escape(tool, _NAME))
    return _block("three-strike-warning", (said,))


def completion_check(
    phases: Sequence[tuple[str, Sequence[str]]], hidden: int, language: Language = "en"
) -> str:
    """List what is not done yet, by phases; `hidden` more steps are only counted."""
    lines = [text("hook_incomplete", language), "", text("hook_items", language)]
    for phase, steps in phases:
        lines.append(text("hook_phase", language, phase=escape(phase, _TITLE)))
        lines += (f"  - {escape(step, _STEP)}" for step in steps)
    if hidden:
        lines.append(text("summary_hidden", language, count=hidden))
    return _block("completion-check", (*lines, "", text("hook_complete_all", language)))


def hook_note(name: str, said: str) -> str:
    """Return what a user's own hook says, with where it comes from."""
    lines = said.strip().splitlines()[:_LINES]
    note = [escape(line, _LINE) for line in lines]
    return _block("hook-note", (f"[{escape(name, _NAME)}]", *note))


def _whereabouts(phase: str, step: str, language: Language) -> tuple[str, str]:
    return (
        text("hook_phase", language, phase=escape(phase, _TITLE)),
        text("hook_step", language, step=escape(step, _STEP)),
    )


def _block(tag: str, lines: Iterable[str]) -> str:
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>"))
