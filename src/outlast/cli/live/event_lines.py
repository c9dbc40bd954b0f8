"""Events in short lines for people; those of work on several tasks name their task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from outlast.agent import events as v
from outlast.console.render.shorten import problem_line, shorten
from outlast.language import Language, listing, text, visible, with_details
from outlast.plan.tools import call_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.context.chat_model import Call as ToolCall

_TAIL: Final = 5  # lines of output that are shown of a failed attempt
_MARKS: Final = {"retry": "↻", "skip": "⊘", "replan": "⇄", "abort": "✖"}
_OUTLAST: Final = "outlast"  # who decides without a model and a person


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
    lines: list[str] = []
    match event:
        case v.Said():
            lines = _speech_lines(event.text)
        case v.CallEnded(error=""):
            lines = [f"✔ {describe_call(event.call)}"]
        case v.CallEnded():
            lines = [f"✖ {describe_call(event.call)}: {problem_line(event.error)}"]
        case v.CallRefused() if event.by != "permission":  # that call has an end of its own
            lines = [f"✖ {describe_call(event.call)}: {problem_line(event.reason)}"]
        case v.Notified():
            lines = _notice_lines(event)
        case v.PlanMoved() if event.current:
            lines = [f"◐ [{event.done}/{event.total}] {visible(event.current)}"]
        case v.Asked():
            lines = _question_lines(event)
    return lines


def describe_call(call: ToolCall) -> str:
    """Return a tool call in a few words: its name and its main parameter."""
    return shorten(visible(call_record.describe_call(call.name, call.params)))


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
    english, chinese = text("loop_limit_hint"), text("loop_limit_hint", "zh")
    return notice.removesuffix(english).removesuffix(chinese).rstrip()


class WorkNarrator:
    """Turns the events of tasks that are worked on side by side into lines.

    The output of an agent appears line by line, each with the number of its task. Without
    `shows_output` only its end appears, and only after an attempt that failed. What the model says
    is for the orchestrator: the plan, its verdicts, the result.
    """

    def __init__(
        self, language: Language, *, asking: bool = False, shows_output: bool = True
    ) -> None:
        """Start with an empty history; `asking`: the prompt at the terminal prints questions."""
        self._language: Language = language
        self._asking, self._shows_output = asking, shows_output
        self._output: dict[int, list[str]] = {}  # of the tasks at work; the last line goes on
        self._checks: dict[int, v.ChecksEnded] = {}

    def lines_for(self, event: v.Event) -> list[str]:
        """Return the lines for an event; none if it says nothing to people."""
        render_lines = self._renderers.get(type(event))
        if render_lines is not None:
            return render_lines(self, event)
        if isinstance(event, v.PlanMoved) or (self._asking and isinstance(event, v.Asked)):
            return []
        lines = event_lines(event)
        task = getattr(event, "task", 0)
        is_output = task and not isinstance(event, v.Asked)
        return [_output_line(task, line) for line in lines] if is_output else lines

    def _begin(self, event: v.WorkStarted) -> list[str]:
        self._output[event.task] = [""]
        who = [visible(event.agent)]
        if event.attempt > 1:
            who.append(text("lane_attempt", self._language, attempt=event.attempt))
        who_words = listing(who, self._language)
        return [f"▶ {with_details(_task_name(event), who_words, self._language)}"]

    def _add_output(self, event: v.Streamed) -> list[str]:
        if event.task not in self._output:  # no agent works there now
            return []
        begun = self._output[event.task]
        *whole, rest = (begun[-1] + event.text).split("\n")
        kept = [line for line in whole if line.strip()]
        ended = [*begun[:-1], *kept]
        self._output[event.task] = [*ended[-_TAIL:], rest]
        return [_output_line(event.task, line) for line in kept] if self._shows_output else []

    def _end(self, event: v.WorkEnded) -> list[str]:
        rest = self._add_output(v.Streamed("\n", task=event.task))
        output = self._output.pop(event.task, [])
        has_failed = bool(event.error) or event.status == "FAILED"
        if has_failed and not self._shows_output:
            rest = [_output_line(event.task, line) for line in output if line]
        mark = "✖" if has_failed else "◂"
        said = (event.status, problem_line(event.error), shorten(visible(event.summary)))
        return [*rest, ": ".join((f"{mark} {_task_name(event)}", *filter(None, said)))]

    def _check(self, event: v.ChecksEnded) -> list[str]:
        self._checks[event.task] = event
        problem = event.error or event.problem
        return [f"✖ {_task_name(event)}: {problem_line(problem)}"] if problem else []

    def _decide(self, event: v.Decided) -> list[str]:
        checks = self._checks.pop(event.task, None)
        if event.decision == "next":
            passed = f"  ✔ {checks.passed}/{checks.total}" if checks and checks.total else ""
            return [f"● [{event.done}/{event.total}] {_task_name(event)}{passed}"]
        if event.decision == "retry" and event.by == _OUTLAST:
            return []  # what failed has been said, and the next attempt follows
        said = (f"{_MARKS[event.decision]} {_task_name(event)}", problem_line(event.reason))
        return [": ".join(filter(None, said))]

    _renderers: Final[dict[type[v.Event], Callable[[WorkNarrator, Any], list[str]]]] = {
        v.WorkStarted: _begin,
        v.Streamed: _add_output,
        v.WorkEnded: _end,
        v.ChecksEnded: _check,
        v.Decided: _decide,
    }


def _task_name(event: v.WorkStarted | v.WorkEnded | v.ChecksEnded | v.Decided) -> str:
    return f"{event.task} {shorten(visible(event.name))}"


def _output_line(task: int, line: str) -> str:
    return f"  {task}│ {visible(line.rstrip())}"
