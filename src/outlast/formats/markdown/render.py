"""A plan as `task_plan.md`, byte for byte in the form of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.phase_status import phase_status
from outlast.formats import times
from outlast.formats.markdown import attributes
from outlast.formats.markdown.escape import escape, escape_name, quote, quote_goal
from outlast.formats.markdown.marks import ICONS, RULE, SEPARATOR
from outlast.formats.markdown.merge.comments import people_lines
from outlast.formats.markdown.references import written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.domain.model import Phase, Task
    from outlast.domain.state import PlanState


def render(state: PlanState, *, ids: bool = True) -> str:
    """Return the file; without `ids` it has no comments of ours."""
    return "\n".join(_Writing(state, ids=ids).lines()) + "\n"


class _Writing:
    """One plan on its way into a file."""

    def __init__(self, state: PlanState, *, ids: bool) -> None:
        self._state = state
        self._ids = ids
        self._written = written(state, ids=ids)
        self._tasks: dict[str, list[Task]] = {phase: [] for phase in state.phases}
        for task in state.in_order():
            self._tasks[task.phase].append(task)
        self._prose = people_lines(state, ids=ids)

    def lines(self) -> list[str]:
        """Return all lines."""
        state, progress = self._state, self._state.progress
        lines = [
            *_with_blank(self._prose.pop("top", ())),
            f"# {escape(state.title)}",
            "",
            *quote_goal(state.goal),
            "",
            f"> **Progress:** {progress.current}/{progress.total} steps completed",
            "",
            *_with_blank(self._prose.pop("head", ())),
            RULE,
            "",
        ]
        for phase in state.phases.values():
            lines += self._phase(phase)
        return lines + self._closing()

    def _phase(self, phase: Phase) -> list[str]:
        icon = ICONS[phase_status(self._state, phase.id)]
        lines = [f"## {icon} Phase: {escape(phase.title)}", ""]
        if phase.notes:
            lines += [*quote(phase.notes), ""]
        prose = self._prose.pop(f"phase:{phase.id}", ())
        if prose and not phase.notes and prose[0].lstrip().startswith(">"):
            lines.append(SEPARATOR)
        lines += _with_blank(prose)
        for task in self._tasks[phase.id]:
            lines += self._task(task)
        return [*lines, ""]

    def _task(self, task: Task) -> Iterable[str]:
        box = "x" if task.status == "completed" else " "
        line = f"- [{box}] {ICONS[task.status]} {escape_name(task.name)}"
        yield f"{line} <!-- t{task.id} -->" if self._ids else line
        yield from attributes.write(task, map(self._written.__getitem__, task.needs))
        yield from self._prose.pop(f"task:{task.id}", ())

    def _closing(self) -> list[str]:
        after = self._prose.pop("after", ())
        end = self._prose.pop("end", ())
        left = self._prose.values()  # of tasks and phases that are gone
        orphans = [line for lines in left if any(map(str.strip, lines)) for line in lines]
        lines = [RULE, *_with_blank((*end, *orphans))]
        lines.append(f"*Last updated: {times.write_milliseconds(self._state.updated_at)}*")
        if self._ids:
            lines.append(f"<!-- outlast r{self._state.revision} -->")
        return [*lines, "", *after] if after else lines


def _with_blank(lines: tuple[str, ...]) -> tuple[str, ...]:
    return (*lines, "") if lines else ()
