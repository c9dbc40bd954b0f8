"""Events in short lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from outlast.agent import events as v
from outlast.console.render.shorten import problem_line, shorten
from outlast.language import text as words_of
from outlast.language import visible
from outlast.plan.tools import call_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.context.chat_model import Call as ToolCall


class EventNarrator(Protocol):
    """Turns events into lines for people."""

    def lines_for(self, event: v.Event) -> list[str]:
        """Return the lines for an event."""


class Narrator:
    """Turns events into lines and repeats nothing.

    What a model says before a call arrives in pieces; it is shown when the call begins. What it
    says at the end arrives once more as a whole.
    """

    def __init__(self, *, asking: bool = False) -> None:
        """Start with an empty history; `asking`: the prompt at the terminal prints questions."""
        self._asking = asking
        self._where: list[str] = []
        self._spoken = self._shown = self._announced = ""

    def lines_for(self, event: v.Event) -> list[str]:
        """Return the lines for an event; none if they were already printed."""
        if isinstance(event, v.Streamed):
            self._spoken += event.text
        if not is_end_of_speech(event):
            return []
        spoken, self._spoken = self._spoken.strip(), ""
        if isinstance(event, v.Said):
            speech = event.text.strip().removesuffix(self._announced)
            return [] if speech.strip() in ("", self._shown) else _speech_lines(speech)
        self._shown = spoken or self._shown
        if isinstance(event, v.Notified):
            self._announced = event.text
        return [*_speech_lines(spoken), *self._event_lines(event)]

    def _event_lines(self, event: v.Event) -> list[str]:
        """Return the lines for an event; the plan's progress only if it has changed."""
        if self._asking and isinstance(event, v.Asked):
            return []
        lines = event_lines(event)
        if not isinstance(event, v.PlanMoved):
            return lines
        known, self._where = self._where, lines or self._where
        return [] if lines == known else lines


def is_end_of_speech(event: v.Event) -> bool:
    """Return whether the event shows that the model has finished speaking."""
    return not isinstance(event, v.Streamed | v.Spent | v.TodoUpdated)


def event_lines(event: v.Event) -> list[str]:
    """Return an event in lines; none if it says nothing by itself."""
    render_lines = _LINES.get(type(event))
    return render_lines(event) if render_lines else []


def describe_call(call: ToolCall) -> str:
    """Return a tool call in a few words: its name and its main parameter."""
    return shorten(visible(call_record.describe_call(call.name, call.params)))


def _call_lines(event: v.CallEnded) -> list[str]:
    if event.error:
        return [f"✖ {describe_call(event.call)}: {problem_line(event.error)}"]
    return [f"✔ {describe_call(event.call)}"]


def _refusal_lines(event: v.CallRefused) -> list[str]:
    """Return which hook refused a call; without a permission the call has an end of its own."""
    if event.by == "permission":
        return []
    return [f"✖ {describe_call(event.call)}: {problem_line(event.reason)}"]


def _question_lines(event: v.Asked) -> list[str]:
    """Return the whole question: the possible answers stand at its end."""
    first, *rest = event.question.text.strip().splitlines() or [""]
    return [f"? {event.question.id}  {visible(first)}", *(f"    {visible(line)}" for line in rest)]


def _speech_lines(speech: str) -> list[str]:
    return [f"  {visible(line.rstrip())}".rstrip() for line in speech.strip().splitlines()]


def _notice_lines(event: v.Notified) -> list[str]:
    """Return a notice in lines; the steps of a loop are no warnings."""
    mark = "  " if event.kind in v.WORK_NOTICES else "! "
    return [f"{mark}{visible(line)}" for line in without_resume_hint(event.text).splitlines()]


def without_resume_hint(notice: str) -> str:
    """Return a notice without "Type 'continue'": the end of the run names a command for it."""
    english, chinese = words_of("loop_limit_hint"), words_of("loop_limit_hint", "zh")
    return notice.removesuffix(english).removesuffix(chinese).rstrip()


def _progress_lines(event: v.PlanMoved) -> list[str]:
    if not event.current:
        return []
    return [f"◐ [{event.done}/{event.total}] {visible(event.current)}"]


_LINES: Final[dict[type[v.Event], Callable[[Any], list[str]]]] = {
    v.Said: lambda event: _speech_lines(event.text),
    v.CallEnded: _call_lines,
    v.CallRefused: _refusal_lines,
    v.Notified: _notice_lines,
    v.PlanMoved: _progress_lines,
    v.Asked: _question_lines,
}
