"""What agents do with the tasks of a plan, in lines that each name their task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.agent import events as v
from outlast.cli.live.event_lines import event_lines
from outlast.console.render.shorten import problem_line, shorten
from outlast.language import listing, text, visible, with_details

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.language import Language

_TAIL: Final = 5  # lines of output that are shown of a failed attempt
_MARKS: Final = {"retry": "↻", "skip": "⊘", "replan": "⇄", "abort": "✖"}
_OUTLAST: Final = "outlast"  # who decides without a model and a person


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
